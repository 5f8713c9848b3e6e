package matrix

import (
	"bytes"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// heard is an event as a record hears of it: a value that the consumer took, or what the server sent and the SDK has read.
type heard struct {
	chunk
	wait, hold time.Duration // of whoever read, since the event before
	more       int           // events that came with it
}

// chunk is output, or for the zero Kind an event without any, and when it came, from the start.
type chunk struct {
	At   time.Duration
	Kind llmtest.Kind
}

// values is what an adapter hears.
func (c *Consumer[T]) values() (hs []heard) {
	last := c.opened
	for _, v := range c.took {
		hs = append(hs, heard{chunk: chunk{v.got, v.kind}, wait: v.got - v.asked, hold: v.asked - last})
		last = v.got
	}
	return hs
}

// events is what a transport hears of what an exchange sent, given how its body was read: of an event, when its last byte
// was.
func events(x llmtest.Exchange, b body, start time.Time) (hs []heard) {
	var wait, hold time.Duration
	next, have, want := 0, 0, 0 // reads; bytes
	for _, w := range x.Writes {
		for _, e := range w.Events {
			for want += len(e.Bytes); have < want; next++ {
				if next == len(b.reads) {
					return hs
				}
				wait += b.reads[next].ended.Sub(b.reads[next].began)
				if have += b.reads[next].n; next > 0 {
					hold += b.reads[next].began.Sub(b.reads[next-1].ended)
				}
			}
			more := max(bytes.Count(e.Bytes, []byte("\n\n"))-1, 0) // where a builder makes several of server-sent events
			hs = append(hs, heard{chunk{b.reads[next-1].ended.Sub(start), e.Kind}, wait, hold, more})
			wait, hold = 0, 0
		}
	}
	return hs
}

// sent is the chunks that the server sent.
func (t *trial[T]) sent() (cs []chunk) {
	for _, x := range t.log {
		for s, e := range x.Chunks() {
			cs = append(cs, chunk{t.arrived(x) + s.Returned, e.Kind})
		}
	}
	return cs
}

// chunks is those of the events that are some.
func chunks(hs []heard) (cs []chunk) {
	for _, h := range hs {
		if h.Kind != "" {
			cs = append(cs, h.chunk)
		}
	}
	return cs
}
