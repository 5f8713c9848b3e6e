package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// An application cancels a request that stands still. It puts the function that cancels where the watchdog finds it.
func ExampleMonitor_WatchStalls() {
	type cancelKey struct{}
	errStalled := errors.New("the model stood still")

	m := monitor.New(monitor.Config{})
	defer m.Close()
	m.WatchStalls(monitor.StallLimits{FirstToken: 10 * time.Second, Gap: 50 * time.Millisecond}, func(s monitor.Stall) {
		s.Context.Value(cancelKey{}).(context.CancelCauseFunc)(errStalled)
	})

	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ctx, rec := tracker.Start(context.WithValue(ctx, cancelKey{}, cancel), chat)
	rec.Observe(tpot.Event{Kind: tpot.KindText})
	rec.BeginWait() // for the second chunk, which does not come
	<-ctx.Done()

	stats := rec.End(ctx.Err())
	fmt.Println(context.Cause(ctx), "-", stats.Outcome, stats.Chunks)
	// Output: the model stood still - canceled 1
}

// Two watches: one tells the user, the other gives up.
func ExampleStallLimits() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	user, caller := make(chan string), make(chan string)
	m.WatchStalls(monitor.StallLimits{FirstToken: 20 * time.Millisecond}, func(monitor.Stall) { user <- "still thinking ..." })
	m.WatchStalls(monitor.StallLimits{FirstToken: 40 * time.Millisecond}, func(monitor.Stall) { caller <- "giving up" })

	_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(context.Background(), chat)
	fmt.Println(<-user)
	fmt.Println(<-caller)
	rec.End(nil)
	// Output:
	// still thinking ...
	// giving up
}

func ExampleStall() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	stalls := make(chan monitor.Stall)
	m.WatchStalls(monitor.StallLimits{Gap: 20 * time.Millisecond}, func(s monitor.Stall) { stalls <- s })

	_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(context.Background(), chat)
	rec.Observe(tpot.Event{Kind: tpot.KindText, Tokens: 3})
	rec.BeginWait()
	s := <-stalls
	fmt.Println(s.Stats.Request.Scenario, s.Stats.Tokens, "tokens so far, first:", s.First, "over the limit:", s.Wait >= 20*time.Millisecond)
	rec.End(nil)
	// Output: chat 3 tokens so far, first: false over the limit: true
}
