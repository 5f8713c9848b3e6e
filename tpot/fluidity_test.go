package tpot_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

func TestFluidityFixtures(t *testing.T) {
	data, err := os.ReadFile("testdata/smoothness.json")
	require.NoError(t, err)
	type form struct {
		OnTime   int64 `json:"on_time"`
		Missed   int64
		Total    int64
		Fluidity *float64
	}
	var file struct {
		Vectors []struct {
			Name    string
			FirstMS float64   `json:"first_ms"`
			Gaps    []float64 `json:"gaps_ms"`
			First   float64   `json:"prefill_deadline_ms"`
			Next    float64   `json:"decode_deadline_ms"`
			Expect  map[string]form
		}
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Vectors)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			all := []portion{{millis(v.FirstMS), 1}}
			for _, gap := range v.Gaps {
				all = append(all, portion{all[len(all)-1].at + millis(gap), 1})
			}
			f := fluidity(millis(v.First), millis(v.Next), all)
			want := v.Expect["deadline-reset"]
			assert.Equal(t, []int64{want.OnTime, want.Missed, want.Total}, []int64{f.OnTime(), f.Late(), f.Tokens()})
			within(t, 1e-6, "deadline-reset", want.Fluidity, scaled(f.DeadlineReset())(1))
			want = v.Expect["per-token"]
			assert.Equal(t, []int64{want.Missed, want.Total}, []int64{f.Missed(), f.OnTime() + f.Missed()})
			within(t, 1e-6, "per-token", want.Fluidity, scaled(f.PerToken())(1))

			f = fluidity(0, millis(v.Next), all)
			want = v.Expect["per-token, first token ignored"]
			assert.Equal(t, []int64{want.Missed, want.Total}, []int64{f.Missed(), f.OnTime() + f.Missed()})
			within(t, 1e-6, "first token ignored", want.Fluidity, scaled(f.PerToken())(1))
		})
	}
}

// plainFluidity walks token by token, as the definition says it.
type plainFluidity struct {
	first, next          int64
	last, slack          int64
	arrived              int
	onTime, late, missed int64
}

func (f *plainFluidity) token(at int64) {
	gap := at - f.last
	f.last = at
	f.arrived++
	deadline, misses := f.next, int64(0)
	if f.arrived == 1 {
		deadline = f.first
	}
	switch {
	case deadline <= 0:
		return
	case gap <= deadline+f.slack:
		f.onTime++
		f.slack += deadline - gap
		return
	case f.arrived > 1:
		misses = (gap - f.slack) / f.next
	case f.next > 0:
		misses = 1 + (gap-f.slack-f.first)/f.next
	default:
		misses = 1
	}
	f.late++
	f.missed += misses
	f.slack = 0
}

func TestFluidityOfRandomStreams(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		next := time.Duration(rnd.IntN(50) - 1)
		first := time.Duration(rnd.IntN(200) - 20)
		f := tpot.Fluidity{First: first, Next: next}
		plain := plainFluidity{first: int64(first), next: int64(next)}
		for _, p := range randomPortions(rnd, max(next, 1)) {
			f.Arrive(p.at, p.tokens)
			for range p.tokens {
				plain.token(int64(p.at))
			}
			require.Equal(t, []int64{plain.onTime, plain.late, plain.missed}, []int64{f.OnTime(), f.Late(), f.Missed()}, "seed %d", seed)
			require.Equal(t, plain.onTime+plain.late, f.Tokens())
			checkShare(t, plain.onTime, plain.late, scaled(f.DeadlineReset())(1))
			checkShare(t, plain.onTime, plain.missed, scaled(f.PerToken())(1))
		}
	}
}

func checkShare(t *testing.T, part, others int64, got figure) {
	t.Helper()
	want := figure{}
	if part+others > 0 {
		want = figure{float64(part) / float64(part+others), true}
	}
	require.Equal(t, want, got)
}

func TestFluidityScales(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		all := randomPortions(rnd, 100)
		first := time.Duration(rnd.IntN(300))
		k := 1 + time.Duration(rnd.IntN(1_000_000))
		var scaledAll []portion
		for _, p := range all {
			scaledAll = append(scaledAll, portion{p.at * k, p.tokens})
		}
		a, b := fluidity(first, 100, all), fluidity(first*k, 100*k, scaledAll)
		require.Equal(t, []int64{a.OnTime(), a.Late(), a.Missed()}, []int64{b.OnTime(), b.Late(), b.Missed()}, "seed %d", seed)
	}
}

func TestFluidityWithoutDeadlines(t *testing.T) {
	all := []portion{{30, 2}, {50, 1}, {90, 3}}
	for name, c := range map[string]struct {
		first, next          time.Duration
		onTime, late, missed int64
	}{
		"none judges nothing":                 {0, 0, 0, 0, 0},
		"below zero is none":                  {-1, math.MinInt64, 0, 0, 0},
		"of the first alone, on time":         {30, 0, 1, 0, 0},
		"of the first alone, late: one miss":  {29, 0, 0, 1, 1},
		"of the first alone, none below zero": {29, -10, 0, 1, 1},
		"of the others alone":                 {0, 10, 4, 1, 4},  // gaps 0, 20, 40, 0, 0: the 20 is just in time
		"of all":                              {10, 10, 4, 2, 7}, // the first by 20: three misses
	} {
		t.Run(name, func(t *testing.T) {
			f := fluidity(c.first, c.next, all)
			assert.Equal(t, []int64{c.onTime, c.late, c.missed}, []int64{f.OnTime(), f.Late(), f.Missed()})
			_, ok := f.PerToken()
			assert.Equal(t, c.onTime+c.late > 0, ok)
		})
	}
}

// A chunk of any number of tokens takes one step, and what it adds is as exact as that of a small one.
func TestFluidityOfVastNumbers(t *testing.T) {
	const ms, vast = int64(time.Millisecond), 2_000_000_000
	f := fluidity(0, time.Millisecond, []portion{{0, vast}})
	assert.Equal(t, int64(vast-1), f.OnTime(), "all but the first, which has no deadline")
	slack := time.Duration((vast - 1) * ms)
	last := f
	f.Arrive(slack+time.Millisecond, 1) // at its deadline, to the nanosecond
	assert.Equal(t, int64(vast), f.OnTime())
	last.Arrive(slack+time.Millisecond+1, 1)
	assert.Equal(t, []int64{vast - 1, 1, 1}, []int64{last.OnTime(), last.Late(), last.Missed()})

	t.Run("slack past the range", func(t *testing.T) {
		for n := 5; n < 100; n++ { // of 64 bits, some products have nothing left, and some a sign
			f := fluidity(1, 1<<62, []portion{{0, n}, {math.MaxInt64 - 1, 1}, {math.MaxInt64, 1}})
			assert.Equal(t, []int64{int64(n) + 2, 0}, []int64{f.OnTime(), f.Late()})
		}
		f := fluidity(math.MaxInt64, math.MaxInt64, []portion{{0, 1}, {0, 1}, {math.MaxInt64, 1}})
		assert.Equal(t, []int64{3, 0}, []int64{f.OnTime(), f.Late()})
	})
	t.Run("misses at the end of the range", func(t *testing.T) {
		f := fluidity(1, 1, []portion{{math.MaxInt64, 1}})
		assert.Equal(t, []int64{0, 1, math.MaxInt64}, []int64{f.OnTime(), f.Late(), f.Missed()})
		f.Arrive(math.MaxInt64, 1)
		share, ok := f.PerToken()
		assert.True(t, ok)
		assert.InEpsilon(t, 1/float64(math.MaxInt64), share, 1e-9)
	})
	t.Run("counts stay at their largest", func(t *testing.T) {
		f := fluidity(1, 1, []portion{{10, 1}})
		for range 5 {
			f.Arrive(10, math.MaxInt)
		}
		if math.MaxInt == math.MaxInt64 {
			assert.Equal(t, int64(math.MaxInt64), f.OnTime())
			assert.Equal(t, int64(math.MaxInt64), f.Tokens())
		}
		assert.Equal(t, []int64{1, 10}, []int64{f.Late(), f.Missed()})
	})
}

func FuzzFluidity(f *testing.F) {
	f.Add(int64(500), int64(50), int64(700), 3, int64(math.MaxInt64), math.MaxInt)
	f.Add(int64(1), int64(1), int64(math.MaxInt64), math.MaxInt, int64(math.MinInt64), math.MinInt)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(0), math.MaxInt, int64(math.MaxInt64), 1)
	f.Fuzz(func(t *testing.T, first, next, at int64, n int, later int64, m int) {
		w := tpot.Fluidity{First: time.Duration(first), Next: time.Duration(next)}
		var before tpot.Fluidity
		for _, p := range []portion{{time.Duration(at), n}, {time.Duration(later), m}, {time.Duration(later), m}, {time.Duration(at + later), n}} {
			w.Arrive(p.at, p.tokens)
			require.GreaterOrEqual(t, w.OnTime(), before.OnTime())
			require.GreaterOrEqual(t, w.Late(), before.Late())
			require.GreaterOrEqual(t, w.Missed()-before.Missed(), w.Late()-before.Late(), "a late token is a miss")
			require.GreaterOrEqual(t, w.Tokens(), max(w.OnTime(), w.Late()))
			before = w
			reset, judged := w.DeadlineReset()
			perToken, ok := w.PerToken()
			require.Equal(t, w.Tokens() > 0, judged)
			require.Equal(t, judged, ok)
			require.True(t, 0 <= perToken && perToken <= reset && reset <= 1, "%v %v", perToken, reset)
		}
	})
}
