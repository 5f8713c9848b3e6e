package wire

import (
	"testing"

	"github.com/tokentiming/tokentiming/tpot"
)

// BenchmarkParser is an event on its way from the bytes of a read to what it carries, against BenchmarkEncodingJSON.
func BenchmarkParser(b *testing.B) {
	data := []byte("data: " + chatEvent + "\n\n")
	events := 0
	p := NewParser("text/event-stream", func(tpot.Event) { events++ })
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		p.Feed(data)
	}
	if events != b.N {
		b.Fatal(events, "events")
	}
}
