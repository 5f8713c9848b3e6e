package convention_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// scaled is a trace all of whose times are a number of times as long, counted from the epoch.
func scaled(t tpot.Trace, by time.Duration) tpot.Trace {
	t.Start = epoch.Add(t.Start.Sub(epoch) * by)
	t.End, t.Closed = t.End*by, t.Closed*by
	events := make([]tpot.TraceEvent, len(t.Events))
	for i, e := range t.Events {
		e.At, e.Wait, e.Hold = e.At*by, e.Wait*by, e.Hold*by
		events[i] = e
	}
	t.Events = events
	return t
}

// requireScaled compares a figure with that of times that are as long a number of times. A figure is the nearest nanosecond: before the
// scaling up to half of one off, so then up to half the factor, and again half of one. A tool that drops fractions is up to the factor off.
func requireScaled(t *testing.T, from, to convention.Figure, by time.Duration, what ...any) {
	t.Helper()
	require.Equal(t, from.Undefined, to.Undefined, what...)
	if from.Value*by != to.Value {
		require.InDelta(t, from.Value*by, to.Value, float64(by), what...)
	}
}

// scales are whole numbers, so that the scaled times are exact; one is no power of two, by which half a nanosecond would stay half of one.
var scales = []time.Duration{2, 7, 1000}

func TestScaledTimesScaleTheFigures(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(500) {
			trace := anyTrace(rand.New(rand.NewPCG(seed, 1)))
			by := scales[seed%3]
			from, to := c.Figures(trace), c.Figures(scaled(trace, by))
			scaledFigures := named(to)
			for name, figure := range named(from) {
				requireScaled(t, figure, scaledFigures[name], by, "%s of seed %d", name, seed)
			}
			for _, exact := range []string{"TTFT", "TTFO", "TTST", "E2E"} { // offsets are never rounded
				require.Equal(t, named(from)[exact].Value*by, scaledFigures[exact].Value, "%s of seed %d", exact, seed)
			}
			require.Equal(t, from.N, to.N)
			require.Equal(t, from.Source, to.Source)
			require.Equal(t, from.Excluded, to.Excluded)
			require.Len(t, to.Gaps, len(from.Gaps))
			for i := range from.Gaps {
				if d := from.Gaps[i]*by - to.Gaps[i]; d > by || d < -by {
					require.InDelta(t, from.Gaps[i]*by, to.Gaps[i], float64(by), "gap %d of seed %d", i, seed)
				}
			}
		}
	})
}

func TestScaledTimesScaleTheStatistics(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(50) {
			rnd := rand.New(rand.NewPCG(seed, 4))
			by := scales[seed%3]
			var run, longer []tpot.Trace
			for range 1 + rnd.IntN(12) {
				trace := anyTrace(rnd)
				run, longer = append(run, trace), append(longer, scaled(trace, by))
			}
			// limits on what is never rounded, so that a request keeps to them as before
			slo := tpot.SLO{TTFT: 150*time.Millisecond + 1, E2E: time.Second + 1}
			from := c.Summarize(run, slo)
			to := c.Summarize(longer, tpot.SLO{TTFT: slo.TTFT * by, E2E: slo.E2E * by})
			for name, pair := range map[string][2]convention.Statistics{
				"TTFT": {from.TTFT, to.TTFT}, "TPOT": {from.TPOT, to.TPOT}, "ITL": {from.ITL, to.ITL}, "NTPOT": {from.NTPOT, to.NTPOT},
				"gaps": {from.Gaps, to.Gaps},
			} {
				a, b := pair[0], pair[1]
				require.Equal(t, a.Count, b.Count, "%s of seed %d", name, seed)
				// a statistic is rounded after its values were, so it can be a nanosecond further off
				for i, f := range [][2]convention.Figure{{a.Mean, b.Mean}, {a.Median, b.Median}, {a.P90, b.P90}, {a.P99, b.P99}, {a.Std, b.Std}} {
					require.Equal(t, f[0].Undefined, f[1].Undefined)
					require.InDelta(t, f[0].Value*by, f[1].Value, float64(2*by), "statistic %d of %s of seed %d", i, name, seed)
				}
			}
			require.Equal(t, from.Duration*by, to.Duration, seed)
			require.Equal(t, from.Counted, to.Counted)
			require.Equal(t, from.Good, to.Good, seed)
			require.Equal(t, from.GoodUndefined, to.GoodUndefined)
		}
	})
}
