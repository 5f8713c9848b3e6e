package tpot_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// ender is an observer that gives the Recorder to somebody who ends the request before all observers have started, as a watchdog may.
type ender struct{ *observerLog }

func (e ender) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	done := make(chan bool)
	go func() {
		defer close(done)
		r.Observe(tpot.Event{Kind: text})
		r.End(tpot.EarlyClose)
	}()
	<-done
	return e.observerLog.Start(ctx, req, r)
}

// quietEnds is an observer that wants no events.
type quietEnds struct {
	tpot.EndOnly
	log *observerLog
}

func (l quietEnds) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, l
}
func (l quietEnds) End(s tpot.Stats) { l.log.End(s) }

func TestARequestThatEndsWhileItsObserversStart(t *testing.T) {
	logs := []*observerLog{{}, {}, {}, {}}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{logs[0], quietEnds{log: logs[1]}, ender{logs[2]}, logs[3]}}
	_, r := tracker.Start(t.Context(), tpot.Request{})
	r.Observe(tpot.Event{Kind: text})
	r.End(nil)
	for i, log := range logs {
		if assert.Len(t, log.ends, 1, "each is told of the end once: %d", i) {
			assert.Equal(t, tpot.OutcomeCanceled, log.ends[0].Outcome)
			assert.Equal(t, 1, log.ends[0].Chunks)
		}
	}
}
