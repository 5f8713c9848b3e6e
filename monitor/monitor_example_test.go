package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// answer is a request with so many chunks, 20 ms apart, the first after ttft. A program has a stream and an adapter instead.
func answer(tracker *tpot.Tracker, req tpot.Request, ttft time.Duration, chunks int, err error) {
	_, rec := tracker.Start(context.Background(), req)
	at := ttft
	for range chunks {
		rec.ObserveAt(at, tpot.Event{Kind: tpot.KindText, Tokens: 1})
		at += 20 * time.Millisecond
	}
	rec.EndAt(at, err)
}

var chat = tpot.Request{Provider: "openai", Model: "gpt-5", Scenario: "chat"}

func Example() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}} // for Tracker.Start, or a stream.Transport

	answer(tracker, chat, 300*time.Millisecond, 10, nil)
	answer(tracker, chat, 500*time.Millisecond, 10, nil)

	for _, row := range m.Snapshot() {
		ttft, _ := row.TTFT.Mean()
		tpot, _ := row.TPOT.Mean()
		fmt.Println(row.Scenario, row.Requests, ttft, tpot)
	}
	// Output: chat 2 400ms 20ms
}

func ExampleMonitor() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	_, rec := tracker.Start(context.Background(), chat)
	fmt.Println(m.Snapshot()[0].InFlight)
	rec.End(nil)
	fmt.Println(m.Snapshot()[0].InFlight)
	// Output:
	// 1
	// 0
}

// Ten models, of which there is room for two.
func ExampleConfig() {
	m := monitor.New(monitor.Config{Window: time.Minute, Keys: 2})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	for i := range 10 {
		answer(tracker, tpot.Request{Model: fmt.Sprint("model-", i)}, time.Second, 1, nil)
	}
	for _, row := range m.Snapshot() {
		fmt.Println(row.Model, row.Requests)
	}
	// Output:
	// model-0 1
	// model-1 1
	// _other 8
}

func ExampleKey() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	answer(&tpot.Tracker{Observers: []tpot.Observer{m}}, chat, time.Second, 1, nil)
	fmt.Printf("%+v\n", m.Snapshot()[0].Key)
	// Output: {Provider:openai Model:gpt-5 Scenario:chat}
}

// A long answer counts as much as a short one per request, and by its length per token.
func ExampleTally() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	answer(tracker, chat, time.Second, 100, nil) // 99 tokens, each after 20 ms
	_, rec := tracker.Start(context.Background(), chat)
	rec.ObserveAt(1*time.Second, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	rec.ObserveAt(2*time.Second, tpot.Event{Kind: tpot.KindText, Tokens: 1}) // one, after a second
	rec.EndAt(2*time.Second, nil)

	tally := &m.Snapshot()[0].Tally
	perRequest, _ := tally.TPOT.Mean()
	perToken, _ := tally.TPOTByToken.Mean()
	stalls, _ := tally.StallRate()
	fmt.Println(perRequest, perToken, stalls, tally.Stalls.Longest)
	// Output: 510ms 29.8ms 0.5 1s
}

func ExampleRow() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{
		Scenarios: map[string]tpot.SLO{"chat": {TTFT: time.Second, TPOT: tpot.ChatTPOT}},
		Observers: []tpot.Observer{m},
	}
	answer(tracker, chat, 900*time.Millisecond, 50, nil)
	answer(tracker, chat, 1100*time.Millisecond, 50, nil)
	answer(tracker, chat, 900*time.Millisecond, 50, errors.New("no more"))
	answer(tracker, chat, 900*time.Millisecond, 50, tpot.EarlyClose) // a user who leaves counts on neither side

	row := &m.Snapshot()[0]
	goodput, _ := row.Goodput()
	failures, _ := row.FailureRate()
	fmt.Printf("%d requests, goodput %.2f, failures %.2f\n", row.Requests, goodput, failures)
	// Output: 4 requests, goodput 0.33, failures 0.33
}

func ExampleOutcomes() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	answer(tracker, chat, time.Second, 1, nil)
	answer(tracker, chat, time.Second, 1, context.Canceled)
	outcomes := m.Snapshot()[0].Outcomes
	fmt.Println(outcomes[tpot.OutcomeOK], outcomes[tpot.OutcomeCanceled], outcomes[tpot.OutcomeFailed])
	// Output: 1 1 0
}

func ExampleSources() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	answer(&tpot.Tracker{Observers: []tpot.Observer{m}}, chat, time.Second, 1, nil)
	row := &m.Snapshot()[0]
	guesses, _ := row.SourceShare(tpot.SourceChunks)
	fmt.Println(row.Sources[tpot.SourceCounted], guesses)
	// Output: 1 0
}

func ExampleMisses() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{SLO: tpot.SLO{TTFT: time.Second, E2E: 10 * time.Second}, Observers: []tpot.Observer{m}}
	answer(tracker, chat, 2*time.Second, 10, nil)
	answer(tracker, chat, 2*time.Second, 1000, nil)
	row := &m.Snapshot()[0]
	fmt.Println(row.Missed, "missed:", row.Misses.TTFT, "the TTFT,", row.Misses.E2E, "the E2E")
	// Output: 2 missed: 2 the TTFT, 1 the E2E
}

// Whether it is slow because it is loaded.
func ExampleLoad() {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	answer(&tpot.Tracker{Observers: []tpot.Observer{m}}, chat, time.Second, 10, nil)
	for _, l := range m.Snapshot()[0].Loads() {
		tpot, _ := l.MeanTPOT()
		fmt.Printf("%d to %d in flight: %d requests, TPOT %v\n", l.From, l.To, l.Requests, tpot)
	}
	// Output: 1 to 1 in flight: 1 requests, TPOT 20ms
}
