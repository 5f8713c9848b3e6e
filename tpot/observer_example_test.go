package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// freezes is an observer that reports each gap a person would notice, while the answer is still coming.
type freezes struct{ model string }

func (freezes) Start(ctx context.Context, req tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	if req.Scenario == "batch" {
		return ctx, nil // nobody watches those
	}
	return ctx, freezes{req.Model}
}

func (f freezes) Observe(a tpot.Arrival) {
	if a.Chunk && !a.First && a.Wait >= time.Second {
		fmt.Printf("%s froze for %v at %v\n", f.model, a.Wait, a.At)
	}
}

func (f freezes) End(s tpot.Stats) { fmt.Println(f.model, s.Outcome) }

func ExampleObserver() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{freezes{}}}
	_, rec := tracker.Start(context.Background(), tpot.Request{Model: "m-large"})
	for _, at := range []time.Duration{300, 320, 2340, 2360} {
		rec.ObserveAt(at*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	}
	rec.EndAt(2400*time.Millisecond, nil)
	// Output:
	// m-large froze for 2.02s at 2.34s
	// m-large ok
}

// counter is an Observation of its own.
type counter struct{ chunks int }

func (c *counter) Observe(a tpot.Arrival) {
	if a.Chunk {
		c.chunks++
	}
}
func (c *counter) End(s tpot.Stats) { fmt.Println(c.chunks, "of", s.Chunks) }

func (c *counter) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, c
}

func ExampleObservation() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{&counter{}}}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindRole})
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.EndAt(130*time.Millisecond, nil)
	// Output: 1 of 1
}

// printer prints arrivals.
type printer struct{}

func (p printer) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, p
}
func (printer) Observe(a tpot.Arrival) { fmt.Println(a.At, a.Gap, a.Event.Kind, a.Model) }
func (printer) End(tpot.Stats)         {}

func ExampleArrival() {
	_, rec := (&tpot.Tracker{Observers: []tpot.Observer{printer{}}}).Start(context.Background(), tpot.Request{})
	rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindText, Model: "m-large-0613"})
	rec.ObserveAt(130*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	// Output:
	// 100ms 0s text m-large-0613
	// 130ms 30ms text m-large-0613
}
