package convention_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// anyTrace is a trace such as no provider sends: of events that carry anything, in up to three choices.
func anyTrace(rnd *rand.Rand) tpot.Trace {
	trace := tpot.Trace{Request: tpot.Request{MaxTokens: rnd.IntN(3) * 40}, Start: epoch.Add(time.Duration(rnd.IntN(1000)) * time.Millisecond)}
	kinds := []tpot.Kind{
		tpot.KindText, tpot.KindText, tpot.KindReasoning, tpot.KindReasoning | tpot.KindSummary, tpot.KindToolCall, tpot.KindToolMeta,
		tpot.KindRole, tpot.KindStatus, tpot.KindFinish, tpot.KindText | tpot.KindFinish, tpot.KindRefusal, 0,
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
