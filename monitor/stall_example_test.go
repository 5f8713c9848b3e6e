package monitor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// An application gives up a request that stands still. It has made it with a context that a watchdog can cancel.
func ExampleMonitor_WatchStalls() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	m.WatchStalls(monitor.StallLimits{FirstToken: 10 * time.Second, Gap: 50 * time.Millisecond}, func(s monitor.Stall) { s.Cancel() })

	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	ctx, cancel := monitor.WithCancel(context.Background())
	defer cancel()
	ctx, rec := tracker.Start(ctx, chat)
	rec.Observe(tpot.Event{Kind: tpot.KindText})
	rec.BeginWait() // for the second chunk, which does not come
	<-ctx.Done()

	stats := rec.End(ctx.Err())
	fmt.Println(stats.Outcome, stats.Cause, stats.Chunks)
	// Output: timeout stalled 1
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
