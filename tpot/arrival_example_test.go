package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// arrivals is an Observer, and the Observation of each of its requests, that prints what arrives.
type arrivals struct{}

func (p arrivals) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, p
}

func (arrivals) Observe(a tpot.Arrival) {
	fmt.Println(a.At, "gap", a.Gap, "wait", a.Wait, a.Event.Kind, a.Model)
}

func (arrivals) End(tpot.Stats) {}

// The gap between two chunks is what a reader of the answer saw; the wait is the producer's part of it. A ping ends
// neither.
func ExampleArrival() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{arrivals{}}}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindText, Model: "acme-large-0613"})
	rec.BeginWaitAt(110 * time.Millisecond)
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindPing})
	rec.BeginWaitAt(120 * time.Millisecond)
	rec.ObserveAt(130*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	// Output:
	// 100ms gap 0s wait 100ms text acme-large-0613
	// 120ms gap 0s wait 10ms ping acme-large-0613
	// 130ms gap 30ms wait 20ms text acme-large-0613
}
