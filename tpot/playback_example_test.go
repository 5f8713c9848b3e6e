package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// reader is an Observer whose Observation of each request plays the first choice back.
type reader struct{}

func (reader) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, &reading{}
}

type reading struct{ tpot.Playback }

func (r *reading) Observe(a tpot.Arrival) {
	if a.Chunk && a.Event.Choice == 0 {
		r.Arrive(a.At, a.Event.Tokens)
	}
}

func (r *reading) End(tpot.Stats) {
	delay, _ := r.StartDelay()
	idle, _ := r.IdleLatency()
	share, _ := r.RebufferShare()
	fmt.Println("start delay", delay, "idle latency", idle)
	fmt.Printf("%d rebuffer of %v, %.2f of the time\n", r.Rebuffers(), r.RebufferTime(), share)
}

// Of two pauses of 1.5 s a reader at five tokens a second notices only the second: before the first a bundle of ten tokens came.
func ExamplePlayback() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{reader{}}}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.ObserveAt(500*time.Millisecond, tpot.Event{Kind: tpot.KindText, Tokens: 10}) // read at 2.5 s
	rec.ObserveAt(2000*time.Millisecond, tpot.Event{Kind: tpot.KindText, Tokens: 1}) // read at 2.7 s
	rec.ObserveAt(3500*time.Millisecond, tpot.Event{Kind: tpot.KindText, Tokens: 1}) // read at 3.7 s
	rec.EndAt(3600*time.Millisecond, nil)
	// Output:
	// start delay 500ms idle latency 1.3s
	// 1 rebuffer of 800ms, 0.25 of the time
}

// A reader who waits shows before the token comes.
func ExamplePlayback_WaitingAt() {
	var p tpot.Playback // at 5 tokens a second
	p.Arrive(500*time.Millisecond, 3)
	for _, at := range []time.Duration{1000, 2000} {
		wait, waiting := p.WaitingAt(at * time.Millisecond)
		fmt.Println(waiting, wait)
	}
	// Output:
	// false 0s
	// true 900ms
}
