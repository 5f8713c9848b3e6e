package monitor_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// Each request misses just one limit, and there is another of the kind in another step.
func TestMissesByLimit(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.tracker.Scenarios = map[string]tpot.SLO{
			"TTFT": {TTFT: 99 * ms, E2E: time.Second}, "TTFO": {TTFO: 199 * ms, E2E: time.Second}, "TPOT": {TPOT: 99 * ms, E2E: time.Second},
			"ITL99": {ITL99: 99 * ms, E2E: time.Second}, "stall": {Stall: 99 * ms, E2E: time.Second}, "E2E": {TTFT: time.Second, E2E: 399 * ms},
			"end": {E2E: time.Second}, "none": {TTFT: 100 * ms, TTFO: 200 * ms, TPOT: 100 * ms, ITL99: 101 * ms, Stall: 100 * ms, E2E: 400 * ms},
		}
		for range 2 {
			for scenario := range b.tracker.Scenarios {
				_, rec := b.tracker.Start(t.Context(), tpot.Request{Scenario: scenario})
				rec.ObserveAt(100*ms, tpot.Event{Kind: tpot.KindReasoning})
				rec.ObserveAt(200*ms, textEvent)
				rec.ObserveAt(300*ms, textEvent)
				if scenario == "end" {
					rec.EndAt(400*ms, errors.New("no more"))
				} else {
					rec.EndAt(400*ms, nil)
				}
			}
			b.until(1)
		}
		for _, row := range b.Snapshot() {
			want := map[string]monitor.Misses{
				"TTFT": {TTFT: 2}, "TTFO": {TTFO: 2}, "TPOT": {TPOT: 2}, "ITL99": {ITL99: 2}, "stall": {Stall: 2}, "E2E": {E2E: 2}, "end": {End: 2},
			}[row.Scenario]
			assert.Equal(t, want, row.Misses, row.Scenario)
			assert.Equal(t, row.Scenario == "none", row.Good == 2, row.Scenario)
			assert.Equal(t, 2, row.Good+row.Missed, row.Scenario)
		}
	})
}
