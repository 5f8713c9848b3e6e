package convention_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// anyTrace is a trace such as no provider sends: of events that carry anything, in up to three choices.
func anyTrace(rnd *rand.Rand) tpot.Trace {
	trace := tpot.Trace{Request: tpot.Request{MaxTokens: rnd.IntN(3) * 40}, Start: epoch.Add(time.Duration(rnd.IntN(1000)) * time.Millisecond)}
	kinds := []tpot.Kind{
		tpot.KindText, tpot.KindText, tpot.KindReasoning, tpot.KindReasoning | tpot.KindSummary, tpot.KindToolCall, tpot.KindToolMeta,
		tpot.KindRole, tpot.KindStatus, tpot.KindFinish, tpot.KindText | tpot.KindFinish, tpot.KindRefusal, tpot.KindMarked, 0,
	}
	choices, counted, at := 1+rnd.IntN(3)*rnd.IntN(2), rnd.IntN(3), time.Duration(0)
	for range rnd.IntN(25) {
		at += time.Duration(rnd.Int64N(int64(100*time.Millisecond))) * time.Duration(rnd.IntN(4)) / 3
		e := tpot.Event{Kind: kinds[rnd.IntN(len(kinds))] | tpot.KindChoices, Choice: rnd.IntN(choices)}
		if counted == 0 || counted == 1 && rnd.IntN(4) > 0 {
			e.Tokens = 1 + rnd.IntN(4)*rnd.IntN(2)
		}
		if rnd.IntN(8) == 0 {
			e.Kind |= tpot.KindUsage
			e.Usage = tpot.Usage{Output: rnd.IntN(30), Reasoning: rnd.IntN(10)}
		}
		trace.Events = append(trace.Events, tpot.TraceEvent{At: at, Event: e})
	}
	if rnd.IntN(2) == 0 {
		at += time.Millisecond
		usage := tpot.Usage{Output: rnd.IntN(60), Reasoning: rnd.IntN(20)}
		trace.Events = append(trace.Events, tpot.TraceEvent{At: at, Event: tpot.Event{Kind: tpot.KindUsage, Usage: usage}})
	}
	trace.Events = append(trace.Events, tpot.TraceEvent{At: at + 2, Event: tpot.Event{Kind: tpot.KindDone}})
	trace.End, trace.Outcome = at+time.Duration(rnd.IntN(100)), tpot.OutcomeOK
	switch rnd.IntN(12) {
	case 0:
		trace.End = 0 // not known
	case 1:
		trace.Outcome = tpot.Outcome(rnd.IntN(int(tpot.OutcomeFailed) + 1))
	case 2:
		trace.Outcome, trace.EndUnknown = tpot.OutcomeCanceled, true
	case 3:
		trace.Closed = trace.End + time.Second
	}
	return trace
}

func eachTrace(t *testing.T, do func(t *testing.T, seed uint64, trace tpot.Trace)) {
	for seed := range uint64(3000) {
		do(t, seed, anyTrace(rand.New(rand.NewPCG(seed, 1))))
	}
}

// Our own convention is what tpot measures, which is worked out in quite another way: live, event by event.
func TestTokentimingIsWhatStatsGive(t *testing.T) {
	eachTrace(t, func(t *testing.T, seed uint64, trace tpot.Trace) {
		f, s := convention.Tokentiming.Figures(trace), tpot.Replay(trace)
		for name, of := range map[string]struct {
			figure convention.Figure
			stat   func() (time.Duration, bool)
		}{
			"TTFT": {f.TTFT, s.TTFT}, "TTFO": {f.TTFO, s.TTFO}, "TTST": {f.TTST, s.TTST}, "TPOT": {f.TPOT, s.TPOT},
			"E2E": {f.E2E, s.E2E}, "ITL": {f.ITL, s.ITL().Mean},
		} {
			want, ok := of.stat()
			require.Equal(t, ok, of.figure.Undefined == "", "%s of seed %d: %v", name, seed, of.figure)
			require.InDelta(t, want, of.figure.Value, 1, "%s of seed %d, in nanoseconds", name, seed)
		}
		require.Equal(t, s.Tokens, f.N, seed)
		require.Equal(t, s.ITL().Count(), len(f.Gaps), seed)
		sources := map[tpot.TokenSource]convention.Source{
			tpot.SourceReported: convention.SourceUsage, tpot.SourceCounted: convention.SourceTokens, tpot.SourceChunks: convention.SourceChunks,
		}
		if s.Chunks > 0 {
			require.Equal(t, sources[s.Source], f.Source, seed)
		}
	})
}

func TestARequestWhoseEndIsNotKnownHasNoE2E(t *testing.T) {
	trace := stream(event(100, tpot.KindText|tpot.KindChoices, 1))
	assert.Equal(t, convention.Figure{Value: ms(105)}, convention.Tokentiming.Figures(trace).E2E)
	trace.End = 0
	assert.Equal(t, convention.Figure{Value: ms(100)}, convention.Tokentiming.Figures(trace).E2E, "at its last event")
	trace.Closed = ms(107)
	assert.Equal(t, convention.Figure{Value: ms(107)}, convention.InferencePerf.Figures(trace).E2E)
	lost := trace
	lost.EndUnknown = true
	assert.Equal(t, convention.Figure{Undefined: "the end of the request is not known"}, convention.Tokentiming.Figures(lost).E2E)
	open := trace
	open.Outcome = tpot.OutcomeOpen
	assert.Equal(t, convention.Figure{Undefined: "the end of the request is not known"}, convention.InferencePerf.Figures(open).E2E)
}

// What is missing of a trace that was cut may have come in what was cut off.
func TestATraceThatWasCut(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindRole, 0), event(200, ch|tpot.KindReasoning, 1), event(300, ch|tpot.KindText, 1))
	trace.Dropped = 1
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		f := c.Figures(trace)
		assert.Equal(t, "the trace was cut", f.Excluded)
		for name, figure := range map[string]convention.Figure{"TPOT": f.TPOT, "ITL": f.ITL, "NTPOT": f.NTPOT, "E2E": f.E2E} {
			assert.Equal(t, convention.Figure{Undefined: "the trace was cut"}, figure, name)
		}
		assert.Zero(t, f.N)
		assert.Empty(t, f.Source)
		assert.Nil(t, f.Gaps)
		trace := trace
		trace.Events = trace.Events[:1]
		begun := c.Figures(trace)
		for name, figure := range map[string]convention.Figure{"TTFT": begun.TTFT, "TTFO": begun.TTFO, "TTST": begun.TTST} {
			if figure.Undefined != "" && figure.Undefined != "the tool reports no figure under this name" {
				assert.Equal(t, "the trace was cut", figure.Undefined, name)
			}
		}
	})
	f := convention.Tokentiming.Figures(trace)
	assert.Equal(t, ms(200), f.TTFT.Value)
	assert.Equal(t, ms(300), f.TTFO.Value)
	assert.Equal(t, ms(100), f.TTST.Value)
}

func TestATraceIsLeftAsItWas(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText|tpot.KindMarked, 1), event(90, ch|tpot.KindText, 1), event(300, 0, 0))
	before := stream(event(100, ch|tpot.KindText|tpot.KindMarked, 1), event(90, ch|tpot.KindText, 1), event(300, 0, 0))
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		f := c.Figures(trace)
		c.Summarize([]tpot.Trace{trace}, tpot.SLO{TTFT: 1})
		for i := range f.Gaps {
			f.Gaps[i] = -1
		}
		assert.Equal(t, before, trace)
		assert.NotContains(t, c.Figures(trace).Gaps, time.Duration(-1))
	})
}

// What is left when a gap is divided by its tokens is in the mean all the same.
func TestTheMeanOfSpreadGapsLosesNothing(t *testing.T) {
	trace := tpot.Trace{Outcome: tpot.OutcomeOK}
	for i := range 10 {
		trace.Events = append(trace.Events, tpot.TraceEvent{At: time.Duration(4 * i), Event: tpot.Event{Kind: tpot.KindText, Tokens: 5}})
	}
	for _, c := range []convention.Convention{convention.Tokentiming, convention.SGLangBenchSpec} {
		f := c.Figures(trace)
		assert.Equal(t, convention.Figure{Value: 1}, f.ITL, "4 ns for 5 tokens, to the nearest")
		assert.Len(t, f.Gaps, 45)
	}
}

func TestAUsageOfOneTokenIsKnown(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 0), usageAt(110, 1, 0), event(120, tpot.KindDone, 0))
	for name, source := range map[string]convention.Source{
		"tokentiming": convention.SourceUsage, "vllm-bench": convention.SourceLoneUsage, "sglang-bench": convention.SourceUsage,
	} {
		f := byName(t, name).Figures(trace)
		assert.Equal(t, 1, f.N, name)
		assert.Equal(t, source, f.Source, name)
	}
	allowed := stream(event(100, ch|tpot.KindText, 0), event(120, tpot.KindDone, 0))
	allowed.Request.MaxTokens = 1
	f := convention.SGLangBench.Figures(allowed)
	assert.Equal(t, 1, f.N)
	assert.Equal(t, convention.SourceMaxTokens, f.Source)
}
