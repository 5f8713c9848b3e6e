package convention_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// What counts as a count is for package tpot to say, and the same here.
func TestCountsThatCannotBe(t *testing.T) {
	text := func(tokens ...int) (trace tpot.Trace) {
		for i, n := range tokens {
			trace.Events = append(trace.Events, event(float64(100+10*i), ch|tpot.KindText, n))
		}
		return stream(trace.Events...)
	}
	withUsage := func(u tpot.Usage, kind tpot.Kind) tpot.Trace {
		trace := text(0, 0, 0)
		trace.Events[2].Event.Kind |= kind
		trace.Events[2].Event.Usage = u
		return trace
	}
	for name, of := range map[string]struct {
		trace tpot.Trace
		n     int
	}{
		"the largest of a chunk":      {text(1, math.MaxInt32-2), math.MaxInt32 - 1},
		"a sum beyond it":             {text(1, math.MaxInt32-2, 1), 3},
		"a chunk beyond it":           {text(1, math.MaxInt32), 2},
		"the largest of usage":        {withUsage(tpot.Usage{Output: math.MaxInt32 - 1}, tpot.KindUsage), math.MaxInt32 - 1},
		"usage beyond it":             {withUsage(tpot.Usage{Output: math.MaxInt32}, tpot.KindUsage), 3},
		"reasoning beyond it":         {withUsage(tpot.Usage{Output: 9, Reasoning: math.MaxInt32}, tpot.KindUsage), 9},
		"reasoning that is not there": {withUsage(tpot.Usage{Output: 9, Reasoning: 4}, tpot.KindUsage), 5},
		"usage of an event without":   {withUsage(tpot.Usage{Output: 9}, 0), 3},
	} {
		assert.Equal(t, of.n, convention.Tokentiming.Figures(of.trace).N, name)
		assert.Equal(t, of.n, tpot.Replay(of.trace).Tokens, name)
	}
}

// Up to 128 choices are told apart; each of these has one gap.
func TestChoicesBeyondThoseThatAreToldApart(t *testing.T) {
	for _, choices := range []int{127, 128, 129, 200} {
		var events []tpot.TraceEvent
		for i := range 2 * choices {
			events = append(events, inChoice(event(float64(100+i), ch|tpot.KindText, 1), i%choices))
		}
		f, s := convention.Tokentiming.Figures(stream(events...)), tpot.Replay(stream(events...))
		assert.Len(t, f.Gaps, min(choices, 128))
		assert.Equal(t, min(choices, 128), s.ITL().Count())
	}
}

// That a stream ends with a marker makes nothing of its events another.
func TestThatAStreamIsMarkedChangesNothing(t *testing.T) {
	for _, name := range []string{"t1-reasoning-then-text", "t6-tool-call-only", "t9-error-mid-stream", "t13-keep-alive-comment"} {
		plain, marked := tracesOf(t, name)[0], tracesOf(t, name)[0]
		for i := range marked.Events {
			marked.Events[i].Event.Kind |= tpot.KindMarked
		}
		for _, c := range convention.All() {
			assert.Equal(t, c.Figures(plain), c.Figures(marked), name, c.Name)
		}
	}
}

// What was not understood came all the same: tools that look at every event see one.
func TestAnEventOfUnknownKindIsOne(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 1), event(150, 0, 0), event(200, ch|tpot.KindText, 1), event(250, tpot.KindMarked, 0))
	assert.Equal(t, convention.Figure{Value: ms(250)}, convention.TRTLLMServe.Figures(trace).E2E)
	assert.Equal(t, 1, convention.Etalon.Figures(trace).N, "it reads nothing after it")
	assert.Equal(t, "an event without choices makes the tool lose the request", convention.LLMPerf.Figures(trace).Excluded)
}
