package monitor

import (
	"context"
	"maps"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// StallLimits is how long a stream may keep its consumer waiting for a chunk. A zero field is no limit.
type StallLimits struct {
	FirstToken time.Duration // for the first chunk, from the request's start
	Gap        time.Duration // for each further one
}

// Stall is a wait for a chunk that is too long already, and goes on.
type Stall struct {
	Context context.Context // the request's: its values are what the caller of Tracker.Start put there, and [tpot.FromContext] has its Recorder
	Wait    time.Duration   // the producer's time since the latest chunk, or the start, so far
	First   bool            // the wait is for the first chunk
	Stats   tpot.Stats      // of the stream so far: whose it is, and how many tokens have come
}

// WatchStalls calls fn once for each wait for a chunk that reaches its limit, while it goes on, until stop is called or the Monitor is
// closed. What counts is the time that the consumer waits for the producer: pings do not break it, and the consumer's own
// hold is not in it. Before the first chunk the time of the call itself counts, too.
//
// A wait is told as it reaches the limit, or at once if it had before the watch began. The streams in flight are looked at when the
// first of them can have, so that a token costs nothing. Two things make it later: looking at very many streams, which takes no more
// than a twentieth of the time; and a consumer who held in the middle of the wait, by up to a twentieth of the limit.
//
// All calls are made on one goroutine, one after the other: while fn runs no other stream is looked at, so fn should cancel ([Stall.Cancel]), or notify,
// and return. A panic of fn goes no further and is counted in [Monitor.Faults]. Stop does not wait for fn, so fn may call it. A nil fn
// panics; without any limit nothing is called.
func (m *Monitor) WatchStalls(l StallLimits, fn func(Stall)) (stop func()) {
	if fn == nil {
		panic("monitor: WatchStalls needs a function")
	}
	open, stop := context.WithCancel(m.open)
	if l.shortest() > 0 {
		m.goOn(open, (&stallWatch{monitor: m, limits: l, fn: fn}).run)
	}
	return stop
}

// shortest is the shortest limit there is, or zero.
func (l StallLimits) shortest() time.Duration {
	if l.FirstToken > 0 && l.Gap > 0 {
		return min(l.FirstToken, l.Gap)
	}
	return max(l.FirstToken, l.Gap, 0)
}

// limit is the limit for the chunk that comes after so many.
func (l StallLimits) limit(chunks int) time.Duration {
	if chunks == 0 {
		return l.FirstToken
	}
	return l.Gap
}

// stallWatch looks at the streams in flight.
type stallWatch struct {
	monitor *Monitor
	limits  StallLimits
	fn      func(Stall)
	flights []*flight // room for the list
	looks   int
	work    time.Duration       // of a look, without calls
	rested  time.Time           // when the next may begin
	told    map[uint64]toldWait // by number of the flight
}

// toldWait is a wait that was told.
type toldWait struct {
	chunks int // before it
	seen   int // the look that it was last open at
}

func (w *stallWatch) run(open context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var bell <-chan struct{}
	for {
		select {
		case <-open.Done():
			return
		case <-bell:
			bell = nil
			timer.Reset(time.Until(w.rested))
		case <-timer.C:
			bell = w.monitor.bell.listen()
			timer.Reset(w.look(open))
		}
	}
}

const (
	restToWork = 19 // the time between two looks is at least as many times what a look takes
	leastWork  = 100 * time.Microsecond
	holdPolls  = 20 // into how many parts a limit is cut to look at a stream whose consumer holds in the middle of a wait
)

// look calls back for every wait that has reached its limit, and returns how long until the next can. That of a request which
// begins meanwhile is the shortest limit away, unless it rings the bell.
func (w *stallWatch) look(open context.Context) time.Duration {
	began, next := time.Now(), w.limits.shortest()
	var calls time.Duration
	w.looks++
	w.flights = w.monitor.roster.flights(w.flights[:0])
	defer clear(w.flights)
	for _, f := range w.flights {
		if open.Err() != nil {
			break
		}
		left, stall := w.check(f)
		next = min(next, left)
		if stall != nil {
			calling := time.Now()
			w.monitor.call(func() { w.fn(*stall) })
			calls += time.Since(calling)
		}
	}
	maps.DeleteFunc(w.told, func(_ uint64, t toldWait) bool { return t.seen != w.looks })
	elapsed := time.Since(began)
	rest := w.rest(elapsed - calls)
	w.rested = began.Add(elapsed + rest)
	return max(next-elapsed, rest, 1)
}

// rest is how long there is to be no look after one that took so long. Where that is much longer than before, the process rather stood still
// or was kept from working: what is taken for work grows by a quarter at a time, and shrinks at once.
func (w *stallWatch) rest(took time.Duration) time.Duration {
	w.work = min(took, w.work+w.work/4+leastWork)
	return w.work * restToWork
}

// check returns the stall that is to be told of a stream, if any, and else how long until there can be one.
func (w *stallWatch) check(f *flight) (left time.Duration, stall *Stall) {
	wait, chunks, waiting := f.rec.OpenGap()
	limit := w.limits.limit(chunks)
	left = limit - wait
	switch told, ok := w.told[f.number]; {
	case limit <= 0:
		return w.limits.shortest(), nil
	case ok && told.chunks == chunks:
		w.told[f.number] = toldWait{chunks, w.looks}
		return limit, nil
	case !waiting:
		return max(left, limit/holdPolls), nil
	case left > 0:
		return left, nil
	}
	if w.told == nil {
		w.told = make(map[uint64]toldWait)
	}
	w.told[f.number] = toldWait{chunks, w.looks}
	return limit, &Stall{Context: f.ctx, Wait: wait, First: chunks == 0, Stats: f.rec.Stats()}
}
