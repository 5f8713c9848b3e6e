package monitor_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestAChunkAllocatesNothing(t *testing.T) {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	m.WatchStalls(monitor.StallLimits{FirstToken: time.Hour, Gap: time.Hour}, func(monitor.Stall) {})
	_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		rec.BeginWait()
		rec.Observe(tpot.Event{Kind: tpot.KindText})
	}))
	rec.End(nil)
}

// Beside what its Recorder allocates a request has its list of observations, its flight, its course, which is kept for a while, and, if there is no
// other to its endpoint, the load on that with two names.
func TestTheAllocationsOfARequest(t *testing.T) {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	timed := &tpot.Tracker{Observers: []tpot.Observer{m}}
	without := testing.AllocsPerRun(100, func() { shortRequest(&tpot.Tracker{}) })
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { shortRequest(timed) })-without, 6.0)
	_, another := timed.Start(t.Context(), tpot.Request{Provider: "provider", Model: "model"})
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { shortRequest(timed) })-without, 3.0)
	another.End(nil)
}

func shortRequest(t *tpot.Tracker) {
	_, rec := t.Start(context.Background(), tpot.Request{Provider: "provider", Model: "model"})
	for range 3 {
		rec.Observe(tpot.Event{Kind: tpot.KindText})
	}
	rec.End(nil)
}
