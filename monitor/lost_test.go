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
	_, ended := tracker.Start(t.Context(), tpot.Request{})
	ended.End(nil)
	const forgotten = 100
	for range forgotten {
		tracker.Start(context.Background(), tpot.Request{})
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return m.Snapshot()[0].Lost == forgotten
	}, time.Minute, time.Millisecond)
	row := &m.Snapshot()[0]
	assert.Equal(t, []int{1, 1}, []int{row.InFlight, row.Requests})
	kept.End(nil)
	row = &m.Snapshot()[0]
	assert.Equal(t, []int{0, 2, forgotten}, []int{row.InFlight, row.Requests, row.Lost})
	runtime.KeepAlive(kept)
}
