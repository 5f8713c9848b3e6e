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
		met, applicable := rec.EndAt(100*time.Millisecond, nil).SLOMet()
		fmt.Println(met, applicable)
	}
	// Output:
	// false false
	// true true
}

// Goodput is the share of requests that met their limits among those the limits apply to. A user who leaves is no miss.
func ExampleStats_SLOMet() {
	tracker := &tpot.Tracker{SLO: tpot.SLO{TTFT: 500 * time.Millisecond}}
	good, counted := 0, 0
	for _, request := range []struct {
		ttft time.Duration
		last error
	}{
		{200 * time.Millisecond, nil},
		{900 * time.Millisecond, nil},
		{200 * time.Millisecond, tpot.EarlyClose},
	} {
		_, rec := tracker.Start(context.Background(), tpot.Request{})
		rec.ObserveAt(request.ttft, tpot.Event{Kind: tpot.KindText})
		met, applicable := rec.EndAt(time.Second, request.last).SLOMet()
		if applicable {
			counted++
		}
		if met {
			good++
		}
	}
	fmt.Println(good, "of", counted)
	// Output: 1 of 2
}
