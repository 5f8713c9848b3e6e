package monitor

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// The garbage collector's goroutine is in no bubble, and ends there what is complete like anybody else.
func TestARequestThatIsEndedOutsideOfItsBubble(t *testing.T) {
	ends, ended := make(chan *tpot.Recorder), make(chan bool)
	go func() {
		for rec := range ends {
			rec.End(tpot.Abandoned)
			ended <- true
		}
	}()
	defer close(ends)
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{Window: steps * time.Second})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		for range 2 {
			_, rec := tracker.Start(t.Context(), tpot.Request{})
			time.Sleep(time.Second)
			rec.Observe(tpot.Event{Kind: tpot.KindText | tpot.KindFinish})
			time.Sleep(time.Second)
			m.Snapshot()
			ends <- rec
			<-ended
		}
		row := &m.Snapshot()[0]
		assert.Equal(t, 2, row.Outcomes[tpot.OutcomeOK])
		assert.Equal(t, 4*time.Second, row.Span)
		concurrency, _ := row.Concurrency()
		assert.Equal(t, 1.0, concurrency)
		time.Sleep(11 * time.Second)
		assert.Equal(t, 1, m.Snapshot()[0].Requests, "the first has left the window")
	})
}

// What is found long after anything else has happened counts from then on.
func TestRequestsThatAreFoundToBeGoneAfterAQuietTime(t *testing.T) {
	m := New(Config{})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	_, abandoned := tracker.Start(context.Background(), tpot.Request{})
	tracker.Start(context.Background(), tpot.Request{Model: "lost"})
	lost := m.lines[Key{Model: "lost"}]
	m.began = m.began.Add(-time.Hour)
	require.Eventually(t, func() bool {
		runtime.GC()
		m.mu.Lock()
		defer m.mu.Unlock()
		return lost.inFlight == 0
	}, time.Minute, time.Millisecond)
	assert.Equal(t, 1, m.Snapshot()[1].Lost)
	tracker.Start(context.Background(), tpot.Request{})
	assert.Len(t, m.roster.seats, 2, "the seat of the lost one is used again")
	m.began = m.began.Add(-time.Hour)
	abandoned.End(tpot.Abandoned)
	assert.Equal(t, 1, m.Snapshot()[0].Requests)
}

// A Monitor that lives longer than a test's bubble has its own time, which never goes back.
func TestAMonitorOfAnotherClock(t *testing.T) {
	for name, c := range map[string]struct {
		inside   bool
		requests int
	}{
		"made outside of the bubble": {false, 5},
		"made inside":                {true, 4}, // the first has left the window
	} {
		t.Run(name, func(t *testing.T) {
			m, inside := New(Config{}), c.inside
			use := func(t *testing.T) {
				if inside {
					m = New(Config{})
				}
				_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
				time.Sleep(time.Millisecond)
				rec.End(nil)
			}
			synctest.Test(t, func(t *testing.T) {
				use(t)
				time.Sleep((steps + 1) * defaultWindow / steps)
				inside = false
				use(t) // in the place of the step that the second bubble begins in
			})
			synctest.Test(t, use) // begins where the first bubble did
			use(t)
			use(t)
			row := &m.Snapshot()[0]
			assert.Equal(t, c.requests, row.Requests)
			concurrency, _ := row.Concurrency()
			assert.Equal(t, 1.0, concurrency)
			assert.Less(t, row.Span, defaultWindow+time.Minute)
		})
	}
}
