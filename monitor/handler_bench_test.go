package monitor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// BenchmarkHandler makes the page, the part of it that it asks for every second, and the JSON, with 500 streams in flight and a hundred
// keys.
func BenchmarkHandler(b *testing.B) {
	m := monitor.New(monitor.Config{})
	inFlight := fill(m)
	for name, target := range map[string]string{"page": "/", "part": "/?part=", "json": "/json"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				answer := httptest.NewRecorder()
				m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, target, nil))
				b.ReportMetric(float64(answer.Body.Len()), "B/answer")
			}
		})
	}
	b.Run("snapshot", func(b *testing.B) { // of which all of these are made
		for b.Loop() {
			m.Snapshot()
		}
	})
	for _, rec := range inFlight {
		rec.End(nil)
	}
}

// fill makes a hundred keys with ten requests each that have ended, and 500 streams that are a second old and have had a chunk every 20 ms or
// so.
func fill(m *monitor.Monitor) (inFlight []*tpot.Recorder) {
	r := rand.New(rand.NewPCG(1, 2))
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}, SLO: tpot.SLO{TTFT: 250 * time.Millisecond, TPOT: 20 * time.Millisecond}}
	start := func(i int) *tpot.Recorder {
		_, rec := tracker.Start(context.Background(), tpot.Request{
			Provider: "provider", Model: fmt.Sprint("a-model-of-size-", i%10), Scenario: fmt.Sprint("scenario ", i/10%10),
		})
		return rec
	}
	stream := func(rec *tpot.Recorder) {
		at := duration(r, 200*time.Millisecond)
		for at < time.Second {
			rec.BeginWaitAt(at)
			at += duration(r, 20*time.Millisecond)
			rec.ObserveAt(at, tpot.Event{Kind: tpot.KindText})
		}
		rec.BeginWaitAt(at)
	}
	for i := range 1000 {
		rec := start(i)
		stream(rec)
		rec.EndAt(time.Second, nil)
	}
	for i := range 500 {
		inFlight = append(inFlight, start(i))
	}
	time.Sleep(time.Second)
	for _, rec := range inFlight {
		stream(rec)
	}
	return inFlight
}
