package monitor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestARowHasTheFiguresOfItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{})
		defer m.Close()
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		_, rec := tracker.Start(t.Context(), tpot.Request{Provider: "p", Model: "m", Scenario: "chat"})
		time.Sleep(100 * time.Millisecond)
		rec.Observe(tpot.Event{Kind: tpot.KindText})
		require.Equal(t, 1, m.Snapshot()[0].InFlight)
		time.Sleep(50 * time.Millisecond)
		rec.Observe(tpot.Event{Kind: tpot.KindText})
		rec.End(nil)

		rows := m.Snapshot()
		require.Len(t, rows, 1)
		row := &rows[0]
		assert.Equal(t, monitor.Key{Provider: "p", Model: "m", Scenario: "chat"}, row.Key)
		assert.Equal(t, 0, row.InFlight)
		assert.Equal(t, 1, row.Requests)
		ttft, ok := row.TTFT.Mean()
		assert.True(t, ok)
		assert.Equal(t, 100*time.Millisecond, ttft)
		perMinute, ok := row.RequestsPerMinute()
		assert.True(t, ok)
		assert.InDelta(t, 400, perMinute, 1e-9, "one in 150 ms")
	})
}

// A row covers the whole Window also where that is not a multiple of its steps.
func TestARowCoversTheWindow(t *testing.T) {
	const odd = 12*time.Second + 11
	inBubble(t, monitor.Config{Window: odd}, func(t *testing.T, b *bench) {
		time.Sleep(time.Second - 1)
		b.requests(1, ms)
		time.Sleep(odd)
		require.Len(t, b.Snapshot(), 1)
		assert.GreaterOrEqual(t, b.Snapshot()[0].Span, odd)
	})
}
