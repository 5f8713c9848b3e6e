package monitor

import (
	"cmp"
	"context"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// flight is a request in flight. Its Recorder holds it, and it the Recorder, but the Monitor holds neither: a Recorder that is dropped
// without End is then found by the garbage collector.
type flight struct {
	tpot.EndOnly // what there is to know of a stream on its way its Recorder knows
	monitor      *Monitor
	ctx          context.Context
	rec          *tpot.Recorder
	departure
	berth *berth // until it has ended
}

// departure is what is to be undone when a flight ends.
type departure struct {
	number uint64 // of all that have begun
	line   *line
	load   *load
	at     endpoint
	since  time.Duration // since the Monitor was made
	area   uint64        // of the load
}

// Start implements [tpot.Observer].
func (m *Monitor) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	f := &flight{monitor: m, ctx: ctx, rec: r, departure: m.depart(keyOf(&req))}
	m.roster.board(f)
	if r.Elapsed() > alreadyOld {
		m.bell.ring()
	}
	return ctx, f
}

// depart counts a request as in flight.
func (m *Monitor) depart(k Key) departure {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	l := m.line(k, m.number(now))
	l.inFlight++
	if k == l.key {
		k = l.key
	} else {
		k = k.clone() // the load may outlive the request, whose names may be part of a body
	}
	at := endpoint{k.Provider, k.Model}
	on := m.loads[at]
	if on == nil {
		on = new(load)
		m.loads[at] = on
	}
	m.begun++
	return departure{number: m.begun, line: l, load: on, at: at, since: now, area: on.change(now, 1)}
}

// End implements [tpot.Observation].
func (f *flight) End(s tpot.Stats) {
	m := f.monitor
	m.roster.leave(f)
	k := keyOf(&s.Request)
	k.Model = cmp.Or(k.Model, name(s.Model))
	done := finish(&s)

	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	concurrency := m.arrive(&f.departure, now)
	number := m.number(now)
	l := f.line
	if l.key != k { // its answer has named the model, or there was no room for it
		if l.idle(number) {
			delete(m.lines, l.key)
		}
		l = m.line(k, number)
	}
	l.window.at(number).add(&s, &done, concurrency)
	done.key = l.key
	m.recent.add(done)
}

// arrive counts a request as in flight no longer and returns the mean number in flight meanwhile. The caller holds the lock.
func (m *Monitor) arrive(d *departure, now time.Duration) float64 {
	d.line.inFlight--
	concurrency := float64(d.load.inFlight)
	area := d.load.change(now, -1) - d.area
	if took := now - d.since; took > 0 {
		concurrency = float64(area) / float64(took)
	}
	if d.load.inFlight == 0 {
		delete(m.loads, d.at)
	}
	return concurrency
}

// count counts a request as lost whose Recorder was dropped without End.
func (l *loss) count() {
	m := l.monitor.Value()
	if m == nil {
		return
	}
	d := m.roster.lose(l, m)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.arrive(&d, now)
	d.line.window.at(m.number(now)).Lost++
}
