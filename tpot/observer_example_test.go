package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// freezes is an Observer that reports each gap a person would notice, while the answer is still coming.
type freezes struct{ least time.Duration }

func (f freezes) Start(ctx context.Context, req tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	if req.Scenario == "batch" {
		return ctx, nil // nobody watches those
	}
	return ctx, watched{f.least, req.Model}
}

// watched is its view of one request.
type watched struct {
	least time.Duration
	model string
}

func (w watched) Observe(a tpot.Arrival) {
	if a.Chunk && !a.First && a.Wait >= w.least {
		fmt.Printf("%s froze for %v, until %v\n", w.model, a.Wait, a.At)
	}
}

func (w watched) End(s tpot.Stats) { fmt.Println(w.model, "ended:", s.Outcome) }

// An observer sees every request of its Tracker and says which ones it cares for.
func ExampleObserver() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{freezes{least: time.Second}}}
	for _, scenario := range []string{"batch", "chat"} {
		_, rec := tracker.Start(context.Background(), tpot.Request{Model: "acme-large", Scenario: scenario})
		rec.ObserveAt(300*time.Millisecond, tpot.Event{Kind: tpot.KindText})
		rec.ObserveAt(320*time.Millisecond, tpot.Event{Kind: tpot.KindText})
		rec.ObserveAt(2340*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindFinish})
		rec.EndAt(2400*time.Millisecond, nil)
	}
	// Output:
	// acme-large froze for 2.02s, until 2.34s
	// acme-large ended: ok
}
