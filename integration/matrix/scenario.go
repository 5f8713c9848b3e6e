package matrix

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// scenario is what happens to a request.
type scenario struct {
	name     string
	scripts  func(Wire) []llmtest.Script
	http2    bool
	outcome  tpot.Outcome
	half     bool              // the connection breaks within an event
	comments bool              // are sent
	over     time.Duration     // when the consumer who reads at once hears of the end, from the last request's arrival
	hides    func(Traits) bool // whether the SDK keeps the trouble from its reader; nil: there is none

	pause    time.Duration // of the consumer after each value
	leaveAt  time.Duration // the consumer leaves at the first value from then on
	cancelAt time.Duration // the context ends, by itself or, where the outcome is a timeout, by its deadline
}

var scenarios = []scenario{
	{name: "healthy", scripts: whole, outcome: tpot.OutcomeOK, over: closingAt},
	{name: "slow consumer", scripts: whole, outcome: tpot.OutcomeOK, pause: 200 * ms},
	{name: "keep-alive", scripts: commented, comments: true, outcome: tpot.OutcomeOK, over: closingAt, hides: func(t Traits) bool { return !t.NoComments }},
	{name: "gzip, HTTP2", scripts: compressed, outcome: tpot.OutcomeOK, over: closingAt, http2: true},
	{name: "429 first", scripts: refusedFirst, outcome: tpot.OutcomeOK, over: closingAt, hides: func(t Traits) bool { return t.Retries }},
	{name: "401", scripts: refused, outcome: tpot.OutcomeFailed, hides: func(Traits) bool { return false }},
	{name: "cut", scripts: cut, outcome: tpot.OutcomeTruncated, over: brokenAt, hides: func(t Traits) bool { return t.HidesCut }},
	{name: "cut in an event", scripts: cutEvent, outcome: tpot.OutcomeTruncated, half: true, over: brokenAt,
		hides: func(t Traits) bool { return t.HidesCut && !t.GarblesCut }},
	{name: "no end marker", scripts: unmarked, outcome: tpot.OutcomeTruncated, over: closingAt, hides: func(t Traits) bool { return t.HidesEnd }},
	{name: "cancel", scripts: whole, outcome: tpot.OutcomeCanceled, cancelAt: 900 * ms, over: 900 * ms, hides: func(t Traits) bool { return t.HidesCancel }},
	{name: "deadline", scripts: whole, outcome: tpot.OutcomeTimeout, cancelAt: 900 * ms, over: 900 * ms, hides: func(t Traits) bool { return t.HidesCancel }},
	{name: "error in stream", scripts: failing, outcome: tpot.OutcomeFailed, over: brokenAt, hides: func(t Traits) bool { return t.HidesError }},
	{name: "early close", scripts: whole, outcome: tpot.OutcomeCanceled, leaveAt: 290 * ms, over: 300 * ms, hides: func(t Traits) bool { return !t.PanicsWhenLeft }},
}

// When it breaks off, a response does so after the piece before brokenAt. Comments come before the opening and in the stall.
const (
	brokenAt      = 350 * ms
	firstComment  = 70 * ms
	secondComment = 700 * ms
)

func whole(w Wire) []llmtest.Script {
	s := w.script(closingAt)
	return []llmtest.Script{ending(s, closingAt, w.Closing(usage(len(pieces)))...)}
}

// commented is none for a wire without comments.
func commented(w Wire) []llmtest.Script {
	if w.Comment == "" {
		return nil
	}
	ss := whole(w)
	for _, at := range []time.Duration{firstComment, secondComment} {
		ss[0].Writes = append(ss[0].Writes, llmtest.Write{At: at, Events: []llmtest.Event{llmtest.Raw(w.Comment)}})
	}
	slices.SortStableFunc(ss[0].Writes, func(a, b llmtest.Write) int { return cmp.Compare(a.At, b.At) })
	return ss
}

func compressed(w Wire) []llmtest.Script {
	ss := whole(w)
	ss[0].Gzip = true
	return ss
}

func refusedFirst(w Wire) []llmtest.Script {
	return append([]llmtest.Script{w.Refusal}, whole(w)...)
}

func refused(w Wire) []llmtest.Script {
	s := w.Refusal
	s.Status = http.StatusUnauthorized
	return []llmtest.Script{s}
}

func cut(w Wire) []llmtest.Script {
	s := ending(w.script(brokenAt), brokenAt)
	s.Ending = llmtest.EndCut
	return []llmtest.Script{s}
}

func cutEvent(w Wire) []llmtest.Script {
	s := w.script(brokenAt)
	next := w.events(len(pieces) - 1)[0].Bytes
	s = ending(s, brokenAt, llmtest.Raw(string(next[:len(next)/2])))
	s.Ending = llmtest.EndCut
	return []llmtest.Script{s}
}

func unmarked(w Wire) []llmtest.Script {
	return []llmtest.Script{ending(w.script(closingAt), closingAt)}
}

func failing(w Wire) []llmtest.Script {
	return []llmtest.Script{ending(w.script(brokenAt), brokenAt, w.Error())}
}

// ending is s with its last write and its end at an offset.
func ending(s llmtest.Script, at time.Duration, events ...llmtest.Event) llmtest.Script {
	s.Writes = append(s.Writes, llmtest.Write{At: at, Events: events})
	s.EndAt = at
	return s
}
