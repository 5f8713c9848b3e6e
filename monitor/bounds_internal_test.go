package monitor

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// Whatever names requests have, what is kept of them is bounded once they have ended.
func TestWhatIsKeptIsBounded(t *testing.T) {
	m := New(Config{Keys: 3})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	for i := range 1000 {
		name := fmt.Sprint(i)
		_, a := tracker.Start(t.Context(), tpot.Request{Provider: name, Model: name, Scenario: name})
		_, b := tracker.Start(t.Context(), tpot.Request{Model: name})
		a.End(nil)
		b.End(nil)
	}
	assert.Len(t, m.lines, 4)
	assert.Empty(t, m.loads)
	assert.Len(t, m.roster.seats, 2)
	assert.Len(t, m.roster.free, 2)
	for _, b := range m.roster.free {
		assert.Zero(t, b.loss.departure)
	}
	assert.Len(t, m.recent.latest(), recentRequests)
	assert.Equal(t, otherKey, m.recent.latest()[0].key)
}

// An endpoint that always has a request in flight does not hold on to the names of the first, which may be part of a large body.
func TestALoadHasNamesOfItsOwn(t *testing.T) {
	m := New(Config{Keys: 1})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	names := "a provider and a model"
	provider, model := names[2:10], names[17:]
	_, first := tracker.Start(t.Context(), tpot.Request{Provider: provider, Model: model})
	_, second := tracker.Start(t.Context(), tpot.Request{Provider: "provider", Model: "model"})
	_, beyond := tracker.Start(t.Context(), tpot.Request{Provider: provider})
	first.End(nil)
	assert.Equal(t, 1, m.loads[endpoint{"provider", "model"}].inFlight)
	for at := range m.loads {
		assert.NotSame(t, unsafe.StringData(provider), unsafe.StringData(at.provider))
		assert.NotSame(t, unsafe.StringData(model), unsafe.StringData(at.model))
	}
	beyond.End(nil)
	second.End(nil)
	assert.Empty(t, m.loads)
}

func TestTheSeatsOfLostRequestsAreTakenAgain(t *testing.T) {
	m := New(Config{})
	tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
	const forgotten = 10
	for round := 1; round <= 3; round++ {
		for range forgotten {
			tracker.Start(context.Background(), tpot.Request{})
		}
		require.Eventually(t, func() bool {
			runtime.GC()
			return m.Snapshot()[0].Lost == round*forgotten
		}, time.Minute, time.Millisecond)
		assert.LessOrEqual(t, len(m.roster.seats), forgotten)
		assert.Len(t, m.roster.free, len(m.roster.seats))
	}
	for range 2 {
		endAll(startMany(m, forgotten))
	}
	recs := startMany(m, forgotten)
	assert.Len(t, m.roster.flights(nil), forgotten)
	assert.Len(t, m.roster.seats, forgotten)
	endAll(recs)
}

func TestAStallWatchHoldsNoStreamBetweenItsLooks(t *testing.T) {
	m := New(Config{})
	_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
	w := &stallWatch{monitor: m, limits: StallLimits{FirstToken: 1}, fn: func(Stall) {}}
	w.look(t.Context())
	assert.Len(t, w.told, 1)
	assert.Equal(t, []*flight{nil}, w.flights)
	w.told, w.fn = nil, func(Stall) { runtime.Goexit() }
	left := make(chan bool)
	go func() { defer close(left); w.look(t.Context()) }()
	<-left
	assert.Equal(t, []*flight{nil}, w.flights, "nor after a callback that has left the goroutine")
	rec.End(nil)
	w.look(t.Context())
	assert.Empty(t, w.told)
}

// A look that took long because the process stood still is no work, and does not make the next one late.
func TestAStallWatchRestsFromItsWork(t *testing.T) {
	w := &stallWatch{}
	for range 100 {
		w.rest(4 * time.Millisecond)
	}
	assert.Equal(t, 76*time.Millisecond, w.rest(4*time.Millisecond), "of twenty parts one is work")
	assert.Equal(t, 96900*time.Microsecond, w.rest(time.Minute))
	assert.Equal(t, 76*time.Millisecond, w.rest(4*time.Millisecond))
	assert.Equal(t, 19*time.Millisecond, w.rest(time.Millisecond))
	assert.Equal(t, time.Duration(0), w.rest(0))
	assert.LessOrEqual(t, w.rest(time.Minute), 2*time.Millisecond)
}

func TestConcurrencyClasses(t *testing.T) {
	for concurrency, class := range map[float64]int{
		0: 0, 1: 0, 1.49: 0, 1.5: 1, 2: 1, 2.5: 2, 4: 2, 4.4: 2, 4.6: 3, 8: 3, 9: 4, 16384: 14, 32768: 15, 1e9: 15,
	} {
		assert.Equal(t, class, loadClass(concurrency), concurrency)
	}
	for class := range loadClasses {
		from, to := bounds(class)
		assert.Equal(t, []int{class, class}, []int{loadClass(float64(from)), loadClass(float64(to))})
	}
}

func TestTheLatestRequestsComeFirst(t *testing.T) {
	var r recent
	for i := range recentRequests + 7 {
		r.add(finished{tokens: i})
	}
	latest := r.latest()
	assert.Len(t, latest, recentRequests)
	for i, f := range latest {
		assert.Equal(t, recentRequests+6-i, f.tokens)
	}
}
