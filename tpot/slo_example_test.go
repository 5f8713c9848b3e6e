package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A one-token answer has no TPOT: it counts neither for the limit nor against it.
func ExampleSLO() {
	tracker := &tpot.Tracker{SLO: tpot.SLO{TPOT: 50 * time.Millisecond}}
	for _, chunks := range []int{1, 2} {
		_, rec := tracker.Start(context.Background(), tpot.Request{})
		for i := range chunks {
			rec.ObserveAt(time.Duration(i+1)*40*time.Millisecond, tpot.Event{Kind: tpot.KindText})
		}
		met, applicable := rec.EndAt(0, nil).SLOMet()
		fmt.Println(met, applicable)
	}
	// Output:
	// false false
	// true true
}
