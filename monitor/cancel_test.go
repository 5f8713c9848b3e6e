package monitor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestARequestThatAWatchdogGivesUpIsATimeout(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		canceled := make(chan bool, 2)
		b.WatchStalls(limits, func(s monitor.Stall) { canceled <- s.Cancel() })
		ctx, cancel := monitor.WithCancel(t.Context())
		defer cancel()
		ctx, rec := b.tracker.Start(ctx, tpot.Request{})
		rec.Observe(textEvent)
		rec.BeginWait()
		<-ctx.Done()
		s := rec.End(ctx.Err()) // as an adapter does, which knows of no cause
		assert.True(t, <-canceled)
		assert.Equal(t, []any{tpot.OutcomeTimeout, "stalled", "timeout"}, []any{s.Outcome, s.Cause, s.ErrorType})
		failures, _ := b.Snapshot()[0].FailureRate()
		assert.Equal(t, 1.0, failures)

		other := b.stream("made with another context")
		b.until(20)
		assert.False(t, <-canceled)
		other.End(nil)
	})
}

func TestARequestThatIsCanceledByItsCallerIsNoTimeout(t *testing.T) {
	ctx, cancel := monitor.WithCancel(t.Context())
	_, rec := new(tpot.Tracker).Start(ctx, tpot.Request{})
	cancel()
	assert.ErrorIs(t, ctx.Err(), context.Canceled)
	assert.Equal(t, tpot.OutcomeCanceled, rec.End(ctx.Err()).Outcome)
}
