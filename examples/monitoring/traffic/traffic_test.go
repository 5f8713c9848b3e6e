package traffic

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// record is what the timing says of one request.
type record struct {
	tpot.Stats
	gaps   []time.Duration
	models []string // as named with each chunk, without repetitions
}

// records observes requests and keeps their records.
type records struct {
	mu    sync.Mutex
	ended []record
}

func (rs *records) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, &observation{all: rs}
}

type observation struct {
	all *records
	record
}

func (o *observation) Observe(a tpot.Arrival) {
	if a.HasGap {
		o.gaps = append(o.gaps, a.Gap)
	}
	if a.Chunk {
		o.models = slices.Compact(append(o.models, a.Model))
	}
}

func (o *observation) End(s tpot.Stats) {
	o.Stats = s
	o.all.mu.Lock()
	defer o.all.mu.Unlock()
	o.all.ended = append(o.all.ended, o.record)
}

// sums is the ledger that the records make.
func (rs *records) sums() map[Class]Sum {
	l := Ledger{Ended: make(map[Class]Sum)}
	for _, r := range rs.ended {
		one := Sum{Requests: 1, Chunks: r.Chunks, Usage: r.Usage, Freezes: r.Stalls.Count}
		if ttft, ok := r.TTFT(); ok {
			one.FirstTokens = ttft
		} else {
			one.WithoutToken = 1
		}
		for _, gap := range r.gaps {
			one.Gaps += gap
		}
		l.enter(Class{r.Request.Scenario, r.Request.Model, r.Outcome}, one)
	}
	return l.Ended
}

// simulate runs a traffic of two requests a second with a fault, none if it is empty, and then waits for the last answers. It must be
// called in a bubble.
func simulate(length time.Duration, seed uint64, f Fault) (*records, Ledger) {
	rs := new(records)
	t := New(&tpot.Tracker{Observers: []tpot.Observer{rs}}, 2, seed)
	t.Set(f, true)
	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	t.Run(ctx)
	return rs, t.Ledger()
}

// inBubble is simulate in a bubble, which fails should anything be left running.
func inBubble(t *testing.T, length time.Duration, seed uint64, f Fault) (rs *records, l Ledger) {
	synctest.Test(t, func(*testing.T) { rs, l = simulate(length, seed, f) })
	return rs, l
}

// withoutTokens is the ledger without what only the simulation can know.
func withoutTokens(ended map[Class]Sum) map[Class]Sum {
	known := make(map[Class]Sum)
	for class, sum := range ended {
		sum.Tokens = 0
		known[class] = sum
	}
	return known
}

func everything(Class) bool { return true }

// tokens is the sum of N over the records of an outcome.
func (rs *records) tokens(o tpot.Outcome) (n int) {
	for _, r := range rs.ended {
		if r.Outcome == o {
			n += r.Tokens
		}
	}
	return n
}

// quantile is of a figure of the records that have it, in a scenario or, where that is empty, in all.
func (rs *records) quantile(q float64, scenario string, figure func(record) (time.Duration, bool)) time.Duration {
	var values []time.Duration
	for _, r := range rs.ended {
		if value, ok := figure(r); ok && (scenario == "" || r.Request.Scenario == scenario) {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values[int(q*float64(len(values)-1))]
}

// share is the share of the records that are so.
func (rs *records) share(so func(record) bool) float64 {
	n := 0
	for _, r := range rs.ended {
		if so(r) {
			n++
		}
	}
	return float64(n) / float64(len(rs.ended))
}

func ttft(r record) (time.Duration, bool)     { return r.TTFT() }
func perToken(r record) (time.Duration, bool) { return r.TPOT() }
func gap99(r record) (time.Duration, bool)    { return r.Gaps().Quantile(0.99) }
func stalled(r record) bool                   { return r.Stalls.Count > 0 }
func tokenless(r record) bool                 { return r.Chunks == 0 }

func is(outcomes ...tpot.Outcome) func(record) bool {
	return func(r record) bool { return slices.Contains(outcomes, r.Outcome) }
}

// agree says that the timing and the simulation agree in everything that both know.
func agree(t *testing.T, rs *records, l Ledger, length time.Duration) {
	assert.Equal(t, withoutTokens(l.Ended), rs.sums())
	assert.Equal(t, l.Started, l.Of(everything).Requests)
	whole := l.Of(func(c Class) bool { return c.Outcome == tpot.OutcomeOK })
	assert.Equal(t, whole.Tokens, rs.tokens(tpot.OutcomeOK))
	requests := 2 * length.Seconds()
	assert.InDelta(t, requests, l.Started, 4*math.Sqrt(requests), "four standard deviations of a Poisson process")
}

func TestWithoutFaultsAllIsWell(t *testing.T) {
	rs, l := inBubble(t, 30*time.Minute, 2, "")
	agree(t, rs, l, 30*time.Minute)
	for _, scenario := range []string{"", "chat", "completion", "documents"} {
		assert.Less(t, rs.quantile(0.95, scenario, ttft), 1500*time.Millisecond, scenario)
	}
	assert.Less(t, rs.quantile(0.95, "reasoning", ttft), 2*time.Second)
	assert.Greater(t, rs.quantile(0.01, "", perToken), 14*time.Millisecond)
	assert.Less(t, rs.quantile(0.99, "", perToken), 40*time.Millisecond)
	assert.Less(t, rs.quantile(0.99, "", gap99), 250*time.Millisecond)

	assert.InDelta(t, 0.004, rs.share(stalled), 0.002)
	assert.InDelta(t, 0.02, rs.share(is(tpot.OutcomeCanceled)), 0.005)
	assert.InDelta(t, 0.004, rs.share(is(tpot.OutcomeFailed, tpot.OutcomeTruncated, tpot.OutcomeTimeout)), 0.002)
	assert.InDelta(t, 0.001, rs.share(tokenless), 0.001)
	assert.Positive(t, rs.share(stalled))
	for _, o := range []tpot.Outcome{tpot.OutcomeCanceled, tpot.OutcomeTimeout, tpot.OutcomeTruncated, tpot.OutcomeFailed} {
		assert.Positive(t, rs.share(is(o)), o)
	}
}

func TestEveryFaultShows(t *testing.T) {
	for f, check := range map[Fault]func(*testing.T, *records){
		SlowTokens: func(t *testing.T, rs *records) {
			assert.Greater(t, rs.quantile(0.1, "", perToken), 140*time.Millisecond)
			assert.Less(t, rs.quantile(0.99, "", perToken), 260*time.Millisecond)
			assert.Less(t, rs.quantile(0.95, "", ttft), 1500*time.Millisecond, "no slow start")
			assert.Less(t, rs.share(stalled), 0.01, "nor stalls")
		},
		SlowStart: func(t *testing.T, rs *records) {
			assert.GreaterOrEqual(t, rs.quantile(0, "", ttft), 12*time.Second)
			assert.LessOrEqual(t, rs.quantile(1, "", ttft), 20*time.Second)
			assert.Less(t, rs.quantile(0.99, "", perToken), 40*time.Millisecond, "tokens come as ever")
		},
		Freezes: func(t *testing.T, rs *records) {
			assert.InDelta(t, 0.9, rs.share(stalled), 0.05)
			assert.Greater(t, rs.quantile(0.2, "", func(r record) (time.Duration, bool) { return r.Stalls.Longest, true }), 3*time.Second)
			assert.Less(t, rs.quantile(0.95, "", ttft), 1500*time.Millisecond)
		},
		NoTokens: func(t *testing.T, rs *records) {
			for _, o := range []tpot.Outcome{tpot.OutcomeOK, tpot.OutcomeTimeout, tpot.OutcomeFailed} {
				assert.InDelta(t, 0.5/3, rs.share(func(r record) bool { return tokenless(r) && r.Outcome == o }), 0.04, o)
			}
		},
		Cancels: func(t *testing.T, rs *records) {
			assert.InDelta(t, 0.5, rs.share(is(tpot.OutcomeCanceled)), 0.05)
			for _, cause := range []string{"context", "early close"} {
				assert.InDelta(t, 0.25, rs.share(func(r record) bool { return r.Cause == cause }), 0.05, cause)
			}
		},
		Errors: func(t *testing.T, rs *records) {
			assert.InDelta(t, 0.25, rs.share(is(tpot.OutcomeFailed)), 0.05)
			assert.InDelta(t, 0.25, rs.share(is(tpot.OutcomeTruncated)), 0.05)
		},
	} {
		t.Run(string(f), func(t *testing.T) {
			rs, l := inBubble(t, 6*time.Minute, 3, f)
			agree(t, rs, l, 6*time.Minute)
			check(t, rs)
		})
	}
}

func TestFaultsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := new(records)
		simulation := New(&tpot.Tracker{Observers: []tpot.Observer{rs}}, 2, 1)
		assert.False(t, simulation.On(SlowStart))
		began := time.Now()
		go func() {
			time.Sleep(5 * time.Minute)
			simulation.Set(SlowStart, true)
			assert.True(t, simulation.On(SlowStart))
			time.Sleep(5 * time.Minute)
			simulation.Set(SlowStart, false)
		}()
		ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
		defer stop()
		simulation.Run(ctx)
		for _, r := range rs.ended {
			if ttft, ok := r.TTFT(); ok {
				meanwhile := r.Start.Sub(began)/(5*time.Minute) == 1
				assert.Equal(t, meanwhile, ttft >= 12*time.Second)
			}
		}
		assert.InDelta(t, 1.0/3, rs.share(func(r record) bool { ttft, _ := r.TTFT(); return ttft >= 12*time.Second }), 0.05)
	})
}

func TestWhatModelsDoDifferently(t *testing.T) {
	rs, l := inBubble(t, 10*time.Minute, 4, "")
	seen := map[string]bool{}
	for _, r := range rs.ended {
		if r.Outcome != tpot.OutcomeOK || tokenless(r) {
			continue
		}
		first, _ := r.TTFT()
		visible, _ := r.TTFO()
		_, cv := r.Gaps().CV()
		switch r.Request.Model {
		case "larch-2-deep":
			assert.Greater(t, visible, first+300*time.Millisecond, "reasoning comes first")
			assert.Positive(t, r.Usage.Reasoning)
		case "osier-3-flash":
			assert.Equal(t, tpot.SourceCounted, r.Source)
			assert.Greater(t, r.Tokens, 2*r.Chunks)
			assert.Equal(t, "tokens", r.ITLBasis())
		case "birch-small":
			assert.Equal(t, []string{""}, r.models, "named too late for a chunk")
			fallthrough
		default:
			assert.Equal(t, tpot.SourceReported, r.Source)
			assert.Equal(t, "chunks", r.ITLBasis())
		}
		assert.NotEqual(t, r.Request.Model, r.Model)
		assert.Contains(t, r.Model, r.Request.Model)
		assert.GreaterOrEqual(t, r.Chunks, 20)
		assert.LessOrEqual(t, r.Chunks, 150)
		assert.True(t, cv)
		assert.Equal(t, "stop", r.FinishReason)
		assert.Positive(t, r.Setup)
		assert.InDelta(t, float64(time.Millisecond), float64(r.Hold)/float64(r.Events), float64(time.Millisecond/2), "for each event")
		seen[r.Request.Provider+" "+r.Request.Scenario] = true
	}
	assert.Len(t, seen, 8)
	assert.Positive(t, l.Of(everything).Usage.Cached)
}

func TestAnswersOnTheirWayAreCanceledAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := new(records)
		simulation := New(&tpot.Tracker{Observers: []tpot.Observer{rs}}, 10, 1)
		simulation.Set(SlowStart, true)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, stop) // before any first token
		began := time.Now()
		simulation.Run(ctx)
		assert.Equal(t, 10*time.Second, time.Since(began))
		canceled := simulation.Ledger().Of(func(c Class) bool { return c.Outcome == tpot.OutcomeCanceled })
		assert.Equal(t, simulation.Ledger().Started, canceled.Requests)
		assert.NotZero(t, canceled.Requests)
		assert.Equal(t, canceled.Requests, canceled.WithoutToken)
		assert.EqualValues(t, 1, rs.share(is(tpot.OutcomeCanceled)))
	})
}

func TestTheSeedSettlesEverything(t *testing.T) {
	_, one := inBubble(t, 2*time.Minute, 7, Freezes)
	_, same := inBubble(t, 2*time.Minute, 7, Freezes)
	_, other := inBubble(t, 2*time.Minute, 8, Freezes)
	assert.Equal(t, one, same)
	assert.NotEqual(t, one, other)
}

func TestNoTrafficAtAllIsAMistake(t *testing.T) {
	for _, perSecond := range []float64{0, -1, math.NaN()} {
		assert.Panics(t, func() { New(nil, perSecond, 1) })
	}
}
