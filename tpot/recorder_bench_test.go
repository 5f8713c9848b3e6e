package tpot_test

import (
	"context"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// The benchmarks here come with their baseline, BenchmarkClockRead: costs are stated as ratios to it.

var (
	elapsed time.Duration
	event   = tpot.Event{Kind: text} // made beforehand: that is its maker's cost
)

func BenchmarkClockRead(b *testing.B) {
	start := time.Now()
	for b.Loop() {
		elapsed = time.Since(start)
	}
}

func BenchmarkObserve(b *testing.B) {
	r := tpot.Start(context.Background())
	b.ReportAllocs()
	for b.Loop() {
		r.Observe(event)
	}
}

func BenchmarkBeginWaitObserve(b *testing.B) {
	r := tpot.Start(context.Background())
	b.ReportAllocs()
	for b.Loop() {
		r.BeginWait()
		r.Observe(event)
	}
}

// BenchmarkObserveKept is BenchmarkObserve with a trace, of a thousand events to a request.
func BenchmarkObserveKept(b *testing.B) {
	const events = 1000
	tracker := &tpot.Tracker{TraceEvents: events}
	var r *tpot.Recorder
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%events == 0 {
			_, r = tracker.Start(context.Background(), tpot.Request{})
		}
		r.Observe(event)
	}
}

// BenchmarkObserveTold is BenchmarkObserve with one observer that does nothing, BenchmarkObserveToldTwice with two: their difference is
// the cost of an observer.
func BenchmarkObserveTold(b *testing.B)      { benchmarkTold(b, 1) }
func BenchmarkObserveToldTwice(b *testing.B) { benchmarkTold(b, 2) }

func benchmarkTold(b *testing.B, observers int) {
	tracker := &tpot.Tracker{}
	for range observers {
		tracker.Observers = append(tracker.Observers, silent{})
	}
	_, r := tracker.Start(context.Background(), tpot.Request{})
	b.ReportAllocs()
	for b.Loop() {
		r.Observe(event)
	}
}
