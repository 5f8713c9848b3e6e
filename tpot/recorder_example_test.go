package tpot_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Package stream does this for streams of the common shapes. For any other a loop needs four lines.
func ExampleStart() {
	words := []string{"Blue", ",", " I think."} // stands for the stream

	rec := tpot.Start(context.Background()) // right before the request is sent
	for _, word := range words {
		rec.BeginWait() // before each read
		_ = word
		rec.Observe(tpot.Event{Kind: tpot.KindText}) // right after it
	}
	s := rec.End(nil) // with the error that ended the stream
	fmt.Println(s.Outcome, s.Chunks, "chunks")
	// Output: ok 3 chunks
}

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

// Where a wrapper and a tap on the connection see the same stream, the first to claim it counts its events.
func ExampleRecorder_Claim() {
	type adapter struct{ name string }
	wrapper, tap := &adapter{"wrapper"}, &adapter{"tap"}

	rec := tpot.Start(context.Background())
	for _, a := range []*adapter{wrapper, tap, wrapper} {
		fmt.Println(a.name, rec.Claim(a))
	}
	// Output:
	// wrapper true
	// tap false
	// wrapper true
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
	rec.ObserveErrorAt(100*time.Millisecond, errors.New("a line that is no JSON"))
	rec.ObserveAt(120*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindFinish})
	fmt.Println(rec.EndAt(130*time.Millisecond, nil).Outcome)
	// Output: ok
}

// Stats can be asked for while the answer is coming. What is not known yet is absent.
func ExampleRecorder_Stats() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(200*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	ttft, known := rec.Stats().TTFT()
	fmt.Println(rec.Stats().Outcome, ttft, known)
	e2e, known := rec.Stats().E2E()
	fmt.Println(e2e, known)
	// Output:
	// open 200ms true
	// 0s false
}

// A watchdog asks how long a stream has been silent, while it still is.
func ExampleRecorder_Waiting() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(200*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.BeginWaitAt(210 * time.Millisecond)
	now := 10 * time.Second // rec.Elapsed()
	if since, waiting := rec.Waiting(); waiting {
		fmt.Println("silent for", now-since)
	}
	// Output: silent for 9.79s
}
