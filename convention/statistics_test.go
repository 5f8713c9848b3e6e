package convention_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// The tests here compare statistics with those of a second implementation, of whole numbers and fractions that are exact.

// asMany is each value as often as it weighs.
func asMany(values []time.Duration, weights []int) (all []time.Duration) {
	for i, v := range values {
		for range weights[i] {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return all
}

// exactQuantile is the quantile of percent hundredths of sorted values.
func exactQuantile(rule convention.Quantile, all []time.Duration, percent int) *big.Rat {
	n := len(all)
	at := func(i int) *big.Rat { return new(big.Rat).SetInt64(int64(all[i])) }
	switch rule {
	case convention.QuantileLinear:
		low, over := (n-1)*percent/100, (n-1)*percent%100
		if over == 0 {
			return at(low)
		}
		share := big.NewRat(int64(over), 100)
		step := new(big.Rat).Sub(at(low+1), at(low))
		return step.Mul(step, share).Add(step, at(low))
	case convention.QuantileInverseCDF:
		for i := range all {
			if 100*(i+1) >= percent*n {
				return at(i)
			}
		}
	case convention.QuantileLower:
		return at((n - 1) * percent / 100)
	case convention.QuantileFloor:
		return at(min(n*percent/100, n-1))
	}
	return nil
}

func exactMean(all []time.Duration) *big.Rat {
	sum := new(big.Rat)
	for _, v := range all {
		sum.Add(sum, new(big.Rat).SetInt64(int64(v)))
	}
	return sum.Quo(sum, new(big.Rat).SetInt64(int64(len(all))))
}

func exactStd(kind convention.Std, all []time.Duration) (std float64, ok bool) {
	over := int64(len(all))
	switch kind {
	case convention.StdNone:
		return 0, false
	case convention.StdSample:
		if over--; over == 0 {
			return 0, false
		}
	}
	mean, squares := exactMean(all), new(big.Rat)
	for _, v := range all {
		off := new(big.Rat).SetInt64(int64(v))
		off.Sub(off, mean)
		squares.Add(squares, off.Mul(off, off))
	}
	variance := new(big.Float).SetRat(squares.Quo(squares, new(big.Rat).SetInt64(over)))
	std, _ = variance.Sqrt(variance).Float64()
	return std, true
}

// requireNear allows the half nanosecond of the rounding, and what a float64 of this size is off.
func requireNear(t *testing.T, want *big.Rat, got convention.Figure, what ...any) {
	t.Helper()
	require.Empty(t, got.Undefined, what...)
	exact, _ := want.Float64()
	require.InDelta(t, exact, float64(got.Value), 0.51, what...)
}

func requireStatistics(t *testing.T, run convention.Run, all []time.Duration, s convention.Statistics, what ...any) {
	t.Helper()
	require.Equal(t, len(all), s.Count, what...)
	if len(all) == 0 {
		require.Equal(t, s.Mean, s.Std)
		require.NotEmpty(t, s.Mean.Undefined)
		return
	}
	requireNear(t, exactMean(all), s.Mean, what...)
	for percent, f := range map[int]convention.Figure{50: s.Median, 90: s.P90, 99: s.P99} {
		requireNear(t, exactQuantile(run.Quantile, all, percent), f, what...)
	}
	std, ok := exactStd(run.Std, all)
	require.Equal(t, ok, s.Std.Undefined == "", what...)
	require.InDelta(t, std, float64(s.Std.Value), 0.51, what...)
}

func TestStatisticsAreThoseOfASecondImplementation(t *testing.T) {
	rules := []convention.Quantile{convention.QuantileLinear, convention.QuantileInverseCDF, convention.QuantileLower, convention.QuantileFloor}
	for _, rule := range rules {
		for _, std := range []convention.Std{convention.StdNone, convention.StdPopulation, convention.StdSample} {
			for seed := range uint64(40) {
				rnd := rand.New(rand.NewPCG(seed, 6))
				c := convention.GuideLLM
				c.Run = convention.Run{Quantile: rule, Std: std, Weighted: rule == convention.QuantileInverseCDF}
				c.Gaps = convention.GapWhole
				var traces []tpot.Trace
				var first, each, whole, gaps []time.Duration
				var tokens []int
				n := []int{1, 2, 3, 10, 11, 100, 101, rnd.IntN(30)}[rnd.IntN(8)]
				for range n {
					k := 1 + rnd.IntN(4)
					at, gap := time.Duration(1+rnd.IntN(1000)), time.Duration(rnd.IntN(1e9))
					trace := tpot.Trace{Outcome: tpot.OutcomeOK}
					for i := range k + 1 {
						trace.Events = append(trace.Events, tpot.TraceEvent{At: at + time.Duration(i)*gap, Event: tpot.Event{Kind: tpot.KindText}})
					}
					for range k {
						gaps = append(gaps, gap)
					}
					traces = append(traces, trace)
					first, each, tokens = append(first, at), append(each, gap), append(tokens, k)
					last, count := at+time.Duration(k)*gap, time.Duration(k+1)
					whole = append(whole, (last+count/2)/count)
				}
				ones, all := slices.Repeat([]int{1}, n), slices.Clone(tokens)
				for i := range all {
					all[i]++
				}
				if !c.Run.Weighted {
					tokens, all = ones, ones
				}
				s := c.Summarize(traces, tpot.SLO{})
				requireStatistics(t, c.Run, asMany(first, ones), s.TTFT, "TTFT, %v %v, seed %d", rule, std, seed)
				requireStatistics(t, c.Run, asMany(each, tokens), s.ITL, "ITL, %v %v, seed %d", rule, std, seed)
				requireStatistics(t, c.Run, asMany(whole, all), s.TPOT, "TPOT, %v %v, seed %d", rule, std, seed)
				slices.Sort(gaps)
				requireStatistics(t, c.Run, gaps, s.Gaps, "gaps, %v %v, seed %d", rule, std, seed)

				rnd.Shuffle(n, func(i, j int) { traces[i], traces[j] = traces[j], traces[i] })
				shuffled := c.Summarize(traces, tpot.SLO{})
				require.Equal(t, s, shuffled, "in whatever order")
			}
		}
	}
}

// Of one request every statistic is its figure.
func TestTheSummaryOfOneRequestIsItsFigures(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(150) {
			trace := anyTrace(rand.New(rand.NewPCG(seed, 1)))
			f, s := c.Figures(trace), c.Summarize([]tpot.Trace{trace}, tpot.SLO{})
			assert.Equal(t, c.Name, s.Convention)
			if f.Excluded != "" {
				require.Zero(t, s.Counted)
				require.Zero(t, s.TTFT.Count+s.TPOT.Count+s.ITL.Count+s.NTPOT.Count+s.Gaps.Count)
				continue
			}
			require.Equal(t, 1, s.Counted)
			for name, of := range map[string]struct {
				figure convention.Figure
				of     convention.Statistics
			}{"TTFT": {f.TTFT, s.TTFT}, "TPOT": {f.TPOT, s.TPOT}, "ITL": {f.ITL, s.ITL}, "NTPOT": {f.NTPOT, s.NTPOT}} {
				switch {
				case c.Run.Quantile == convention.QuantileNone || of.figure.Undefined != "":
					require.NotEmpty(t, of.of.Mean.Undefined, "%s of seed %d", name, seed)
				case name == "ITL" && c.ITL.Of == convention.WindowGaps:
					require.InDelta(t, of.figure.Value, of.of.Mean.Value, 1, "%s of seed %d", name, seed)
					require.Equal(t, len(f.Gaps), of.of.Count)
				default:
					for _, statistic := range []convention.Figure{of.of.Mean, of.of.Median, of.of.P90, of.of.P99} {
						require.Equal(t, of.figure, statistic, "%s of seed %d", name, seed)
					}
					require.Positive(t, of.of.Count)
				}
			}
		}
	})
}

func TestTheOrderOfTracesDoesNotMatter(t *testing.T) {
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		for seed := range uint64(40) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			var run []tpot.Trace
			for range 2 + rnd.IntN(9) {
				run = append(run, anyTrace(rnd))
			}
			slo := tpot.SLO{TTFT: 200 * time.Millisecond, TPOT: 60 * time.Millisecond}
			want := c.Summarize(run, slo)
			rnd.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
			require.Equal(t, want, c.Summarize(run, slo), seed)
		}
	})
}
