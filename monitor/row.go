package monitor

import (
	"maps"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Row is the figures of one key, or of several together, over the window. It is the caller's own.
type Row struct {
	Key
	InFlight int           // requests that have begun and not ended, now
	Span     time.Duration // what the Tally covers: Config.Window, up to a step more, and no longer than the Monitor has been there
	Tally
}

// Snapshot is the figures of each key that had a request within the window or has one in flight, in the order of provider, model and
// scenario. Rows that are far apart in it are apart in time by what those between them take, some ten microseconds each.
func (m *Monitor) Snapshot() []Row {
	lines := m.all()
	slices.SortFunc(lines, func(a, b *line) int { return a.key.compare(b.key) })
	rows := make([]Row, 0, len(lines))
	for _, l := range lines {
		rows = append(rows, Row{Key: l.key})
		row := &rows[len(rows)-1]
		m.addLine(row, l, steps)
		if row.InFlight == 0 && row.Requests == 0 && row.Lost == 0 {
			rows = rows[:len(rows)-1]
		}
	}
	return rows
}

// Row is the figures of all keys that k means, taken together: an empty field means any, so that the zero Key is all requests.
func (m *Monitor) Row(k Key) Row { return *m.row(k.cut(), steps) }

// row is the figures of all keys that one means, together, over the last whole steps and the one under way.
func (m *Monitor) row(k Key, last int64) *Row {
	m.mu.Lock()
	row := &Row{Key: k, Span: m.span(m.now(), last)}
	m.mu.Unlock()
	for _, l := range m.all() {
		if k.means(l.key) {
			m.addLine(row, l, last)
		}
	}
	return row
}

// addLine adds a line's figures to a row. The lock is held for those of the step under way only, which can change: requests that end
// meanwhile wait for it.
func (m *Monitor) addLine(row *Row, l *line, last int64) {
	m.mu.Lock()
	now := m.now()
	number := m.number(now)
	row.Span = m.span(now, last)
	row.InFlight += l.inFlight
	w := l.window
	w.addTo(&row.Tally, number, 0)
	m.mu.Unlock()
	w.addTo(&row.Tally, number-1, last-1)
}

// all is all lines, in any order.
func (m *Monitor) all() []*line {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.AppendSeq(make([]*line, 0, len(m.lines)), maps.Values(m.lines))
}

// RequestsPerMinute is the rate at which requests ended; absent before any time has passed.
func (r *Row) RequestsPerMinute() (float64, bool) { return r.per(time.Minute, r.Requests) }

// TokensPerSecond is the output tokens of the requests that ended, over the span: what the callers got, not a rate of decoding. Absent
// before any time has passed.
func (r *Row) TokensPerSecond() (float64, bool) { return r.per(time.Second, r.Tokens) }

// GoodPerMinute is the rate at which requests ended that met all their limits; absent where no limits applied to any.
func (r *Row) GoodPerMinute() (float64, bool) {
	if r.Good+r.Missed == 0 {
		return 0, false
	}
	return r.per(time.Minute, r.Good)
}

func (r *Row) per(unit time.Duration, n int) (float64, bool) {
	if r.Span <= 0 {
		return 0, false
	}
	return float64(n) * float64(unit) / float64(r.Span), true
}

// Goodput is the share of requests that met all their limits among those that limits applied to; absent where there is none. Canceled
// requests and those without any of the limited figures are on neither side; what ended otherwise but well is a miss.
func (t *Tally) Goodput() (float64, bool) { return share(t.Good, t.Good+t.Missed) }

// StallRate is the share of requests with a stall among those that had a chunk; absent where there is none.
func (t *Tally) StallRate() (float64, bool) { return share(t.Stalled, t.Streamed) }

// FailureRate is the share of requests that timed out, were truncated or failed among those that were not canceled; absent where
// there is none.
func (t *Tally) FailureRate() (float64, bool) {
	bad := t.Outcomes[tpot.OutcomeTimeout] + t.Outcomes[tpot.OutcomeTruncated] + t.Outcomes[tpot.OutcomeFailed]
	return share(bad, bad+t.Outcomes[tpot.OutcomeOK])
}

// OutcomeShare is the share of requests that ended so; absent where none ended.
func (t *Tally) OutcomeShare(o tpot.Outcome) (float64, bool) {
	if int(o) >= len(t.Outcomes) {
		return 0, false
	}
	return share(t.Outcomes[o], t.Requests)
}

// SourceShare is the share of requests whose token count came from there; absent where none ended.
func (t *Tally) SourceShare(s tpot.TokenSource) (float64, bool) {
	if int(s) >= len(t.Sources) {
		return 0, false
	}
	return share(t.Sources[s], t.Requests)
}

// WaitShare is the producer's share of the time of the requests that ended: their wait over setup, wait and hold. Absent where there is
// no time.
func (t *Tally) WaitShare() (float64, bool) { return share(t.Wait, t.time()) }

// HoldShare is the consumer's, likewise.
func (t *Tally) HoldShare() (float64, bool) { return share(t.Hold, t.time()) }

// time is all that the requests took.
func (t *Tally) time() time.Duration {
	sum := t.Setup
	addTo(&sum, t.Wait)
	addTo(&sum, t.Hold)
	return sum
}

func share[T int | time.Duration](part, whole T) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// Concurrency is the mean over the requests that ended of how many were in flight to the same provider and model, themselves included, by
// the mean over each one's time. Absent where none ended.
func (t *Tally) Concurrency() (float64, bool) {
	if t.Requests == 0 {
		return 0, false
	}
	return t.concurrency / float64(t.Requests), true
}

// ITLBasis is what ITL is made of: "tokens" where the tokens of every chunk are known, "chunks" where those of none are, so that it is
// the chunk gaps, else "mixed"; empty without chunks. Usage does not tell the tokens of a chunk.
func (t *Tally) ITLBasis() string {
	switch {
	case t.byToken > 0 && t.byChunk > 0:
		return "mixed"
	case t.byToken > 0:
		return "tokens"
	case t.byChunk > 0:
		return "chunks"
	}
	return ""
}

// Loads is the requests that ended by how many were in flight beside them, from few to many.
func (t *Tally) Loads() []Load {
	var loads []Load
	for class, l := range t.loads {
		if l.Requests > 0 {
			l.From, l.To = bounds(class)
			loads = append(loads, l)
		}
	}
	return loads
}
