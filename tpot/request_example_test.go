package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Request is what observers label their figures with.
func ExampleRequest() {
	tracker := &tpot.Tracker{}
	_, rec := tracker.Start(context.Background(), tpot.Request{Operation: "chat", Model: "m-large", Scenario: "support"})
	s := rec.EndAt(time.Second, nil)
	fmt.Println(s.Request.Scenario, s.Request.Model)
	// Output: support m-large
}

// Whoever sends the request knows its attempts; TTFT counts from before the first.
func ExampleAttempt() {
	rec := tpot.Start(context.Background())
	rec.Attempt(tpot.Attempt{Status: 429, Headers: 80 * time.Millisecond})
	rec.Attempt(tpot.Attempt{Status: 200, Headers: 400 * time.Millisecond, FirstByte: 410 * time.Millisecond, Reused: true})
	rec.ObserveAt(450*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	s := rec.EndAt(460*time.Millisecond, nil)
	headers, _ := s.Headers()
	ttft, _ := s.TTFT()
	fmt.Println(len(s.Attempts), "attempts, headers", headers, "TTFT", ttft)
	// Output: 2 attempts, headers 400ms TTFT 450ms
}

// What the server says of itself stands beside what the client measured.
func ExampleServerTimings() {
	rec := tpot.Start(context.Background())
	rec.ReportServer(tpot.ServerTimings{Source: "vllm", TTFT: 70 * time.Millisecond, Queue: 2 * time.Millisecond})
	rec.ObserveAt(90*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	s := rec.EndAt(100*time.Millisecond, nil)
	ttft, _ := s.TTFT()
	fmt.Println("here", ttft, "there", s.Server.TTFT)
	// Output: here 90ms there 70ms
}
