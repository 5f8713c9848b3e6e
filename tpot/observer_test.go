package tpot_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// observerLog is an observer that keeps what it is told. Its calls are serialised by contract, so it needs no lock.
type observerLog struct {
	arrivals []tpot.Arrival
	ends     []tpot.Stats
	stats    bool // ask for Stats at each arrival
	rec      *tpot.Recorder
}

func (l *observerLog) Start(ctx context.Context, _ tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	l.rec = r
	return ctx, l
}

func (l *observerLog) Observe(a tpot.Arrival) {
	l.arrivals = append(l.arrivals, a)
	if l.stats {
		l.rec.Stats()
		l.rec.Waiting()
	}
}

func (l *observerLog) End(s tpot.Stats) { l.ends = append(l.ends, s) }

// panicking is an observer that panics: when it starts, or else ever after.
type panicking struct{ start bool }

func (p panicking) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	if p.start {
		panic("Start")
	}
	return ctx, p
}

func (panicking) Observe(tpot.Arrival) { panic("Observe") }
func (panicking) End(tpot.Stats)       { panic("End") }

func TestObserversAreToldOfEveryEventInOrder(t *testing.T) {
	log := &observerLog{stats: true}
	_, r := (&tpot.Tracker{Observers: []tpot.Observer{log}}).Start(t.Context(), tpot.Request{})
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }

	r.BeginWaitAt(ms(5))
	r.ObserveAt(ms(50), tpot.Event{Kind: tpot.KindRole, Model: "m"})
	r.BeginWaitAt(ms(60))
	r.ObserveAt(ms(100), tpot.Event{Kind: tpot.KindText, Tokens: 2})
	r.BeginWaitAt(ms(110))
	r.ObserveAt(ms(120), tpot.Event{Kind: tpot.KindPing})
	r.BeginWaitAt(ms(130))
	r.ObserveAt(ms(140), tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(ms(150))
	r.ObserveAt(ms(160), tpot.Event{Kind: tpot.KindText, Choice: 1})
	r.EndAt(ms(170), nil)

	type seen struct {
		at, gap, wait time.Duration
		chunk, first  bool
		hasGap, stall bool
		model         string
	}
	var got []seen
	for _, a := range log.arrivals {
		got = append(got, seen{a.At, a.Gap, a.Wait, a.Chunk, a.First, a.HasGap, a.Stall, a.Model})
	}
	assert.Equal(t, []seen{
		{at: ms(50), wait: ms(45), model: "m"},
		{at: ms(100), wait: ms(85), chunk: true, first: true, model: "m"},
		{at: ms(120), wait: ms(10), model: "m"},
		{at: ms(140), gap: ms(40), wait: ms(20), chunk: true, hasGap: true, model: "m"},
		{at: ms(160), wait: ms(10), chunk: true, model: "m"}, // the first of its choice
	}, got)
	assert.Equal(t, 2, log.arrivals[1].Event.Tokens)
	assert.Len(t, log.ends, 1)
	assert.Equal(t, r.Stats(), log.ends[0])
}

func TestObserversAreToldOfStallsAndOfGapsOfZero(t *testing.T) {
	log := &observerLog{}
	_, r := (&tpot.Tracker{Stall: 100 * time.Millisecond, Observers: []tpot.Observer{log}}).Start(t.Context(), tpot.Request{})
	text := tpot.Event{Kind: tpot.KindText}
	r.ObserveAt(time.Second, text) // however long the first token takes, it is no stall
	r.ObserveAt(time.Second, text)
	r.ObserveAt(1050*time.Millisecond, tpot.Event{Kind: tpot.KindPing})
	r.ObserveAt(1100*time.Millisecond, text)
	r.ObserveAt(1199*time.Millisecond, text)
	r.ObserveAt(1400*time.Millisecond, tpot.Event{Kind: tpot.KindError})
	r.ObserveAt(1410*time.Millisecond, text) // the wait before the error was told of with it
	r.EndAt(1410*time.Millisecond, nil)

	type seen struct {
		gap           time.Duration
		hasGap, stall bool
	}
	var got []seen
	stalls := 0
	for _, a := range log.arrivals {
		got = append(got, seen{a.Gap, a.HasGap, a.Stall})
		if a.Stall {
			stalls++
		}
	}
	assert.Equal(t, []seen{
		{}, {hasGap: true}, {}, {gap: 100 * time.Millisecond, hasGap: true, stall: true}, {gap: 99 * time.Millisecond, hasGap: true}, {stall: true},
		{gap: 211 * time.Millisecond, hasGap: true},
	}, got)
	assert.Equal(t, log.ends[0].Stalls.Count, stalls)
}

// Whatever comes between two chunks, a wait for the second that is long enough is a stall, once.
func TestAnErrorEventHidesNoStall(t *testing.T) {
	for name, c := range map[string]struct {
		errors []time.Duration // after the first chunk; the next comes at 4 s
		want   int
	}{
		"none":                    {nil, 1},
		"one at the end":          {[]time.Duration{3900 * time.Millisecond}, 1},
		"two, far apart":          {[]time.Duration{100 * time.Millisecond, 3900 * time.Millisecond}, 1},
		"many, each soon":         {[]time.Duration{400 * time.Millisecond, 800 * time.Millisecond, 1200 * time.Millisecond, 3600 * time.Millisecond}, 1},
		"two that came at once":   {[]time.Duration{time.Millisecond, time.Millisecond}, 1},
		"two, at once, at 3900ms": {[]time.Duration{3900 * time.Millisecond, 3900 * time.Millisecond}, 1},
	} {
		r := tpot.Start(t.Context())
		r.ObserveAt(0, tpot.Event{Kind: tpot.KindText})
		for _, at := range c.errors {
			r.ObserveAt(at, tpot.Event{Kind: tpot.KindError})
		}
		r.ObserveAt(4*time.Second, tpot.Event{Kind: tpot.KindText})
		s := r.EndAt(4*time.Second, nil)
		assert.Equal(t, c.want, s.Stalls.Count, name)
	}
}

// A stall is told of by its gap: 800 ms between two chunks are one, an error between them or not.
func TestAWaitThatAnErrorEventCutsInTwoIsAStall(t *testing.T) {
	r := tpot.Start(t.Context())
	r.ObserveAt(0, tpot.Event{Kind: tpot.KindText})
	r.ObserveAt(400*time.Millisecond, tpot.Event{Kind: tpot.KindError})
	r.ObserveAt(800*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	s := r.EndAt(800*time.Millisecond, nil)
	assert.Equal(t, 1, s.Stalls.Count)
}

// endLog is an observer of the end alone. Its Observe must not be called.
type endLog struct {
	tpot.EndOnly
	ends []tpot.Stats
}

func (l *endLog) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, l
}

func (*endLog) Observe(tpot.Arrival) { panic("Observe") }

func (l *endLog) End(s tpot.Stats) { l.ends = append(l.ends, s) }

func TestWhoWantsOnlyTheEndIsToldOfNothingElse(t *testing.T) {
	for _, order := range []string{"e", "ee", "eo", "oe", "eoeo", "ooee"} {
		tracker := &tpot.Tracker{}
		var logs []*observerLog
		var ends []*endLog
		for _, kind := range order {
			if kind == 'o' {
				logs = append(logs, &observerLog{})
				tracker.Observers = append(tracker.Observers, logs[len(logs)-1])
			} else {
				ends = append(ends, &endLog{})
				tracker.Observers = append(tracker.Observers, ends[len(ends)-1])
			}
		}
		_, r := tracker.Start(t.Context(), tpot.Request{})
		for range 3 {
			r.Observe(tpot.Event{Kind: tpot.KindText})
		}
		s := r.End(nil)
		assert.Zero(t, s.Faults, order)
		for _, log := range logs {
			assert.Len(t, log.arrivals, 3, order)
			assert.Equal(t, []tpot.Stats{s}, log.ends, order)
		}
		for _, end := range ends {
			assert.Equal(t, []tpot.Stats{s}, end.ends, order)
		}
	}
}

// blocking is an observer that is held up in its first event.
type blocking struct {
	observerLog
	busy chan struct{}
}

func (b *blocking) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, b
}

func (b *blocking) Observe(tpot.Arrival) { <-b.busy }

func TestEndsThatWaitForAnObserverAreOneEnd(t *testing.T) {
	log := &blocking{busy: make(chan struct{})}
	_, r := (&tpot.Tracker{Observers: []tpot.Observer{log}}).Start(t.Context(), tpot.Request{})
	var all sync.WaitGroup
	all.Go(func() { r.Observe(tpot.Event{Kind: tpot.KindText}) })
	for r.Stats().Chunks == 0 { // readers do not wait for the observer
		runtime.Gosched()
	}
	for range 3 {
		all.Go(func() { r.End(tpot.EarlyClose) })
	}
	close(log.busy)
	all.Wait()
	assert.Len(t, log.ends, 1)
}

// chained is an observer that puts a value into the context, or declines.
type chained struct {
	name    string
	decline bool
	saw     *[]any
}

type chainKey struct{}

func (c chained) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	*c.saw = append(*c.saw, ctx.Value(chainKey{}), req.Model, tpot.FromContext(ctx) == r)
	if c.decline {
		return nil, nil
	}
	return context.WithValue(ctx, chainKey{}, c.name), &observerLog{}
}

func TestTrackerStartCarriesTheRecorderAndWhatObserversAdd(t *testing.T) {
	var saw []any
	tracker := &tpot.Tracker{Observers: []tpot.Observer{
		chained{name: "a", saw: &saw}, chained{decline: true, saw: &saw}, chained{name: "c", saw: &saw},
	}}
	ctx, r := tracker.Start(t.Context(), tpot.Request{Model: "m"})
	assert.Same(t, r, tpot.FromContext(ctx))
	assert.Equal(t, "c", ctx.Value(chainKey{}))
	assert.Equal(t, []any{nil, "m", true, "a", "m", true, "a", "m", true}, saw)
	assert.Equal(t, "m", r.Stats().Request.Model)
}

func TestNilTrackerStartsAsStart(t *testing.T) {
	var tracker *tpot.Tracker
	ctx, r := tracker.Start(t.Context(), tpot.Request{Scenario: "chat"})
	assert.Same(t, r, tpot.FromContext(ctx))
	assert.Equal(t, "chat", r.Stats().Request.Scenario)
	assert.Nil(t, tpot.FromContext(t.Context()))
	var none context.Context // must not panic
	assert.Nil(t, tpot.FromContext(none))
	_, r = tracker.Start(none, tpot.Request{})
	assert.Equal(t, tpot.OutcomeOK, r.End(nil).Outcome)
}
