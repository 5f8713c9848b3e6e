package monitor_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// A request whose figures all differ: TTFT 100, TTFO 200 ms, gaps of 100, 700 and 900 ms of which the last brings three tokens, E2E 2 s; and
// one with a single gap of 50 ms.
func twoRequests(ctx context.Context, b *bench) {
	_, rec := b.tracker.Start(ctx, tpot.Request{Provider: "p", Model: "m", Scenario: "s"})
	rec.BeginWaitAt(20 * ms)
	rec.ObserveAt(100*ms, tpot.Event{Kind: tpot.KindReasoning, Tokens: 1})
	for _, e := range []struct {
		at     time.Duration
		tokens int
	}{{200 * ms, 1}, {900 * ms, 1}, {1800 * ms, 3}} {
		rec.BeginWaitAt(0)
		rec.ObserveAt(e.at, tpot.Event{Kind: tpot.KindText, Tokens: e.tokens})
	}
	rec.EndAt(2*time.Second, nil)
	_, rec = b.tracker.Start(ctx, tpot.Request{Provider: "p", Model: "m", Scenario: "s"})
	rec.ObserveAt(100*ms, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	rec.ObserveAt(150*ms, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	rec.EndAt(150*ms, nil)
}

func TestFigures(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		twoRequests(t.Context(), b)
		row := &b.Snapshot()[0]
		for name, c := range map[string]struct {
			figure monitor.Figure
			want   float64
		}{
			"TTFT":          {monitor.TTFT(1), 0.1},
			"TTFO":          {monitor.TTFO(1), 0.2},
			"TPOT, least":   {monitor.TPOT(0), 0.05},
			"TPOT, most":    {monitor.TPOT(1), 0.34}, // 1700 ms, 5 tokens
			"TPOT, median":  {monitor.TPOT(0.5), 0.195},
			"ITL, most":     {monitor.ITL(1), 0.7},
			"ITL, median":   {monitor.ITL(0.5), 0.3}, // 50, 100, 300, 300, 300, 700
			"E2E":           {monitor.E2E(1), 2},
			"longest stall": {monitor.LongestStall, 0.9}, // of two
		} {
			got, ok := c.figure(row)
			assert.True(t, ok, name)
			assert.InEpsilon(t, c.want, got, 0.02, name)
		}
		_, rec := b.tracker.Start(t.Context(), tpot.Request{Scenario: "no chunk"})
		rec.End(nil)
		_, rec = b.tracker.Start(t.Context(), tpot.Request{Scenario: "no stall"})
		rec.Observe(textEvent)
		rec.End(nil)
		for _, row := range b.Snapshot() {
			longest, ok := monitor.LongestStall(&row)
			switch row.Scenario {
			case "no chunk":
				assert.False(t, ok)
			case "no stall":
				assert.True(t, ok)
				assert.Zero(t, longest)
			}
		}
	})
}

func TestSharesOfWhatDoesNotExist(t *testing.T) {
	var row monitor.Row
	for _, share := range []func() (float64, bool){
		func() (float64, bool) { return row.OutcomeShare(tpot.OutcomeFailed + 1) },
		func() (float64, bool) { return row.SourceShare(tpot.SourceChunks + 1) },
		func() (float64, bool) { return row.OutcomeShare(tpot.OutcomeOK) },
		func() (float64, bool) { return row.SourceShare(tpot.SourceReported) },
		row.RequestsPerMinute, row.TokensPerSecond, row.GoodPerMinute, row.Goodput, row.StallRate, row.FailureRate, row.WaitShare, row.HoldShare,
		row.Concurrency,
	} {
		value, ok := share()
		assert.False(t, ok)
		assert.Zero(t, value)
	}
	assert.Empty(t, row.Loads())
}

// Rates of requests that ended before any time has passed are absent, and no infinity.
func TestRatesOfNoTime(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.requests(1, ms)
		row := &b.Snapshot()[0]
		_, ok := row.RequestsPerMinute()
		assert.False(t, ok)
		_, ok = row.TokensPerSecond()
		assert.False(t, ok)
		text, err := json.Marshal(row)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "per_minute")
	})
}
