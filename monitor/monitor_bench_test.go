package monitor

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// The benchmarks here come in pairs: with a Monitor of 100 keys that are always in use, and bare, without observers. The difference is the
// Monitor's. There is a Monitor in the memory of either, which sets how often garbage is collected.

func BenchmarkRequestBare(b *testing.B) { benchmarkRequest(b, unobserved) }
func BenchmarkRequest(b *testing.B)     { benchmarkRequest(b, observed) }

// The parallel ones are those of several goroutines at once, which wait for one another.

func BenchmarkRequestParallelBare(b *testing.B) { benchmarkParallel(b, unobserved) }
func BenchmarkRequestParallel(b *testing.B)     { benchmarkParallel(b, observed) }

func BenchmarkChunkBare(b *testing.B) { benchmarkChunk(b, unobserved) }
func BenchmarkChunk(b *testing.B)     { benchmarkChunk(b, observed) }

func BenchmarkSnapshot(b *testing.B) {
	m := busyMonitor()
	b.ReportAllocs()
	for b.Loop() {
		m.Snapshot()
	}
}

// BenchmarkRuleLook is what a rule costs every second at most.
func BenchmarkRuleLook(b *testing.B) {
	w := newRuleWatch(busyMonitor(), Rule{Figure: TTFT(0.95), Limit: 1}, func(Breach) {})
	b.ReportAllocs()
	for b.Loop() {
		w.look()
	}
}

// BenchmarkStallLook is one look at 10,000 streams, none of which stalls.
func BenchmarkStallLook(b *testing.B) {
	m := New(Config{})
	recs := startMany(m, 10_000)
	w := &stallWatch{monitor: m, limits: StallLimits{FirstToken: time.Hour, Gap: time.Hour}, fn: func(Stall) {}}
	b.ReportAllocs()
	for b.Loop() {
		w.look(context.Background())
	}
	endAll(recs)
}

// hundredRequests have a key each.
func hundredRequests() []tpot.Request {
	requests := make([]tpot.Request, defaultKeys)
	for i := range requests {
		requests[i] = tpot.Request{
			Provider: fmt.Sprint("provider-", i%4), Model: fmt.Sprint("model-of-some-size-", i%20), Scenario: fmt.Sprint("scenario-", i),
		}
	}
	return requests
}

// runRequest is a request of 20 chunks, 20 to 49 ms apart. More would take longer to record, and not to take in.
func runRequest(t *tpot.Tracker, req tpot.Request) {
	_, rec := t.Start(context.Background(), req)
	at := 200 * time.Millisecond
	for i := range 20 {
		rec.ObserveAt(at, aChunk)
		at += time.Duration(20+i*7%30) * time.Millisecond
	}
	rec.ObserveAt(at, theEnd)
	rec.EndAt(at, nil)
}

var (
	aChunk = tpot.Event{Kind: tpot.KindText}
	theEnd = tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage, FinishReason: "stop", Usage: tpot.Usage{Output: 25}}
)

// busyMonitor is a Monitor with 100 keys each of which had a request in every step.
func busyMonitor() *Monitor {
	m := New(Config{})
	for range steps + 1 {
		m.began = m.began.Add(-m.step)
		for _, req := range hundredRequests() {
			runRequest(observed(m), req)
		}
	}
	return m
}

func observed(m *Monitor) *tpot.Tracker { return &tpot.Tracker{Observers: []tpot.Observer{m}} }
func unobserved(*Monitor) *tpot.Tracker { return new(tpot.Tracker) }

func benchmarkRequest(b *testing.B, tracker func(*Monitor) *tpot.Tracker) {
	m, requests, i := busyMonitor(), hundredRequests(), 0
	t := tracker(m)
	b.ReportAllocs()
	for b.Loop() {
		runRequest(t, requests[i%len(requests)])
		i++
	}
	runtime.KeepAlive(m)
}

func benchmarkParallel(b *testing.B, tracker func(*Monitor) *tpot.Tracker) {
	m, requests := busyMonitor(), hundredRequests()
	t := tracker(m)
	var i atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			runRequest(t, requests[int(i.Add(1))%len(requests)])
		}
	})
	runtime.KeepAlive(m)
}

func benchmarkChunk(b *testing.B, tracker func(*Monitor) *tpot.Tracker) {
	_, rec := tracker(New(Config{})).Start(context.Background(), hundredRequests()[0])
	b.ReportAllocs()
	for b.Loop() {
		rec.Observe(aChunk)
	}
	rec.End(nil)
}

// startMany starts requests that have had two chunks each.
func startMany(m *Monitor, n int) []*tpot.Recorder {
	t, requests := observed(m), hundredRequests()
	recs := make([]*tpot.Recorder, n)
	for i := range recs {
		_, recs[i] = t.Start(context.Background(), requests[i%len(requests)])
		recs[i].Observe(aChunk)
		recs[i].Observe(aChunk)
	}
	return recs
}

func endAll(recs []*tpot.Recorder) {
	for _, rec := range recs {
		rec.End(nil)
	}
}
