package tpot_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

const quantileError = 0.02 // as the documentation of Histogram states

// linearQuantile is the quantile of all values, by the definition: linear interpolation between ranks.
func linearQuantile(values []time.Duration, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	rank := q * float64(len(sorted)-1)
	below := int(rank)
	above := min(below+1, len(sorted)-1)
	return float64(sorted[below]) + (rank-float64(below))*float64(sorted[above]-sorted[below])
}

func millis(ms float64) time.Duration { return time.Duration(math.Round(ms * 1e6)) }

func TestHistogramSmoothnessFixtures(t *testing.T) {
	data, err := os.ReadFile("testdata/smoothness.json")
	require.NoError(t, err)
	var file struct {
		Vectors []struct {
			Name   string
			First  float64   `json:"first_ms"`
			Gaps   []float64 `json:"gaps_ms"`
			Expect struct {
				Gaps struct {
					Count     int
					Mean      *float64 `json:"mean_ms"`
					Variance  *float64 `json:"variance_population_ms2"`
					SampleVar *float64 `json:"variance_sample_ms2"`
					StdDev    *float64 `json:"std_population_ms"`
					CV        *float64
					Max       *float64 `json:"max_ms"`
					P50       *float64 `json:"p50_ms"`
					P95       *float64 `json:"p95_ms"`
					P99       *float64 `json:"p99_ms"`
					Jitter    *float64 `json:"jitter_ms"`
					Stalls    struct {
						Threshold float64 `json:"threshold_ms"`
						Count     int
						Total     float64 `json:"total_ms"`
						Longest   float64 `json:"longest_ms"`
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Vectors)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			want := v.Expect.Gaps
			_, r := (&tpot.Tracker{Stall: millis(want.Stalls.Threshold)}).Start(t.Context(), tpot.Request{})
			at := millis(v.First)
			r.ObserveAt(at, tpot.Event{Kind: tpot.KindText})
			for _, gap := range v.Gaps {
				at += millis(gap)
				r.ObserveAt(at, tpot.Event{Kind: tpot.KindText})
			}
			s := r.EndAt(at, nil)
			h := s.Gaps()

			assert.Equal(t, want.Count, h.Count())
			within(t, 1e-6, "mean", want.Mean, ms(h.Mean()))
			within(t, 1e-6, "variance", want.Variance, scaled(h.Variance())(1e6))
			within(t, 1e-6, "sample variance", want.SampleVar, scaled(h.SampleVariance())(1e6))
			within(t, 1e-6, "standard deviation", want.StdDev, ms(h.StdDev()))
			within(t, 1e-6, "CV", want.CV, scaled(h.CV())(1))
			within(t, 1e-6, "max", want.Max, ms(h.Max()))
			within(t, 1e-6, "jitter", want.Jitter, ms(h.Jitter()))
			within(t, quantileError, "p50", want.P50, ms(h.Quantile(0.5)))
			within(t, quantileError, "p95", want.P95, ms(h.Quantile(0.95)))
			within(t, quantileError, "p99", want.P99, ms(h.Quantile(0.99)))
			assert.Equal(t, want.Stalls.Count, s.Stalls.Count)
			assert.Equal(t, millis(want.Stalls.Total), s.Stalls.Total)
			assert.Equal(t, millis(want.Stalls.Longest), s.Stalls.Longest)
			ttft, _ := s.TTFT()
			assert.Equal(t, millis(v.First), ttft)
		})
	}
}

// figure is a value that may be absent.
type figure struct {
	value float64
	ok    bool
}

func ms(d time.Duration, ok bool) figure { return figure{float64(d) / 1e6, ok} }

func scaled(v float64, ok bool) func(float64) figure {
	return func(by float64) figure { return figure{v * by, ok} }
}

func within(t *testing.T, relative float64, name string, want *float64, got figure) {
	t.Helper()
	require.Equal(t, want != nil, got.ok, "%s: presence", name)
	if want != nil {
		assert.InDelta(t, *want, got.value, math.Abs(*want)*relative, name)
	}
}

func TestHistogramWithoutValues(t *testing.T) {
	for name, h := range map[string]*tpot.Histogram{"zero": {}, "nil": nil} {
		t.Run(name, func(t *testing.T) {
			assert.Zero(t, h.Count())
			assert.Zero(t, h.Sum())
			for figure, get := range map[string]func() (time.Duration, bool){
				"mean": h.Mean, "min": h.Min, "max": h.Max, "sd": h.StdDev, "jitter": h.Jitter,
				"quantile": func() (time.Duration, bool) { return h.Quantile(0.5) },
			} {
				value, ok := get()
				assert.False(t, ok, figure)
				assert.Zero(t, value, figure)
			}
			for figure, get := range map[string]func() (float64, bool){
				"variance": h.Variance, "sample variance": h.SampleVariance, "CV": h.CV,
			} {
				value, ok := get()
				assert.False(t, ok, figure)
				assert.Zero(t, value, figure)
			}
		})
	}
}

func TestHistogramEdges(t *testing.T) {
	var h tpot.Histogram
	values := []time.Duration{0, 1, 999, time.Microsecond, 5 * time.Minute, math.MaxInt64, math.MaxInt64}
	for _, v := range values {
		h.Observe(v)
	}
	h.Observe(-time.Second) // counts as zero

	assert.Equal(t, 8, h.Count())
	least, _ := h.Min()
	most, _ := h.Max()
	assert.Equal(t, time.Duration(0), least)
	assert.Equal(t, time.Duration(math.MaxInt64), most)
	assert.Equal(t, time.Duration(math.MaxInt64), h.Sum(), "a sum past the range stays at its end")
	mean, _ := h.Mean()
	assert.Equal(t, time.Duration(math.MaxInt64/4+int64(5*time.Minute+2*time.Microsecond)/8), mean.Round(1))
	variance, ok := h.Variance()
	assert.True(t, ok)
	// Two of eight values at m and the rest near zero: m^2 (1/4 - 1/16).
	m := float64(math.MaxInt64) / 1e9
	assert.InEpsilon(t, m*m*3/16, variance, 1e-6)
	for q, want := range map[float64]time.Duration{-1: 0, 0: 0, 1: math.MaxInt64, 2: math.MaxInt64, math.NaN(): 0, math.Inf(1): math.MaxInt64} {
		got, ok := h.Quantile(q)
		assert.True(t, ok)
		assert.Equal(t, want, got, "quantile %v", q)
	}
}

func TestHistogramKeepsSumsExactWhereFloatsDoNot(t *testing.T) {
	var h tpot.Histogram
	for range 1_000_000 {
		h.Observe(time.Hour + 1) // its square has more digits than a float64
	}
	variance, _ := h.Variance()
	assert.Zero(t, variance)
	h.Observe(time.Hour + 2)
	variance, _ = h.Variance()
	n := 1_000_001.0
	assert.InEpsilon(t, 1e-18*(n-1)/n/n, variance, 1e-9)
}

func TestHistogramObserveN(t *testing.T) {
	var one, many tpot.Histogram
	one.ObserveN(3*time.Millisecond, 5)
	one.ObserveN(5*time.Millisecond, 2)
	one.ObserveN(time.Second, 0)
	one.ObserveN(time.Second, -3)
	for range 5 {
		many.Observe(3 * time.Millisecond)
	}
	for range 2 {
		many.Observe(5 * time.Millisecond)
	}
	assert.Equal(t, many, one)
	jitter, _ := one.Jitter()
	assert.Equal(t, (2*time.Millisecond)/6, jitter) // one step of 2 ms among six
}

func TestHistogramQuantilesAreWithinTheStatedError(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var h tpot.Histogram
		values := make([]time.Duration, 1+random.IntN(400))
		scale := math.Exp(random.Float64() * math.Log(1e6)) // 1 us to 1 s
		for i := range values {
			values[i] = time.Duration(1e3 * (1 + scale*random.ExpFloat64()))
			values[i] = min(values[i], 2*time.Minute)
			h.Observe(values[i])
		}
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1} {
			got, ok := h.Quantile(q)
			require.True(t, ok)
			require.InEpsilon(t, linearQuantile(values, q), float64(got), quantileError, "q %v of %d", q, len(values))
		}
	}
}

func TestHistogramBucketsAreWithinTheStatedErrorEverywhere(t *testing.T) {
	// Among three equal values the middle one is read from its bucket; the outer ones are kept exactly.
	for v := 1000.0; v < float64(2*time.Minute); v *= 1.0007 {
		var h tpot.Histogram
		d := time.Duration(v)
		h.Observe(0)
		h.Observe(d)
		h.Observe(math.MaxInt64)
		got, _ := h.Quantile(0.5)
		require.InEpsilon(t, float64(d), float64(got), quantileError)
	}
}

func TestHistogramMergeEqualsTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		parts := make([]tpot.Histogram, 1+random.IntN(5))
		var whole tpot.Histogram
		for i := range parts {
			for range random.IntN(50) {
				d := time.Duration(random.Int64N(1 << random.IntN(40)))
				parts[i].Observe(d)
				whole.Observe(d)
			}
		}
		var forth, back tpot.Histogram
		for i := range parts {
			forth.Merge(&parts[i])
			back.Merge(&parts[len(parts)-1-i])
		}
		require.Equal(t, forth, back, "the order of merging makes no difference")
		checkSameDistribution(t, &whole, &forth)
	}
}

// checkSameDistribution compares all but jitter, which the ends of the parts have no part in.
func checkSameDistribution(t *testing.T, want, got *tpot.Histogram) {
	t.Helper()
	require.Equal(t, want.Count(), got.Count())
	require.Equal(t, want.Sum(), got.Sum())
	for name, get := range map[string]func(*tpot.Histogram) (any, bool){
		"mean":            func(h *tpot.Histogram) (any, bool) { return two(h.Mean()) },
		"min":             func(h *tpot.Histogram) (any, bool) { return two(h.Min()) },
		"max":             func(h *tpot.Histogram) (any, bool) { return two(h.Max()) },
		"sd":              func(h *tpot.Histogram) (any, bool) { return two(h.StdDev()) },
		"variance":        func(h *tpot.Histogram) (any, bool) { return two(h.Variance()) },
		"sample variance": func(h *tpot.Histogram) (any, bool) { return two(h.SampleVariance()) },
		"CV":              func(h *tpot.Histogram) (any, bool) { return two(h.CV()) },
		"p50":             func(h *tpot.Histogram) (any, bool) { return two(h.Quantile(0.5)) },
		"p99":             func(h *tpot.Histogram) (any, bool) { return two(h.Quantile(0.99)) },
	} {
		wantValue, wantOK := get(want)
		gotValue, gotOK := get(got)
		require.Equal(t, wantOK, gotOK, name)
		require.Equal(t, wantValue, gotValue, name)
	}
}

func two[T any](v T, ok bool) (any, bool) { return v, ok }

func TestHistogramJitterMergesByItsSums(t *testing.T) {
	var a, b tpot.Histogram
	a.Observe(10)
	a.Observe(16)
	b.Observe(1000)
	b.Observe(1002)
	a.Merge(&b)
	jitter, ok := a.Jitter()
	assert.True(t, ok)
	assert.Equal(t, time.Duration((6+2)/2), jitter, "16 and 1000 are of different streams")
	a.Observe(5000)
	after, _ := a.Jitter()
	assert.Equal(t, jitter, after, "nothing precedes the first value after a merge")
}

func TestHistogramMergeOfNothing(t *testing.T) {
	var h tpot.Histogram
	h.Observe(time.Millisecond)
	want := h
	h.Merge(nil)
	h.Merge(&tpot.Histogram{})
	assert.Equal(t, want, h)
}

func TestHistogramAllocatesNothing(t *testing.T) {
	var h, other tpot.Histogram
	other.Observe(time.Second)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		h.Observe(time.Millisecond)
		h.ObserveN(time.Millisecond, 3)
		h.Merge(&other)
		h.Quantile(0.99)
		h.Mean()
		h.Jitter()
	}))
}

func FuzzHistogram(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(3))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 255, 255}, uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		var whole, left, right tpot.Histogram
		for i := 0; i+8 <= len(data); i += 8 {
			var d time.Duration
			for _, b := range data[i : i+8] {
				d = d<<8 | time.Duration(b)
			}
			whole.Observe(d)
			if i/8 < int(cut) {
				left.Observe(d)
			} else {
				right.Observe(d)
			}
		}
		checkInvariants(t, &whole)
		left.Merge(&right)
		checkInvariants(t, &left)
		checkSameDistribution(t, &whole, &left)
	})
}

func checkBuckets(t *testing.T, h *tpot.Histogram) {
	t.Helper()
	previous, _ := h.Min()
	most, _ := h.Max()
	total, full := 0, false
	for value, n := range h.Buckets() {
		require.GreaterOrEqual(t, value, previous)
		require.LessOrEqual(t, value, most)
		require.Positive(t, n)
		previous = value
		total += n
		full = full || n == min(math.MaxUint32, math.MaxInt)
	}
	if !full {
		require.Equal(t, h.Count(), total)
	}
}

// Alone between far neighbours, each value is within 2 % of what stands for it.
func TestBucketsStandForTheirValues(t *testing.T) {
	for d := 2 * time.Microsecond; d < time.Minute; d += d/97 + 1 {
		var h tpot.Histogram
		h.Observe(time.Microsecond)
		h.Observe(d)
		h.Observe(2 * time.Minute)
		var values []time.Duration
		for value, n := range h.Buckets() {
			require.Equal(t, 1, n)
			values = append(values, value)
		}
		require.Len(t, values, 3)
		require.InEpsilon(t, float64(d), float64(values[1]), 0.02)
	}
	for range (*tpot.Histogram)(nil).Buckets() {
		t.Fatal("nothing is in no histogram")
	}
}

func checkInvariants(t *testing.T, h *tpot.Histogram) {
	t.Helper()
	least, ok := h.Min()
	most, _ := h.Max()
	require.Equal(t, h.Count() > 0, ok)
	previous := least
	for q := 0.0; q <= 1; q += 0.0625 {
		value, _ := h.Quantile(q)
		require.GreaterOrEqual(t, value, previous, "quantiles do not fall")
		require.LessOrEqual(t, value, most)
		previous = value
	}
	checkBuckets(t, h)
	if ok {
		mean, _ := h.Mean()
		require.GreaterOrEqual(t, mean, least)
		require.LessOrEqual(t, mean, most)
		variance, _ := h.Variance()
		require.GreaterOrEqual(t, variance, 0.0)
		require.False(t, math.IsInf(variance, 0))
	}
}
