package traffic

import (
	"context"
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
	stalls int      // that a chunk ended
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
	if a.Stall {
		o.stalls++
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
		one := Sum{Requests: 1, Chunks: r.Chunks, Usage: r.Usage, Freezes: r.stalls}
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

func TestTheTimingSaysWhatTheSimulationDid(t *testing.T) {
	for _, f := range append(Faults(), "") {
		t.Run(string(f), func(t *testing.T) {
			rs, l := inBubble(t, 20*time.Minute, 1, f)
			assert.Equal(t, withoutTokens(l.Ended), rs.sums())
			all := l.Of(everything)
			assert.Equal(t, l.Started, all.Requests)
			assert.InDelta(t, 2*20*60, all.Requests, 4*49, "requests, within four standard deviations")
			assert.NotZero(t, all.Chunks)

			tokens, known := 0, Sum{}
			for _, r := range rs.ended {
				if r.Outcome == tpot.OutcomeOK && r.Chunks > 0 {
					tokens += r.Tokens
				}
			}
			for class, sum := range l.Ended {
				if class.Outcome == tpot.OutcomeOK {
					known.add(sum)
				}
			}
			assert.Equal(t, known.Tokens, tokens)
		})
	}
}
