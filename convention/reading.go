package convention

import (
	"math"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// reading is what one pass over a trace finds by the rules of a convention.
type reading struct {
	*Convention
	trace *tpot.Trace
	lost  string // why the tool loses the request

	first, second, last, output, end mark
	choices                          []stretch // all in the first, where they are not told apart
	visible                          stretch   // the events of Output
	chunks, stamps, events           int       // stamps: tokens of First, at least one for each event

	tokens      int // of Tokens
	uncounted   bool
	kinds       tpot.Kind
	usage, lone tpot.Usage
	firstUsage  int
	gaps        []time.Duration
	gapTime     time.Duration // their sum, exactly
	gapsWhy     string        // why they are not known
}

// mark is an offset, if there is one.
type mark struct {
	at time.Duration
	ok bool
}

// stretch is the course of a choice.
type stretch struct {
	choice, chunks, tokens int
	uncounted              bool
	first, last            time.Duration
	from                   time.Duration // where the next gap begins
}

const (
	// mostChoices are told apart; tpot does so up to the same number.
	mostChoices = 128
	// mostGaps bounds the memory that a made-up token count can take.
	mostGaps = 1 << 20
)

// read passes over the events. An offset that goes backwards is taken as the last one.
func (c *Convention) read(t *tpot.Trace) *reading {
	r := &reading{Convention: c, trace: t, gaps: []time.Duration{}}
	var at time.Duration
	for i := range t.Events {
		at = max(at, t.Events[i].At)
		r.event(at, &t.Events[i].Event)
	}
	return r
}

func (r *reading) event(at time.Duration, e *tpot.Event) {
	k := carried(e)
	r.kinds |= k
	r.lose(k)
	if k&^(tpot.KindDone|tpot.KindPing) != 0 {
		r.events++
	}
	r.use(k, e)
	if r.First.match(k) {
		r.chunk(at, e)
	}
	if r.Output.match(k) {
		r.output.first(at)
		r.visible.add(at, 0)
	}
	if r.Last.match(k) {
		r.last = mark{at, true}
	}
	if r.End.At.match(k) && !(r.End.First && r.end.ok) {
		r.end = mark{at, true}
	}
	if r.From.match(k) {
		r.beginGap(at)
	}
}

// carried is what an event carries; one that was not understood carries something.
func carried(e *tpot.Event) tpot.Kind {
	if k := e.Kind &^ tpot.KindMarked; k != 0 {
		return k
	}
	return tpot.KindStatus
}

func (r *reading) lose(k tpot.Kind) {
	for _, b := range r.Breaks {
		if r.lost == "" && b.At.match(k) {
			r.lost = b.Why
		}
	}
}

// use takes in usage, and the tokens that a tokenizer would count.
func (r *reading) use(k tpot.Kind, e *tpot.Event) {
	if r.Tokens.match(k) {
		r.tokens += tokensOf(e)
		r.uncounted = r.uncounted || tokensOf(e) == 0 || r.tokens > math.MaxInt32
	}
	if k&tpot.KindUsage == 0 {
		return
	}
	merge(&r.usage, e.Usage)
	if k&tpot.KindChoices == 0 {
		merge(&r.lone, e.Usage)
	}
	if r.First.match(k) && r.firstUsage == 0 {
		r.firstUsage = e.Usage.Output
	}
}

// merge keeps the larger of counts that can be: usage is cumulative.
func merge(have *tpot.Usage, u tpot.Usage) {
	for _, count := range []struct{ have, next *int }{{&have.Output, &u.Output}, {&have.Reasoning, &u.Reasoning}} {
		if *count.next < math.MaxInt32 {
			*count.have = max(*count.have, *count.next)
		}
	}
}

// tokensOf is the tokens that an event carries, 0 if that is not known.
func tokensOf(e *tpot.Event) int {
	if e.Tokens < 0 || e.Tokens >= math.MaxInt32 {
		return 0
	}
	return e.Tokens
}

func (m *mark) first(at time.Duration) {
	if !m.ok {
		*m = mark{at, true}
	}
}

// chunk takes in an event of First.
func (r *reading) chunk(at time.Duration, e *tpot.Event) {
	r.chunks++
	if r.chunks == 2 {
		r.second = mark{at, true}
	}
	r.first.first(at)
	tokens := tokensOf(e)
	r.stamps += max(tokens, 1)
	if s := r.stretch(e.Choice); s != nil {
		r.gap(at-s.from, tokens, s.chunks == 0)
		s.add(at, tokens)
	}
}

func (r *reading) stretch(choice int) *stretch {
	if !r.Apart {
		choice = 0
	}
	for i := range r.choices {
		if r.choices[i].choice == choice {
			return &r.choices[i]
		}
	}
	if len(r.choices) == mostChoices {
		return nil
	}
	r.choices = append(r.choices, stretch{choice: choice})
	return &r.choices[len(r.choices)-1]
}

func (s *stretch) add(at time.Duration, tokens int) {
	if s.chunks == 0 {
		s.first = at
	}
	s.chunks++
	s.tokens += tokens
	s.uncounted = s.uncounted || tokens == 0
	s.last, s.from = at, at
}

func (r *reading) beginGap(at time.Duration) {
	for i := range r.choices {
		r.choices[i].from = at
	}
}

// gap adds the samples of a gap before an event of k tokens, 0 if that is not known. Before the first event there is none.
func (r *reading) gap(gap time.Duration, k int, first bool) {
	rule := r.Gaps
	if rule == NoGaps || first && rule != ThenZeros {
		return
	}
	if k == 0 && rule != Whole && rule != SpreadKnown {
		r.gapsWhy = unknownTokens
	}
	k = max(k, 1)
	switch {
	case first:
		r.sample(0, k-1)
	case rule == Whole:
		r.sample(gap, 1)
	case rule == Divided:
		r.sample(gap/time.Duration(k), 1)
	case rule == ThenZeros:
		r.sample(gap, 1)
		r.sample(0, k-1)
	default:
		r.sample(gap/time.Duration(k), k)
		r.gapTime += gap % time.Duration(k)
	}
}

func (r *reading) sample(gap time.Duration, times int) {
	if len(r.gaps)+times > mostGaps {
		r.gapsWhy = "there are too many gaps"
		return
	}
	r.gapTime += gap * time.Duration(times)
	for range times {
		r.gaps = append(r.gaps, gap)
	}
}
