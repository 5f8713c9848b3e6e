package monitor_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// Everything at once, for the race detector, while windows slide; no request is lost or counted twice.
func TestEverythingAtOnce(t *testing.T) {
	const goroutines, requests = 8, 150
	m := monitor.New(monitor.Config{Window: 12 * time.Millisecond, Keys: 3})
	all := monitor.New(monitor.Config{Window: time.Hour, Keys: 3})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m, all}}
	done := make(chan bool)
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				rows := m.Snapshot()
				for i := range rows {
					rows[i].TTFT.Observe(1) // it is the caller's own
				}
				stop := m.Watch(monitor.Rule{Figure: monitor.TTFT(0.5)}, func(monitor.Breach) { m.Snapshot() })
				stopStalls := m.WatchStalls(monitor.StallLimits{FirstToken: 1, Gap: 1}, func(s monitor.Stall) {
					tpot.FromContext(s.Context).Stats()
				})
				runtime.Gosched()
				stop()
				stopStalls()
			}
		})
	}
	for g := range goroutines {
		writers.Go(func() {
			for i := range requests {
				_, rec := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint((g + i) % 5)})
				rec.BeginWait()
				rec.Observe(tpot.Event{Kind: tpot.KindText, Model: "answered"})
				rec.BeginWait()
				var ends sync.WaitGroup
				for range 3 {
					ends.Go(func() { rec.End(nil) })
				}
				ends.Wait()
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	assert.NoError(t, m.Close())
	ended, inFlight := 0, 0
	for _, row := range all.Snapshot() {
		ended += row.Requests
		inFlight += row.InFlight
	}
	assert.Equal(t, []int{goroutines * requests, 0}, []int{ended, inFlight})
	for _, row := range m.Snapshot() {
		assert.Zero(t, row.InFlight)
	}
	assert.Zero(t, m.Faults())
}
