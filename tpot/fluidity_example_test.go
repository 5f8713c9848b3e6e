package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Four tokens come a little early; the fifth comes 170 ms after its deadline and all that they had left.
func ExampleFluidity() {
	f := tpot.Fluidity{First: 500 * time.Millisecond, Next: 50 * time.Millisecond}
	for _, at := range []time.Duration{400, 440, 480, 520, 820} {
		f.Arrive(at*time.Millisecond, 1)
	}
	reset, _ := f.DeadlineReset()
	perToken, _ := f.PerToken()
	fmt.Printf("deadline-reset %.4f: %d late of %d\n", reset, f.Late(), f.Tokens())
	fmt.Printf("per-token      %.4f: %d missed of %d\n", perToken, f.Missed(), f.OnTime()+f.Missed())
	// Output:
	// deadline-reset 0.8000: 1 late of 5
	// per-token      0.5714: 3 missed of 7
}

// From a Trace it can be told later, and for other deadlines. All events here are of one choice.
func ExampleFluidity_trace() {
	tracker := &tpot.Tracker{TraceEvents: 1000}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.ObserveAt(300*time.Millisecond, tpot.Event{Kind: tpot.KindRole}) // no chunk
	for _, at := range []time.Duration{400, 460, 530} {
		rec.ObserveAt(at*time.Millisecond, tpot.Event{Kind: tpot.KindText, Tokens: 2})
	}
	rec.EndAt(540*time.Millisecond, nil)
	trace := rec.Trace()

	for _, next := range []time.Duration{20 * time.Millisecond, 40 * time.Millisecond} {
		f := tpot.Fluidity{Next: next} // the first token has no deadline
		for _, e := range trace.Events {
			if e.Event.Kind&tpot.KindGenerated != 0 {
				f.Arrive(e.At, e.Event.Tokens)
			}
		}
		share, _ := f.DeadlineReset()
		fmt.Printf("%v: %.1f of %d tokens\n", next, share, f.Tokens())
	}
	// Output:
	// 20ms: 0.6 of 5 tokens
	// 40ms: 1.0 of 5 tokens
}
