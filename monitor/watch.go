package monitor

import (
	"context"
	"math"
	"time"
)

// Rule says when a figure is beyond a limit: above it or, with Below, below it. A figure equal to the limit is not beyond.
type Rule struct {
	Name string // for the callback, if it wants one

	// Key is whose requests are looked at. An empty field means any, and the requests of all keys that match are taken together. Those
	// that a Monitor has under [Other] match only an empty field, or Other.
	Key Key

	Figure Figure
	Limit  float64 // in the unit of Figure, for durations seconds
	Below  bool    // small is bad, as for a goodput

	// Clear is the limit for the way back, so that a figure close to Limit does not go back and forth: a breach is over when the
	// figure is not beyond Clear. Zero, or beyond Limit: Limit.
	Clear float64

	// For is how long the figure has to be beyond Limit without a break before it is a breach, and then not beyond Clear before the breach is
	// over. Zero: no time.
	For time.Duration

	// Window is the time that the figure is taken over, in whole steps of the Monitor's: as much as Config.Window, a twelfth of it at least. Zero, or
	// more than that: Config.Window.
	Window time.Duration

	// Minimum is how many requests must have ended within the window for the figure to be known. Where it is not known, for that or because
	// no request has it, no breach begins. One that has begun goes on, as long as there is traffic: so many requests, or one if
	// Minimum is zero, that have ended within the window or are in flight. When traffic ceases, because it was sent elsewhere say, the breach is over.
	Minimum int
}

// Breach is what a [Rule]'s callback is told.
type Breach struct {
	Rule    Rule
	Cleared bool      // the breach is over; else it begins
	Since   time.Time // of the look that found the figure beyond the limit, or back; at least Rule.For ago
	Value   float64   // of the figure now; zero where it is not known
	Known   bool      // the figure is known
	Row     *Row      // what the figure was taken from, the callback's own
}

// mostOften is how often a rule is looked at: every second, or every step of a window where that is shorter.
const mostOften = time.Second

// Watch calls fn when the rule is breached, and again when the breach is over, and so on until stop is called or the Monitor is closed. The
// rule is looked at every second, or every step of Config.Window if that is shorter, counted from now.
//
// A rule has a goroutine of its own, on which fn is called: while that runs the rule is not looked at, and what has come and gone meanwhile
// is not told. A panic of fn, or of the rule's Figure, goes no further and is counted in [Monitor.Faults]. Stop does not wait for fn, so fn may
// call it. A nil fn or Figure panics.
func (m *Monitor) Watch(r Rule, fn func(Breach)) (stop func()) {
	if fn == nil || r.Figure == nil {
		panic("monitor: Watch needs a Figure and a function")
	}
	open, stop := context.WithCancel(m.open)
	tell := func(b Breach) {
		if open.Err() == nil { // it may have ended during the look
			fn(b)
		}
	}
	m.goOn(open, newRuleWatch(m, r, tell).run)
	return stop
}

// ruleWatch is a rule with how it stands.
type ruleWatch struct {
	monitor  *Monitor
	rule     Rule
	fn       func(Breach)
	last     int64 // whole steps of its window
	began    time.Time
	every    time.Duration // it is looked at
	breached bool
	turning  bool // the figure says otherwise
	since    time.Time
}

func newRuleWatch(m *Monitor, r Rule, fn func(Breach)) *ruleWatch {
	r.Key = r.Key.cut()
	last := int64((r.Window + m.step - 1) / m.step)
	if last <= 0 || last > steps {
		last = steps
	}
	return &ruleWatch{monitor: m, rule: r, fn: fn, last: last, began: time.Now(), every: min(mostOften, m.step)}
}

func (w *ruleWatch) run(open context.Context) {
	timer := time.NewTimer(w.every)
	defer timer.Stop()
	for {
		select {
		case <-open.Done():
			return
		case <-timer.C:
			w.look()
			timer.Reset(w.every - time.Since(w.began)%w.every)
		}
	}
}

// look takes the figure and, if it has been saying otherwise for long enough, calls back. A timer is always a bit late, once more
// than another time, so the look counts as at the time when it was due.
func (w *ruleWatch) look() {
	now := w.began.Add(time.Since(w.began).Truncate(w.every))
	row := w.monitor.row(w.rule.Key, w.last)
	value, known := w.figure(row)
	if !w.turns(row, value, known) {
		w.turning = false
		return
	}
	if !w.turning {
		w.turning, w.since = true, now
	}
	if now.Sub(w.since) < w.rule.For {
		return
	}
	w.breached, w.turning = !w.breached, false
	b := Breach{Rule: w.rule, Cleared: !w.breached, Since: w.since, Value: value, Known: known, Row: row}
	w.monitor.call(func() { w.fn(b) })
}

// turns is whether the row says otherwise than the rule stands.
func (w *ruleWatch) turns(row *Row, value float64, known bool) bool {
	if known {
		return w.beyond(value) != w.breached
	}
	return w.breached && row.Requests+row.InFlight < max(w.rule.Minimum, 1)
}

// figure is the value if it is known, else zero.
func (w *ruleWatch) figure(row *Row) (value float64, known bool) {
	if row.Requests < w.rule.Minimum {
		return 0, false
	}
	w.monitor.call(func() { value, known = w.rule.Figure(row) })
	if !known || math.IsNaN(value) {
		return 0, false
	}
	return value, true
}

// beyond is whether the value is beyond the limit that counts now.
func (w *ruleWatch) beyond(value float64) bool {
	limit, sign := w.rule.Limit, 1.0
	if w.rule.Below {
		sign = -1
	}
	if clear := w.rule.Clear; w.breached && clear != 0 && sign*clear < sign*limit {
		limit = clear
	}
	return sign*value > sign*limit
}

// goOn runs a watch on a goroutine of its own, and on another if a callback has ended that with runtime.Goexit.
func (m *Monitor) goOn(open context.Context, run func(context.Context)) {
	go func() {
		defer func() {
			if open.Err() == nil {
				m.goOn(open, run)
			}
		}()
		run(open)
	}()
}

// call calls what may not return.
func (m *Monitor) call(fn func()) {
	returned := false
	defer func() {
		if _ = recover(); !returned {
			m.faults.Add(1)
		}
	}()
	fn()
	returned = true
}
