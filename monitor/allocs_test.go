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

// Beside what its Recorder allocates a request has its list of observations, its flight, its course, which is kept for a while, and the
// load on its endpoint if no other request has one.
func TestTheAllocationsOfARequest(t *testing.T) {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	timed := &tpot.Tracker{Observers: []tpot.Observer{m}}
	without := testing.AllocsPerRun(100, func() { shortRequest(&tpot.Tracker{}) })
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { shortRequest(timed) })-without, 4.0)
	_, another := timed.Start(t.Context(), tpot.Request{})
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { shortRequest(timed) })-without, 3.0)
	another.End(nil)
}

func shortRequest(t *tpot.Tracker) {
	_, rec := t.Start(context.Background(), tpot.Request{})
	for range 3 {
		rec.Observe(tpot.Event{Kind: tpot.KindText})
	}
	rec.End(nil)
}
