package monitor

import (
	"cmp"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// view is what there is to see at a moment. The page and the JSON are made of it. It holds on to no request.
type view struct {
	taken    time.Time
	window   time.Duration // how far the rows look back at least
	span     time.Duration // what they cover
	inFlight int
	stalled  int        // of these
	streams  []inFlight // of these the ones that are shown, the longest open wait first
	rows     []Row
	total    Row // of all rows
	recent   []finished
	faults   int
}

// view looks at everything. No lock is held while anything is drawn or sent.
func (m *Monitor) view() *view {
	v := &view{taken: time.Now(), window: steps * m.step, rows: m.Snapshot(), faults: m.Faults()}
	v.addStreams(m.roster.flights(nil))
	for i := range v.rows {
		v.total.InFlight += v.rows[i].InFlight
		v.total.merge(&v.rows[i].Tally)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v.span = m.span(m.now(), steps)
	v.total.Span = v.span
	v.recent = m.recent.latest()
	return v
}

// inFlight is what there is to see of a request in flight.
type inFlight struct {
	glance
	number uint64 // of all that have begun
	key    Key    // as far as there was room for it, with the model that answers where none was asked for
	start  time.Time
	state  state
	ttft   figure
	tokens int
	source tpot.TokenSource
	stalls tpot.Stalls // that are over
	course course
}

// mostStreams is how many requests in flight are shown.
const mostStreams = 500

// addStreams adds the requests in flight. Only of those that are shown the Stats are taken.
func (v *view) addStreams(flights []*flight) {
	v.inFlight = len(flights)
	all := make([]glanced, v.inFlight)
	for i, f := range flights {
		all[i] = glanced{f, f.glance()}
		if all[i].stalled() {
			v.stalled++
		}
	}
	slices.SortFunc(all, func(a, b glanced) int {
		return cmp.Or(a.compare(b.glance), cmp.Compare(a.since, b.since), cmp.Compare(a.number, b.number))
	})
	v.streams = make([]inFlight, 0, min(v.inFlight, mostStreams))
	for _, g := range all[:cap(v.streams)] {
		if s, ok := g.look(g.glance); ok {
			v.streams = append(v.streams, s)
		}
	}
	slices.SortStableFunc(v.streams, func(a, b inFlight) int { return a.compare(b.glance) })
}

// glance is what costs little to know of a request in flight.
type glance struct {
	age    time.Duration
	wait   figure // the open wait
	chunks int
}

type glanced struct {
	*flight
	glance
}

func (f *flight) glance() glance {
	age := f.rec.Elapsed()
	wait, chunks, waiting := f.rec.OpenGapAt(age)
	return glance{age, figureOf(wait, waiting), chunks}
}

// compare puts the longest open wait first, and last where none is open.
func (g glance) compare(other glance) int {
	return cmp.Compare(other.wait.orNegative(), g.wait.orNegative())
}

func (f figure) orNegative() time.Duration {
	if !f.ok {
		return -1
	}
	return f.value
}

// stalledAfter is the wait in a gap from which a stream is shown as stalled, whatever its Tracker's threshold.
const stalledAfter = 500 * time.Millisecond

func (g glance) stalled() bool { return g.wait.ok && g.chunks > 0 && g.wait.value >= stalledAfter }

// look takes what there is to see of a flight; ok is false when it has ended. When another chunk has come since the glance, it is
// glanced at again.
func (f *flight) look(g glance) (seen inFlight, ok bool) {
	s := f.rec.Stats()
	if s.Chunks != g.chunks {
		g = f.glance()
	}
	_, reading := f.rec.Waiting()
	seen = inFlight{
		glance: g, number: f.number, key: f.line.key, start: s.Start, state: stateOf(&s, g, reading), ttft: figureOf(s.TTFT()),
		tokens: s.Tokens, source: s.Source, stalls: s.Stalls, course: courseOf(s.Course()),
	}
	seen.key.Model = cmp.Or(seen.key.Model, name(s.Model))
	return seen, s.Outcome == tpot.OutcomeOpen
}

// state is what a request in flight is doing.
type state uint8

const (
	calling    state = iota // nobody has waited for an event yet: the call itself is under way
	firstToken              // the consumer waits for the first chunk
	streaming               // the consumer waits for a further chunk
	stalled                 // it does for long
	holding                 // the consumer has what there is and does not wait
	ending                  // the response is complete, or carries an error, and the consumer waits for its end
)

var stateNames = [...]string{"calling", "first token", "streaming", "stalled", "holding", "ending"}

func (s state) String() string { return stateNames[s] }

// MarshalText is [state.String] as bytes.
func (s state) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// stateOf is the state of a request with these Stats; reading is whether the consumer waits for an event of any kind.
func stateOf(s *tpot.Stats, g glance, reading bool) state {
	begun := reading || s.Events > 0 || s.Setup > 0 || s.Wait > 0
	switch {
	case !begun:
		return calling
	case !g.wait.ok && reading:
		return ending
	case !g.wait.ok:
		return holding
	case s.Chunks == 0:
		return firstToken
	case g.stalled():
		return stalled
	}
	return streaming
}

// longestWait is the longest wait for a chunk that is open, if any.
func (v *view) longestWait() figure {
	if len(v.streams) == 0 {
		return figure{}
	}
	return v.streams[0].wait
}

// notShown is how many requests in flight there are beside those that are shown.
func (v *view) notShown() int { return v.inFlight - len(v.streams) }
