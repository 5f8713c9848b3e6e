package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// The At twins take offsets that were stamped elsewhere.
func ExampleRecorder() {
	rec := tpot.Start(context.Background())
	rec.BeginWaitAt(2 * time.Millisecond)
	rec.ObserveAt(300*time.Millisecond, tpot.Event{Kind: tpot.KindRole})
	rec.ObserveAt(320*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(345*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.ObserveAt(370*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindFinish, FinishReason: "stop"})
	rec.ObserveAt(371*time.Millisecond, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 9, Output: 5}})
	fmt.Println(rec.EndAt(372*time.Millisecond, nil))
	// Output:
	// ok, TTFT 320ms, TPOT 12.5ms over 5 tokens (reported), gaps p50 25.0ms p99 25.0ms max 25.0ms, E2E 372ms
}

// A stream that went silent, and the person who gave up on it.
func ExampleRecorder_End() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(200*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindMarked})
	rec.BeginWaitAt(201 * time.Millisecond)
	s := rec.EndAt(5201*time.Millisecond, tpot.EarlyClose)
	fmt.Println(s.Outcome, s.Cause, s.Stalls.Longest)
	// Output: canceled early close 5s
}

// Some streams go on after an error. What the stream gives last decides.
func ExampleRecorder_ObserveError() {
	rec := tpot.Start(context.Background())
	rec.ObserveErrorAt(100*time.Millisecond, fmt.Errorf("a line that is no JSON"))
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindFinish})
	fmt.Println(rec.EndAt(130*time.Millisecond, nil).Outcome)
	// Output: ok
}

// A watchdog asks how long a stream has been silent, while it still is.
func ExampleRecorder_Waiting() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(200*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.BeginWaitAt(210 * time.Millisecond)
	since, waiting := rec.Waiting()
	fmt.Println(since, waiting)
	// Output: 210ms true
}
