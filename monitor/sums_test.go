package monitor_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// Offsets that are none, such as times since 1970, make figures that are too large, but none that is negative.
func TestSumsStayAtTheLargestDuration(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		const most = time.Duration(math.MaxInt64)
		for _, step := range []float64{0.5, 0.6, 0.7, 0.8, 1} { // the first four are added up, and then merged with the last
			b.until(step)
			for scenario, holdsUntil := range map[string]time.Duration{"waits": most / 2, "holds": most - 20} {
				_, rec := b.tracker.Start(t.Context(), tpot.Request{Scenario: scenario})
				rec.BeginWaitAt(most / 4)
				rec.ObserveAt(most/2, textEvent)
				rec.BeginWaitAt(holdsUntil)
				rec.ObserveAt(most-10, textEvent)
				rec.EndAt(most-10, nil)
			}
		}
		holds, waits := &b.Snapshot()[0], &b.Snapshot()[1]
		for _, row := range []*monitor.Row{waits, holds} {
			assert.Equal(t, most, row.Setup)
			assert.Equal(t, most, row.Wait)
			waitShare, ok := row.WaitShare()
			assert.True(t, ok)
			assert.Equal(t, 1.0, waitShare)
			ttft, _ := row.Loads()[0].MeanTTFT()
			assert.Equal(t, most/5, ttft, "of five")
			tpot, _ := row.Loads()[0].MeanTPOT()
			assert.Equal(t, most/5, tpot)
		}
		assert.Equal(t, most, holds.Hold)
		assert.Equal(t, most, waits.Stalls.Total)
	})
}
