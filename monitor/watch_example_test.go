package monitor_test

import (
	"fmt"
	"io"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func ExampleMonitor_Watch() {
	m := monitor.New(monitor.Config{Window: time.Second})
	defer m.Close()
	breaches := make(chan monitor.Breach)
	m.Watch(monitor.Rule{
		Key:     monitor.Key{Scenario: "chat"},
		Figure:  monitor.TTFT(0.95),
		Limit:   2,   // seconds
		Clear:   1.5, // and back only below this
		Minimum: 3,   // requests in the window
	}, func(b monitor.Breach) { breaches <- b })

	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	for range 3 {
		answer(tracker, chat, 3*time.Second, 10, nil)
	}
	b := <-breaches
	fmt.Println(b.Cleared, b.Value, b.Row.Requests)
	b = <-breaches // the requests have left the window
	fmt.Println(b.Cleared, b.Known)
	// Output:
	// false 3 3
	// true false
}

// A rule that is breached when a share becomes too small.
func ExampleRule() {
	m := monitor.New(monitor.Config{Window: time.Second})
	defer m.Close()
	breaches := make(chan monitor.Breach)
	stop := m.Watch(monitor.Rule{Figure: (*monitor.Row).Goodput, Below: true, Limit: 0.95}, func(b monitor.Breach) { breaches <- b })
	defer stop()
	tracker := &tpot.Tracker{SLO: tpot.SLO{TTFT: time.Second}, Observers: []tpot.Observer{m}}
	answer(tracker, chat, 3*time.Second, 10, nil)
	fmt.Println((<-breaches).Value)
	// Output: 0
}

// What the figure was taken from comes with the call.
func ExampleBreach() {
	m := monitor.New(monitor.Config{Window: time.Second})
	defer m.Close()
	breaches := make(chan monitor.Breach)
	m.Watch(monitor.Rule{Figure: (*monitor.Row).FailureRate, Limit: 0.1}, func(b monitor.Breach) { breaches <- b })
	answer(&tpot.Tracker{Observers: []tpot.Observer{m}}, chat, time.Second, 0, io.ErrUnexpectedEOF)
	b := <-breaches
	fmt.Println(b.Cleared, b.Value, "of", b.Row.Requests, "truncated:", b.Row.Outcomes[tpot.OutcomeTruncated])
	// Output: false 1 of 1 truncated: 1
}

// Figures of one's own: the mean length of an answer.
func ExampleFigure() {
	var tokens monitor.Figure = func(r *monitor.Row) (float64, bool) {
		return float64(r.Tokens) / float64(r.Requests), r.Requests > 0
	}
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	answer(tracker, chat, time.Second, 100, nil)
	answer(tracker, chat, time.Second, 300, nil)
	row := &m.Snapshot()[0]
	fmt.Println(tokens(row))
	fmt.Println(monitor.TTFT(0.95)(row))
	// Output:
	// 200 true
	// 1 true
}
