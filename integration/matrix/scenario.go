package matrix

import (
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// scenario is what happens to a request.
type scenario struct {
	name     string
	scripts  func(Wire) []llmtest.Script
	outcome  tpot.Outcome
	complete bool // the answer comes whole, to its end marker

	pause    time.Duration // of the consumer after each value
	leaveAt  time.Duration // the consumer leaves at the first value from then on
	cancelAt time.Duration // the context ends
}

var scenarios = []scenario{
	{name: "healthy", scripts: whole, outcome: tpot.OutcomeOK, complete: true},
	{name: "slow consumer", scripts: whole, outcome: tpot.OutcomeOK, complete: true, pause: 200 * ms},
	{name: "429 first", scripts: refusedFirst, outcome: tpot.OutcomeOK, complete: true},
	{name: "cut", scripts: cut, outcome: tpot.OutcomeTruncated},
	{name: "cut in an event", scripts: cutEvent, outcome: tpot.OutcomeTruncated},
	{name: "no end marker", scripts: unmarked, outcome: tpot.OutcomeTruncated},
	{name: "cancel", scripts: whole, outcome: tpot.OutcomeCanceled, cancelAt: 900 * ms},
	{name: "error in stream", scripts: failing, outcome: tpot.OutcomeFailed},
	{name: "early close", scripts: whole, outcome: tpot.OutcomeCanceled, leaveAt: 290 * ms},
}

// brokenAt is when a response breaks off, after the piece before it.
const brokenAt = 350 * ms

func whole(w Wire) []llmtest.Script {
	s := w.script(closingAt)
	return []llmtest.Script{ending(s, closingAt, w.Closing(usage(len(pieces)))...)}
}

func refusedFirst(w Wire) []llmtest.Script {
	return append([]llmtest.Script{w.Refusal}, whole(w)...)
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
