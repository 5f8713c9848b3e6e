package tpot_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// inFlight is an Observer that counts the requests under way. Requests are concurrent, so what they share is atomic.
type inFlight struct{ now atomic.Int64 }

func (f *inFlight) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	f.now.Add(1)
	return ctx, &flight{of: f}
}

// flight is one of them. Its methods are called one at a time, so what is its own needs no lock.
type flight struct {
	of     *inFlight
	chunks int
}

func (f *flight) Observe(a tpot.Arrival) {
	if a.Chunk {
		f.chunks++
	}
}

func (f *flight) End(s tpot.Stats) {
	fmt.Println(s.Outcome, "chunks:", f.chunks, "still under way:", f.of.now.Add(-1))
}

// End is called exactly once, whichever way the stream ends: what Start opens, End can close.
func ExampleObservation() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{new(inFlight)}}
	_, one := tracker.Start(context.Background(), tpot.Request{})
	_, two := tracker.Start(context.Background(), tpot.Request{})
	one.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindRole}) // carries no output: not a chunk
	one.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	one.EndAt(130*time.Millisecond, nil)
	one.EndAt(140*time.Millisecond, nil) // does nothing
	two.EndAt(150*time.Millisecond, tpot.EarlyClose)
	// Output:
	// ok chunks: 1 still under way: 1
	// canceled chunks: 0 still under way: 0
}

// summary is an Observer, and the Observation of each of its requests, that needs no events.
type summary struct{ tpot.EndOnly }

func (s summary) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, s
}

func (summary) End(s tpot.Stats) { fmt.Println(s.Outcome, "chunks:", s.Chunks) }

// What there is to know at the end costs nothing on the way.
func ExampleEndOnly() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{summary{}}}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.EndAt(130*time.Millisecond, nil)
	// Output: ok chunks: 2
}
