package tpot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Trace is kept only when the Tracker asks for one, and says when it was cut.
func ExampleTrace() {
	tracker := &tpot.Tracker{TraceEvents: 2}
	_, rec := tracker.Start(context.Background(), tpot.Request{Model: "acme-large"})
	for _, at := range []time.Duration{100, 120, 140} {
		rec.ObserveAt(at*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	}
	rec.EndAt(150*time.Millisecond, nil)
	trace := rec.Trace()
	fmt.Println(len(trace.Events), "kept,", trace.Dropped, "dropped,", trace.Outcome)
	// Output: 2 kept, 1 dropped, ok
}

// A Trace can be stored, and read again to work out other figures from it: here the first gap.
func ExampleTrace_json() {
	tracker := &tpot.Tracker{TraceEvents: 1000}
	_, rec := tracker.Start(context.Background(), tpot.Request{Model: "acme-large"})
	rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.EndAt(150*time.Millisecond, nil)

	stored, _ := json.Marshal(rec.Trace())
	var trace tpot.Trace
	if err := json.Unmarshal(stored, &trace); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(trace.Request.Model, trace.Outcome, trace.Events[1].At-trace.Events[0].At)
	// Output: acme-large ok 20ms
}

// An application keeps a line for each of its requests; later, and elsewhere, the lines are the figures again.
func ExampleTraceWriter() {
	var file bytes.Buffer
	traces := tpot.NewTraceWriter(&file)
	tracker := &tpot.Tracker{TraceEvents: 1000, Observers: []tpot.Observer{traces}}
	for _, at := range []time.Duration{100, 200} {
		_, rec := tracker.Start(context.Background(), tpot.Request{})
		rec.ObserveAt(at*time.Millisecond, tpot.Event{Kind: tpot.KindText})
		rec.EndAt(time.Second, nil)
	}
	if err := traces.Err(); err != nil {
		fmt.Println("not all are written:", err)
	}

	for trace, err := range tpot.ReadTraces(&file) {
		if err != nil {
			fmt.Println("left out:", err)
			continue
		}
		ttft, _ := tpot.Replay(trace).TTFT()
		fmt.Println(ttft)
	}
	// Output:
	// 100ms
	// 200ms
}

// Times are milliseconds, kinds are their names.
func ExampleTraceEvent() {
	event := tpot.TraceEvent{
		At:    120 * time.Millisecond,
		Wait:  20 * time.Millisecond,
		Event: tpot.Event{Kind: tpot.KindText | tpot.KindFinish, FinishReason: "stop"},
	}
	data, _ := json.Marshal(event)
	fmt.Println(string(data))
	var back tpot.TraceEvent
	_ = json.Unmarshal(data, &back)
	fmt.Println(back == event)
	// Output:
	// {"at_ms":120,"wait_ms":20,"kind":"text|finish","finish_reason":"stop"}
	// true
}
