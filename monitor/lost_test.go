package monitor_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// A program that forgets End must not grow the Monitor, nor keep requests in flight that are gone.
func TestARecorderThatIsDroppedWithoutEnd(t *testing.T) {
	m := monitor.New(monitor.Config{})
	defer m.Close()
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	_, kept := tracker.Start(t.Context(), tpot.Request{})
	const forgotten = 100
	var ended [forgotten]*tpot.Recorder
	for i := range ended {
		_, ended[i] = tracker.Start(t.Context(), tpot.Request{})
	}
	for _, rec := range ended {
		rec.End(nil)
	}
	for range forgotten {
		tracker.Start(context.Background(), tpot.Request{})
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return m.Snapshot()[0].Lost == forgotten
	}, time.Minute, time.Millisecond)
	row := &m.Snapshot()[0]
	assert.Equal(t, []int{1, forgotten}, []int{row.InFlight, row.Requests})
	kept.End(nil)
	row = &m.Snapshot()[0]
	assert.Equal(t, []int{0, forgotten + 1, forgotten}, []int{row.InFlight, row.Requests, row.Lost})
	lost := tablesOf(section(t, get(t, m, "/"), "details"))[1].row(t, "lost: dropped without End")
	assert.Equal(t, map[string]string{"Requests": "100", "Share": "–"}, lost)
	runtime.KeepAlive(kept)
	runtime.KeepAlive(&ended)
}

// Nothing that waits for lost requests may keep a Monitor that nobody uses any more.
func TestAMonitorThatIsDroppedIsFreed(t *testing.T) {
	freed := make(chan struct{})
	func() {
		m := monitor.New(monitor.Config{})
		runtime.AddCleanup(m, func(struct{}) { close(freed) }, struct{}{})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		for range 10 {
			tracker.Start(context.Background(), tpot.Request{})
		}
		_, rec := tracker.Start(context.Background(), tpot.Request{})
		rec.End(nil)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-freed:
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond)
}
