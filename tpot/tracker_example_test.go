package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Tracker holds what the Recorders of an application share.
func ExampleTracker() {
	tracker := &tpot.Tracker{Stall: time.Second, SLO: tpot.SLO{TTFT: 500 * time.Millisecond}}
	_, rec := tracker.Start(context.Background(), tpot.Request{Model: "acme-large"})
	rec.ObserveAt(700*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(1600*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	s := rec.EndAt(1700*time.Millisecond, nil)
	met, _ := s.SLOMet()
	fmt.Println("SLO met:", met, "stalls:", s.Stalls.Count)
	// Output: SLO met: false stalls: 0
}

// The context carries the Recorder to where the response is read. It is for one call.
func ExampleFromContext() {
	tracker := &tpot.Tracker{}
	ctx, rec := tracker.Start(context.Background(), tpot.Request{Model: "acme-large"})

	read := func(ctx context.Context) {
		tpot.FromContext(ctx).Observe(tpot.Event{Kind: tpot.KindText})
	}
	read(ctx)
	read(context.Background()) // without a Recorder nothing is timed, and nothing breaks
	fmt.Println(rec.End(nil).Chunks)
	// Output: 1
}
