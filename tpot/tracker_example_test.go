package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Tracker holds what the Recorders of an application share. The context it returns is for the call.
func ExampleTracker() {
	tracker := &tpot.Tracker{Stall: time.Second, SLO: tpot.SLO{TTFT: 500 * time.Millisecond}}
	ctx, rec := tracker.Start(context.Background(), tpot.Request{Model: "m-large"})
	fmt.Println(tpot.FromContext(ctx) == rec)

	rec.ObserveAt(700*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	met, applicable := rec.EndAt(800*time.Millisecond, nil).SLOMet()
	fmt.Println(met, applicable)
	// Output:
	// true
	// false true
}
