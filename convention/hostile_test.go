package convention_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// hostileTrace is a trace that no Recorder wrote: offsets and counts at the ends of their types, in any order.
func hostileTrace(rnd *rand.Rand) tpot.Trace {
	pick := func(of ...time.Duration) time.Duration { return of[rnd.IntN(len(of))] }
	offset := func() time.Duration {
		return pick(math.MinInt64, -time.Hour, -1, 0, 0, 1, time.Second, 3*time.Second, math.MaxInt64-1, math.MaxInt64)
	}
	counts := []int{math.MinInt, -1, 0, 0, 1, 1, 2, 3, 1 << 8, 1<<31 - 2, math.MaxInt32, math.MaxInt - 1, math.MaxInt}
	count := func() int { return counts[rnd.IntN(len(counts))] }
	trace := tpot.Trace{
		Request: tpot.Request{MaxTokens: count()},
		Start:   []time.Time{{}, epoch, epoch.Add(math.MaxInt64), time.Unix(1<<62, 0)}[rnd.IntN(4)],
		End:     offset(), Closed: offset(), EndUnknown: rnd.IntN(4) == 0, Outcome: tpot.Outcome(rnd.IntN(7)),
		Setup: offset(), Wait: offset(), Hold: offset(), TailWait: offset(), Stall: offset(),
		Dropped: []int{0, 0, 0, 1, -1, math.MaxInt}[rnd.IntN(6)],
	}
	if rnd.IntN(2) == 0 {
		trace.Outcome, trace.Dropped = tpot.OutcomeOK, 0
	}
	choices := 1 + rnd.IntN(200)*rnd.IntN(2)
	for range rnd.IntN(12) + rnd.IntN(300)*rnd.IntN(2) {
		e := tpot.Event{Kind: tpot.Kind(rnd.Uint32()), Tokens: count(), Choice: rnd.IntN(choices) - 3}
		if rnd.IntN(2) == 0 {
			e.Kind = tpot.KindText | tpot.KindChoices
		}
		if rnd.IntN(2) == 0 {
			e.Tokens = 1
		}
		e.Usage = tpot.Usage{Input: count(), Output: count(), Reasoning: count(), Cached: count()}
		trace.Events = append(trace.Events, tpot.TraceEvent{At: offset(), Wait: offset(), Hold: offset(), Event: e})
	}
	if rnd.IntN(2) == 0 { // so that the large ones come last, and gaps are long
		slices.SortFunc(trace.Events, func(a, b tpot.TraceEvent) int { return int(a.At>>1 - b.At>>1) })
	}
	return trace
}

func eachConvention(t *testing.T, do func(t *testing.T, c convention.Convention)) {
	for _, c := range convention.All() {
		t.Run(c.Name, func(t *testing.T) { do(t, c) })
	}
}

// requireFigure holds what is true of any figure.
func requireFigure(t *testing.T, f convention.Figure, what ...any) {
	t.Helper()
	if f.Undefined == "" {
		require.GreaterOrEqual(t, f.Value, time.Duration(0), what...)
	} else {
		require.Zero(t, f.Value, what...)
	}
}

// requireSane holds what is true of the figures of any request.
func requireSane(t *testing.T, f convention.Figures, seed uint64) {
	t.Helper()
	for name, figure := range named(f) {
		requireFigure(t, figure, "%s of seed %d", name, seed)
	}
	require.GreaterOrEqual(t, f.N, 0, seed)
	require.False(t, f.Source == "" && f.N != 0, seed)
	if len(f.Gaps) > 0 {
		require.GreaterOrEqual(t, slices.Min(f.Gaps), time.Duration(0), seed)
	}
	require.LessOrEqual(t, len(f.Gaps), 1<<20)
}

func named(f convention.Figures) map[string]convention.Figure {
	return map[string]convention.Figure{
		"TTFT": f.TTFT, "TTFO": f.TTFO, "TTST": f.TTST, "TPOT": f.TPOT, "ITL": f.ITL, "NTPOT": f.NTPOT, "E2E": f.E2E,
	}
}

// requireSaneStatistics holds what is true of the statistics of any values.
func requireSaneStatistics(t *testing.T, s convention.Statistics, values []time.Duration, what ...any) {
	t.Helper()
	require.GreaterOrEqual(t, s.Count, 0, what...)
	require.GreaterOrEqual(t, s.Count, len(values), what...)
	for _, f := range []convention.Figure{s.Mean, s.Median, s.P90, s.P99, s.Std} {
		requireFigure(t, f, what...)
	}
	if len(values) == 0 || s.Count == 0 {
		require.NotEmpty(t, s.Mean.Undefined, what...)
		return
	}
	require.Empty(t, s.Mean.Undefined, what...)
	least, most := slices.Min(values), slices.Max(values)
	if most > 1<<53 { // beyond which a mean, or what lies between two values, is only as exact as a float64
		least, most = least-least>>50, most+most>>50
	}
	for _, f := range []convention.Figure{s.Mean, s.Median, s.P90, s.P99} {
		require.LessOrEqual(t, least, f.Value, what...)
		require.LessOrEqual(t, f.Value, most, what...)
	}
	require.LessOrEqual(t, s.Median.Value, s.P90.Value, what...)
	require.LessOrEqual(t, s.P90.Value, s.P99.Value, what...)
	require.LessOrEqual(t, s.Std.Value, most, what...)
}

func TestHostileTracesGiveFiguresOrReasons(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(250) {
			requireSane(t, c.Figures(hostileTrace(rand.New(rand.NewPCG(seed, 2)))), seed)
			requireSane(t, c.Figures(anyTrace(rand.New(rand.NewPCG(seed, 1)))), seed)
		}
		requireSane(t, c.Figures(tpot.Trace{}), 0)
		requireSane(t, c.Figures(tpot.Trace{Outcome: tpot.OutcomeOK}), 0)
	})
}

func TestHostileRunsGiveStatisticsOrReasons(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(80) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			var run []tpot.Trace
			values := map[string][]time.Duration{}
			counted := 0
			for range rnd.IntN(12) {
				trace := hostileTrace(rnd)
				if rnd.IntN(2) == 0 {
					trace = anyTrace(rnd)
				}
				run = append(run, trace)
				f := c.Figures(trace)
				if f.Excluded != "" {
					continue
				}
				counted++
				for name, figure := range named(f) {
					if figure.Undefined == "" {
						values[name] = append(values[name], figure.Value)
					}
				}
				values["gaps"] = append(values["gaps"], f.Gaps...)
			}
			s := c.Summarize(run, tpot.SLO{TTFT: time.Second, TPOT: time.Millisecond})
			require.Equal(t, counted, s.Counted, seed)
			require.GreaterOrEqual(t, s.Duration, time.Duration(0), seed)
			require.LessOrEqual(t, s.Good, s.Counted, seed)
			require.GreaterOrEqual(t, s.Good, 0, seed)
			if c.Run.Quantile == convention.QuantileNone {
				clear(values)
			}
			itl := values["ITL"]
			if c.ITL.Of == convention.WindowGaps {
				itl = values["gaps"]
			}
			requireSaneStatistics(t, s.TTFT, values["TTFT"], "TTFT of seed %d", seed)
			requireSaneStatistics(t, s.TPOT, values["TPOT"], "TPOT of seed %d", seed)
			requireSaneStatistics(t, s.ITL, itl, "ITL of seed %d", seed)
			requireSaneStatistics(t, s.NTPOT, values["NTPOT"], "NTPOT of seed %d", seed)
			requireSaneStatistics(t, s.Gaps, values["gaps"], "gaps of seed %d", seed)
			if perSecond, ok := s.Goodput(); ok {
				require.GreaterOrEqual(t, perSecond, 0.0)
				require.False(t, math.IsInf(perSecond, 0))
			}
		}
	})
}

func TestReplayTakesAnyTrace(t *testing.T) {
	for seed := range uint64(1500) {
		s := tpot.Replay(hostileTrace(rand.New(rand.NewPCG(seed, 2))))
		for _, figure := range []func() (time.Duration, bool){s.TTFT, s.TTFO, s.TTST, s.TPOT, s.AnswerTPOT, s.E2E, s.ITL().Mean, s.Gaps().Mean} {
			value, ok := figure()
			assert.GreaterOrEqual(t, value, time.Duration(0), seed)
			assert.False(t, !ok && value != 0)
		}
		assert.GreaterOrEqual(t, s.Stalls.Total, time.Duration(0), seed)
		assert.NotEmpty(t, s.String()+s.Report())
	}
}

// A made-up count of tokens takes no more memory than a million gaps.
func TestTooManyGapsAreNone(t *testing.T) {
	const most = 1 << 20
	for tokens, known := range map[int]bool{most: true, most + 1: false, math.MaxInt32 - 1: false} {
		trace := stream(event(100, tpot.KindText, 1), event(200, tpot.KindText, tokens))
		f := convention.Tokentiming.Figures(trace)
		if known {
			assert.Len(t, f.Gaps, tokens)
			assert.Equal(t, (ms(100)+most/2)/most, f.ITL.Value)
			continue
		}
		assert.Nil(t, f.Gaps)
		assert.Equal(t, convention.Figure{Undefined: "there are too many gaps"}, f.ITL)
	}
}

// The longest time is above a year, and 128 choices that take it each have a mean.
func TestTheLongestTime(t *testing.T) {
	var events []tpot.TraceEvent
	for choice := range 128 {
		events = append(events, tpot.TraceEvent{Event: tpot.Event{Kind: tpot.KindText, Tokens: 1, Choice: choice}})
	}
	for _, e := range slices.Clone(events) {
		e.At = math.MaxInt64
		events = append(events, e)
	}
	f := convention.Tokentiming.Figures(tpot.Trace{Events: events, End: math.MaxInt64, Outcome: tpot.OutcomeOK})
	for _, figure := range []convention.Figure{f.E2E, f.TPOT, f.ITL} {
		assert.Equal(t, convention.Figure{Value: 1 << 55}, figure)
	}
	assert.Greater(t, f.E2E.Value, 366*24*time.Hour)
}
