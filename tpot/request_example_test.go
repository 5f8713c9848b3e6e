package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A Request is what observers label their figures with, so its values are few: a use, not a user.
func ExampleRequest() {
	tracker := &tpot.Tracker{}
	req := tpot.Request{Operation: "chat", Provider: "acme", Model: "acme-large", Scenario: "support"}
	_, rec := tracker.Start(context.Background(), req)
	s := rec.EndAt(time.Second, nil)
	fmt.Println(s.Request.Scenario, s.Request.Model)
	// Output: support acme-large
}

// Whoever sends the request knows its attempts; TTFT counts from before the first.
func ExampleAttempt() {
	const ms = time.Millisecond
	rec := tpot.Start(context.Background())
	rec.Attempt(tpot.Attempt{Status: 429, Headers: 80 * ms})
	rec.Attempt(tpot.Attempt{Status: 200, Headers: 400 * ms, FirstByte: 410 * ms, Reused: true})
	rec.ObserveAt(450*ms, tpot.Event{Kind: tpot.KindText})
	s := rec.EndAt(460*ms, nil)
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
