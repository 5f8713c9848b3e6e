package tpot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Trace is kept only when the Tracker asks for one, and says when it was cut.
func ExampleTrace() {
	tracker := &tpot.Tracker{TraceEvents: 2}
	_, rec := tracker.Start(context.Background(), tpot.Request{Model: "m-large"})
	for _, at := range []time.Duration{100, 120, 140} {
		rec.ObserveAt(at*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	}
	rec.EndAt(150*time.Millisecond, nil)
	trace := rec.Trace()
	fmt.Println(len(trace.Events), "kept,", trace.Dropped, "dropped,", trace.Outcome)
	// Output: 2 kept, 1 dropped, ok
}

func ExampleTraceEvent() {
	data, _ := json.Marshal(tpot.TraceEvent{
		At: 120 * time.Millisecond, Wait: 20 * time.Millisecond, Event: tpot.Event{Kind: tpot.KindText | tpot.KindFinish, FinishReason: "stop"},
	})
	fmt.Println(string(data))
	var back tpot.TraceEvent
	_ = json.Unmarshal(data, &back)
	fmt.Println(back.At, back.Event.Kind)
	// Output:
	// {"at_ns":120000000,"wait_ns":20000000,"event":{"kind":"text|finish","finish_reason":"stop"}}
	// 120ms text|finish
}
