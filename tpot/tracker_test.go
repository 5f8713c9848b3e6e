package tpot_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

func TestTheFiguresOfARequestCountFromWhenItWasDue(t *testing.T) {
	const queued = 3 * time.Second
	for name, c := range map[string]struct {
		due  func(now time.Time) time.Time
		ttft time.Duration
	}{
		"now":     {func(now time.Time) time.Time { return now }, time.Second},
		"earlier": {func(now time.Time) time.Time { return now.Add(-queued) }, queued + time.Second},
		"never":   {func(time.Time) time.Time { return time.Time{} }, time.Second},
		"later":   {func(now time.Time) time.Time { return now.Add(queued) }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				var tracker *tpot.Tracker
				ctx, rec := tracker.StartAt(t.Context(), c.due(now), tpot.Request{Model: "m"})
				assert.Same(t, rec, tpot.FromContext(ctx))
				assert.Equal(t, c.ttft-time.Second, rec.Elapsed())
				time.Sleep(time.Second)
				wait, _, _ := rec.OpenGap()
				assert.Equal(t, c.ttft, wait)
				rec.Observe(tpot.Event{Kind: tpot.KindText})
				time.Sleep(time.Second)
				s := rec.End(nil)

				ttft, ok := s.TTFT()
				assert.True(t, ok)
				assert.Equal(t, c.ttft, ttft)
				e2e, _ := s.E2E()
				assert.Equal(t, c.ttft+time.Second, e2e)
				assert.Equal(t, "m", s.Request.Model)
				assert.Equal(t, now.Add(time.Second-c.ttft), s.Start)
			})
		})
	}
}

func TestFiguresAreOnTheMonotonicClockEvenIfTheTimeDueIsNot(t *testing.T) {
	due := time.Now().Add(-time.Hour).Round(0)
	_, rec := new(tpot.Tracker).StartAt(t.Context(), due, tpot.Request{})
	start := rec.Stats().Start
	assert.NotEqual(t, start.Round(0), start, "it has a reading of the monotonic clock")
	assert.GreaterOrEqual(t, rec.Elapsed(), time.Hour)
}
