package tpot_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// step is one turn of a consumer: it asks after holding for some time, and waits some time for an event. Milliseconds.
type step struct {
	hold, wait float64
	kind       tpot.Kind
}

// walk plays steps after a setup of 10 ms and leaves the Recorder open, at the offset returned.
func walk(r *tpot.Recorder, steps ...step) time.Duration {
	now := 10 * time.Millisecond
	for i, s := range steps {
		if i > 0 {
			now += millis(s.hold)
		}
		r.BeginWaitAt(now)
		now += millis(s.wait)
		r.ObserveAt(now, tpot.Event{Kind: s.kind})
	}
	return now
}

func TestTimeIsSetupWaitAndHold(t *testing.T) {
	r := tpot.Start(t.Context())
	now := walk(r, step{0, 90, text}, step{200, 1, text}, step{200, 1, text})
	r.BeginWaitAt(now + millis(30))
	s := r.EndAt(now+millis(35), nil)
	assert.Equal(t, millis(10), s.Setup)
	assert.Equal(t, millis(90+1+1+5), s.Wait)
	assert.Equal(t, millis(200+200+30), s.Hold)
	has(t, 10+97+430, s.E2E, "E2E")
	assert.Zero(t, s.Stalls.Count, "the consumer's hold is no stall")
	has(t, 201, s.Gaps().Max, "a gap has both")
}

func TestTimeAfterTheLastEvent(t *testing.T) {
	t.Run("is hold when the consumer does not ask again", func(t *testing.T) {
		r := tpot.Start(t.Context())
		walk(r, step{0, 90, text})
		s := r.EndAt(millis(400), tpot.EarlyClose)
		assert.Equal(t, millis(300), s.Hold)
		assert.Equal(t, millis(90), s.Wait)
	})
	t.Run("is wait when nobody ever began one", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(100, text))
		s := r.EndAt(millis(900), nil)
		assert.Equal(t, millis(900), s.Wait)
		assert.Zero(t, s.Stalls.Count, "but no open one, so no stall")
	})
	t.Run("is setup when an adapter has the stream and never asked", func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.Claim("adapter")
		s := r.EndAt(millis(900), tpot.EarlyClose)
		assert.Equal(t, millis(900), s.Setup)
		assert.Zero(t, s.Wait)
	})
}

func TestOurOwnWorkIsNeitherWaitNorHold(t *testing.T) {
	r := tpot.Start(t.Context())
	r.BeginHoldAt(millis(3)) // before any event there is nothing to hold
	r.BeginWaitAt(millis(10))
	r.BeginHoldAt(millis(20)) // and during a wait neither
	r.ObserveAt(millis(100), tpot.Event{Kind: text})
	r.BeginHoldAt(millis(130))
	r.BeginWaitAt(millis(150))
	r.ObserveAt(millis(160), tpot.Event{Kind: text})
	s := r.EndAt(millis(160), nil)
	assert.Equal(t, millis(10), s.Setup)
	assert.Equal(t, millis(20), s.Hold)
	assert.Equal(t, millis(100), s.Wait)
}

func TestASecondBeginWaitDoesNothing(t *testing.T) {
	r := tpot.Start(t.Context())
	r.BeginWaitAt(millis(10))
	r.BeginWaitAt(millis(50))
	since, ok := r.Waiting()
	assert.True(t, ok)
	assert.Equal(t, millis(10), since)
	assert.Equal(t, millis(90), r.EndAt(millis(100), nil).Wait)
}

func TestWaiting(t *testing.T) {
	r := tpot.Start(t.Context())
	_, ok := r.Waiting()
	assert.False(t, ok, "before the first")
	r.BeginWaitAt(millis(5))
	r.ObserveAt(millis(5), tpot.Event{Kind: text})
	_, ok = r.Waiting()
	assert.False(t, ok, "an event ends it")
	r.BeginWaitAt(millis(5)) // in no time
	since, ok := r.Waiting()
	assert.True(t, ok)
	assert.Equal(t, millis(5), since)
	r.End(nil)
	_, ok = r.Waiting()
	assert.False(t, ok, "and so does the end")
}

func TestStalls(t *testing.T) {
	cases := []struct {
		name  string
		steps []step
		end   float64 // wait until the end; 0: the consumer does not ask again
		err   error
		want  tpot.Stalls
	}{
		{"just below the threshold", []step{{0, 1, text}, {0, 499.999, text}}, 0, nil, tpot.Stalls{}},
		{"at the threshold", []step{{0, 1, text}, {0, 500, text}}, 0, nil, tpot.Stalls{Count: 1, Total: millis(500), Longest: millis(500)}},
		{"the wait for the first chunk is none", []step{{0, 5000, text}, {0, 10, text}}, 0, nil, tpot.Stalls{}},
		{"the consumer's hold is none", []step{{0, 1, text}, {5000, 1, text}}, 0, nil, tpot.Stalls{}},
		{"pings do not break it", []step{{0, 1, text}, {0, 300, tpot.KindPing}, {1, 300, tpot.KindPing}, {0, 100, text}}, 0, nil, tpot.Stalls{Count: 1, Total: millis(700), Longest: millis(700)}},
		{"two of them", []step{{0, 1, text}, {0, 600, text}, {0, 20, text}, {0, 900, text}}, 0, nil, tpot.Stalls{Count: 2, Total: millis(1500), Longest: millis(900)}},
		{"one that never ends", []step{{0, 1, text}}, 800, tpot.EarlyClose, tpot.Stalls{Count: 1, Total: millis(800), Longest: millis(800)}},
		{"one with a ping that never ends", []step{{0, 1, text}, {0, 400, tpot.KindPing}}, 200, tpot.EarlyClose, tpot.Stalls{Count: 1, Total: millis(600), Longest: millis(600)}},
		{"the wait for the end of a complete response is none", []step{{0, 1, text}, {0, 10, finish}}, 800, nil, tpot.Stalls{}},
		{"before any chunk the end's wait is none", []step{{0, 1, tpot.KindRole}}, 800, tpot.EarlyClose, tpot.Stalls{}},
		{"one that ends with an error in the stream", []step{{0, 1, text}, {0, 800, tpot.KindError}}, 900, nil, tpot.Stalls{Count: 1, Total: millis(800), Longest: millis(800)}},
		{"a wait before the finish reason is none", []step{{0, 1, text}, {0, 800, finish}}, 0, nil, tpot.Stalls{}},
		{"a ping after a long wait, then the consumer leaves", []step{{0, 1, text}, {0, 800, tpot.KindPing}}, 0, tpot.EarlyClose, tpot.Stalls{Count: 1, Total: millis(800), Longest: millis(800)}},
		{"the same, abandoned", []step{{0, 1, text}, {0, 800, tpot.KindPing}}, 0, tpot.Abandoned, tpot.Stalls{Count: 1, Total: millis(800), Longest: millis(800)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := tpot.Start(t.Context())
			now := walk(r, c.steps...)
			if c.end > 0 {
				r.BeginWaitAt(now)
				now += millis(c.end)
			}
			assert.Equal(t, c.want, r.EndAt(now, c.err).Stalls)
		})
	}
}

func TestAnErrorEndsAStall(t *testing.T) {
	r := tpot.Start(t.Context())
	now := walk(r, step{0, 1, text})
	r.BeginWaitAt(now)
	r.ObserveErrorAt(now+millis(700), errBoom)
	s := r.EndAt(now+millis(5000), tpot.EarlyClose)
	assert.Equal(t, tpot.Stalls{Count: 1, Total: millis(700), Longest: millis(700)}, s.Stalls)
}

func TestHoldBound(t *testing.T) {
	cases := []struct {
		name  string
		steps []step
		want  int
	}{
		{"it was there", []step{{0, 90, text}, {200, 0.001, text}}, 1},
		{"it came while the consumer waited", []step{{0, 90, text}, {200, 0.05, text}}, 0},
		{"a quick consumer of a quick producer", []step{{0, 90, text}, {0.001, 0.04, text}}, 0},
		{"behind a ping that was there too", []step{{0, 90, text}, {200, 0.001, tpot.KindPing}, {0, 0.002, text}}, 1},
		{"behind a ping that was waited for", []step{{0, 90, text}, {200, 50, tpot.KindPing}, {0, 0.002, text}}, 0},
		{"after a hold behind a ping", []step{{0, 90, text}, {0, 50, tpot.KindPing}, {100, 0.002, text}}, 1},
		{"behind pings that were waited for together", []step{{0, 90, text}, {1, 0.03, tpot.KindPing}, {0, 0.03, tpot.KindPing}, {0, 0.03, text}}, 0},
		{"the first chunk", []step{{0, 0.001, text}}, 0},
		{"several that were there together", []step{{0, 90, text}, {200, 0.001, text}, {0, 0, text}, {0, 0, text}}, 3},
		{"several that came together while the consumer waited", []step{{0, 90, text}, {200, 50, text}, {0, 0, text}}, 0},
		{"after several that were there together", []step{{0, 90, text}, {200, 0.001, text}, {0, 0, text}, {0, 50, text}, {0, 0, text}}, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := tpot.Start(t.Context())
			walk(r, c.steps...)
			assert.Equal(t, c.want, r.Stats().HoldBound)
		})
	}
}

func TestITL(t *testing.T) {
	t.Run("is the gaps while chunks have one token", func(t *testing.T) {
		s := record(t, tokens(10, 1), tokens(20, 1), tokens(40, 1))
		assert.Same(t, s.Gaps(), s.ITL())
		assert.Equal(t, "tokens", s.ITLBasis())
	})
	t.Run("is the gap over the chunk's tokens, so many times", func(t *testing.T) {
		s := record(t, tokens(100, 4), tokens(110, 1), tokens(140, 3), tokens(145, 1))
		var want tpot.Histogram
		want.Observe(millis(10))
		want.ObserveN(millis(10), 3)
		want.Observe(millis(5))
		assert.Equal(t, 5, s.ITL().Count())
		checkSameDistribution(t, &want, s.ITL())
		wantJitter, _ := want.Jitter()
		has(t, float64(wantJitter)/1e6, s.ITL().Jitter, "jitter")
		assert.Equal(t, 3, s.Gaps().Count())
		perChunk, ok := s.TokensPerChunk()
		assert.True(t, ok)
		assert.InDelta(t, 9.0/4, perChunk, 1e-9)
	})
	t.Run("keeps the sum where the division leaves a rest", func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.ObserveAt(0, tpot.Event{Kind: text, Tokens: 1})
		r.ObserveAt(100, tpot.Event{Kind: text, Tokens: 7})
		itl := r.EndAt(100, nil).ITL()
		assert.Equal(t, time.Duration(100), itl.Sum())
		least, _ := itl.Min()
		most, _ := itl.Max()
		assert.Equal(t, [2]time.Duration{14, 15}, [2]time.Duration{least, most})
	})
	t.Run("says when only some counts are known", func(t *testing.T) {
		assert.Equal(t, "mixed", record(t, tokens(10, 2), kind(20, text)).ITLBasis())
		assert.Equal(t, "chunks", record(t, kind(10, text), kind(20, text)).ITLBasis())
		assert.Empty(t, record(t).ITLBasis())
	})
	t.Run("of several choices has the jitter of each", func(t *testing.T) {
		choice := func(ms, index int) at { return at{ms, tpot.Event{Kind: text, Choice: index}} }
		s := record(t, choice(0, 0), choice(0, 1), choice(10, 0), choice(20, 0), choice(30, 1), choice(30, 0), choice(60, 1))
		jitter, ok := s.Gaps().Jitter()
		assert.True(t, ok)
		assert.Zero(t, jitter, "10 ms and 30 ms are each steady")
	})
}

func TestBadCountsAreFaults(t *testing.T) {
	for name, e := range map[string]tpot.Event{
		"negative tokens": {Kind: text, Tokens: -5},
		"huge tokens":     {Kind: text, Tokens: math.MaxInt32},
		"negative usage":  {Kind: text | tpot.KindUsage, Usage: tpot.Usage{Output: -1}},
		"huge usage":      {Kind: text | tpot.KindUsage, Usage: tpot.Usage{Input: math.MaxInt32}},
	} {
		t.Run(name, func(t *testing.T) {
			s := record(t, at{10, e}, kind(20, text))
			assert.Equal(t, 1, s.Faults)
			assert.Equal(t, tpot.SourceChunks, s.Source)
			assert.Equal(t, 2, s.Tokens)
			has(t, 10, s.TPOT, "TPOT")
		})
	}
	t.Run("a sum that no response has", func(t *testing.T) {
		s := record(t, tokens(10, math.MaxInt32-1), tokens(20, math.MaxInt32-1), tokens(30, 1))
		assert.Equal(t, 2, s.Faults)
	})
}

func TestChoicesAreBounded(t *testing.T) {
	r := tpot.Start(t.Context())
	for i := range 100_000 {
		r.ObserveAt(0, tpot.Event{Kind: text, Choice: i - 50})
	}
	s := r.EndAt(1, nil)
	assert.Equal(t, 128, s.Choices)
	assert.Equal(t, 100_000, s.Chunks)
	assert.Equal(t, 100_000-128, s.Faults)
}

func TestAttempts(t *testing.T) {
	r := tpot.Start(t.Context())
	for i := range 1000 {
		r.Attempt(tpot.Attempt{Status: 429, Headers: time.Duration(i + 1), FirstByte: time.Duration(i + 2)})
	}
	s := r.EndAt(1, nil)
	assert.Len(t, s.Attempts, 32)
	headers, _ := s.Headers()
	ttfb, _ := s.TTFB()
	assert.Equal(t, [2]time.Duration{1000, 1001}, [2]time.Duration{headers, ttfb}, "the newest is kept")
	lacks(t, record(t).TTFB, "TTFB")
}

func TestServerTimingsAreKeptApart(t *testing.T) {
	r := tpot.Start(t.Context())
	feed(r, kind(100, text), kind(200, text))
	r.ReportServer(tpot.ServerTimings{Source: "vllm", TTFT: 1})
	r.ReportServer(tpot.ServerTimings{Source: "vllm", TTFT: millis(5)})
	s := r.EndAt(millis(200), nil)
	assert.Equal(t, millis(5), s.Server.TTFT)
	has(t, 100, s.TTFT, "TTFT")
}

func TestStatsSoFarAreACopy(t *testing.T) {
	r := tpot.Start(t.Context())
	feed(r, tokens(10, 1), tokens(20, 2))
	r.Attempt(tpot.Attempt{Status: 200})
	s := r.Stats()
	gaps, itl := *s.Gaps(), *s.ITL()
	feed(r, tokens(30, 1), tokens(90, 4))
	assert.Equal(t, gaps, *s.Gaps())
	assert.Equal(t, itl, *s.ITL())
	assert.Equal(t, tpot.OutcomeOpen, s.Outcome)
	lacks(t, s.E2E, "E2E")
	assert.Equal(t, 2, s.Chunks)
	assert.Equal(t, 4, r.Stats().Chunks)
}

func TestTenMillionEventsTakeNoMoreMemory(t *testing.T) {
	r := tpot.Start(t.Context())
	observe := func(n int) {
		for i := range n {
			at := time.Duration(i) * 20 * time.Microsecond
			r.BeginWaitAt(at)
			r.ObserveAt(at, tpot.Event{Kind: text, Tokens: 1, Choice: i % 3})
		}
	}
	observe(100)
	before := allocated()
	observe(10_000_000)
	assert.Less(t, allocated()-before, uint64(100_000), "bytes allocated")
	assert.Equal(t, 10_000_100, r.EndAt(0, nil).Chunks)
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestObserveAllocatesNothing(t *testing.T) {
	r := tpot.Start(t.Context())
	_, observed := (&tpot.Tracker{Observers: []tpot.Observer{silent{}}}).Start(t.Context(), tpot.Request{})
	for name, rec := range map[string]*tpot.Recorder{"alone": r, "observed": observed} {
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			rec.BeginWait()
			rec.Observe(tpot.Event{Kind: text, Model: "m"})
			rec.BeginHold()
			rec.Waiting()
		}), name)
	}
}

// silent is an observer that does nothing.
type silent struct{}

func (s silent) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, s
}
func (silent) Observe(tpot.Arrival) {}
func (silent) End(tpot.Stats)       {}

func TestARequestIsOneAllocation(t *testing.T) {
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		r := tpot.Start(context.Background())
		for range 100 {
			r.BeginWait()
			r.Observe(tpot.Event{Kind: text})
		}
		r.End(nil)
	}), 1.0)
}

// TestGateUnderContention has readers queue for the lock of a stream in full flow.
func TestGateUnderContention(t *testing.T) {
	r := tpot.Start(t.Context())
	const events = 20_000
	var all sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s := r.Stats()
					if gaps := s.Gaps().Count(); s.Chunks > 0 && gaps != s.Chunks-1 {
						panic(fmt.Sprintf("torn: %d chunks, %d gaps", s.Chunks, gaps))
					}
					r.Waiting()
				}
			}
		})
	}
	for range events {
		r.BeginWait()
		r.Observe(tpot.Event{Kind: text})
	}
	close(done)
	all.Wait()
	assert.Equal(t, events, r.End(nil).Chunks)
}

func TestTheTimelineCoversTheWholeResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tpot.Start(t.Context())
		freeze := 150
		for i := range 300 {
			if i == freeze {
				time.Sleep(1500 * time.Millisecond)
			}
			time.Sleep(20 * time.Millisecond)
			r.Observe(tpot.Event{Kind: text})
		}
		s := r.End(nil)
		report := s.Report()
		// 7.5 s in bins of 2^28 ns (268 ms): the freeze of 1.52 s covers 6 or 7 of 28, and none of the rest is high.
		assert.Contains(t, []int{6, 7}, strings.Count(report, "█"), report)
		assert.Equal(t, 28, strings.Count(report, "█")+strings.Count(report, "▁"), report)
		assert.Contains(t, report, "1.52s")
	})
}
