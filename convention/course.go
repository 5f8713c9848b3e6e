package convention

import (
	"math"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// course is events of one request, in order.
type course []*tpot.TraceEvent

// courseOf is all of a trace's events. An offset that goes backwards is taken as the last one. An event that was not understood, or says no more
// than that its stream is a marked one, counts as a status, so that "all but" one kind of events has it.
func courseOf(t *tpot.Trace) course {
	events := slices.Clone(t.Events)
	all := make(course, len(events))
	var at time.Duration
	for i := range events {
		e := &events[i]
		at = max(at, credible(e.At))
		e.At = at
		if e.Event.Kind &^= tpot.KindMarked; e.Event.Kind == 0 {
			e.Event.Kind = tpot.KindStatus
		}
		all[i] = e
	}
	return all
}

// credible is the nearest time that a request can take, up to some 400 days, as in [tpot.Replay]: sums over mostChoices fit a Duration.
func credible(d time.Duration) time.Duration { return min(max(d, 0), 1<<55) }

// until is the events up to the first of these, which is among them.
func (all course) until(which Events) course {
	if i := slices.IndexFunc(all, func(e *tpot.TraceEvent) bool { return which.match(e.Event.Kind) }); i >= 0 {
		return all[:i+1]
	}
	return all
}

// only is the events that count.
func (all course) only(which Events) (some course) {
	for i, e := range all {
		if which.match(e.Event.Kind) {
			if some == nil {
				some = make(course, 0, len(all)-i)
			}
			some = append(some, e)
		}
	}
	return some
}

// mostChoices are told apart, by package tpot too; further ones are left out.
const mostChoices = 128

// byChoice is the events of each choice.
func (all course) byChoice() (choices []course) {
	for _, e := range all {
		i := slices.IndexFunc(choices, func(c course) bool { return c[0].Event.Choice == e.Event.Choice })
		switch {
		case i >= 0:
			choices[i] = append(choices[i], e)
		case len(choices) < mostChoices:
			choices = append(choices, course{e})
		}
	}
	return choices
}

// mark is an offset, if there is one.
type mark struct {
	at time.Duration
	ok bool
}

func (all course) first() mark { return all.nth(0) }

func (all course) last() mark { return all.nth(len(all) - 1) }

func (all course) nth(i int) mark {
	if i < 0 || i >= len(all) {
		return mark{}
	}
	return mark{all[i].At, true}
}

// carries is what the events carry together.
func (all course) carries() (k tpot.Kind) {
	for _, e := range all {
		k |= e.Event.Kind
	}
	return k
}

// tokens is the sum of their tokens, known if those of each are.
func (all course) tokens() (sum int, known bool) {
	for _, e := range all {
		n := believable(e.Event.Tokens)
		if sum += n; n == 0 || believable(sum) == 0 {
			return 0, false
		}
	}
	return sum, true
}

// believable is a count of tokens that can be one, else 0.
func believable(count int) int {
	if count < 0 || count >= math.MaxInt32 {
		return 0
	}
	return count
}

// usage is the largest counts of any usage: it is cumulative.
func (all course) usage() (u tpot.Usage) {
	for _, e := range all {
		if e.Event.Kind&tpot.KindUsage != 0 {
			u.Output = max(u.Output, believable(e.Event.Usage.Output))
			u.Reasoning = max(u.Reasoning, believable(e.Event.Usage.Reasoning))
		}
	}
	return u
}
