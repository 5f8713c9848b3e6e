package monitor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// stretch is a time in which the wait for a chunk grows; unread is the setup that goes on without anybody waiting.
type stretch struct {
	from, to time.Time
	unread   bool
}

// plainWait is a wait for a chunk as it was: the stretches of it, with the consumer's holds between them.
type plainWait struct {
	stream string
	chunks int // before it
	grew   []stretch
}

// at is the wait at a time, and whether it goes on then.
func (w *plainWait) at(t time.Time) (wait time.Duration, goesOn bool) {
	for _, s := range w.grew {
		if t.Before(s.from) {
			break
		}
		wait += min(t.Sub(s.from), s.to.Sub(s.from))
		goesOn = !s.unread && !t.After(s.to)
	}
	return wait, goesOn
}

// due is the latest time at which a watch from began on has to tell the wait, if it has to: as it reaches the limit or, where the consumer
// did not wait all the time, a twentieth of the limit later.
func (w *plainWait) due(limit time.Duration, began time.Time) (latest time.Time, must bool) {
	var sofar time.Duration
	for i, s := range w.grew {
		reached := s.from.Add(max(limit-sofar, 0))
		if reached.Before(began) {
			reached = began
		}
		if i > 0 {
			reached = reached.Add(limit / 20)
		}
		if !s.unread && !reached.After(s.to) {
			return reached, true
		}
		sofar += s.to.Sub(s.from)
	}
	return time.Time{}, false
}

// randomStream is a request of a consumer who waits, holds, gets pings and chunks as chance will have it. It returns the waits.
func randomStream(tracker *tpot.Tracker, name string, rnd *rand.Rand) []*plainWait {
	pass := func() {
		ms := rnd.IntN(300)
		if rnd.IntN(4) == 0 {
			ms *= 8
		}
		time.Sleep(time.Duration(ms)*time.Millisecond + time.Duration(rnd.IntN(1e6)) + 1)
	}
	pass()
	_, rec := tracker.Start(context.Background(), tpot.Request{Scenario: name})
	w := &plainWait{stream: name}
	waits := []*plainWait{w}
	from := time.Now()
	grow := func(unread bool) {
		w.grew = append(w.grew, stretch{from, time.Now(), unread})
		from = time.Now()
	}
	pass()
	if rnd.IntN(2) == 0 {
		rec.Claim("an adapter")
		grow(false)
		pass()
		grow(true)
	}
	rec.BeginWait()
	for range 2 + rnd.IntN(10) {
		pass()
		switch rnd.IntN(6) {
		case 0:
			rec.EndWait()
			grow(false)
		case 1, 2:
			rec.Observe(pingEvent)
			grow(false)
		default:
			rec.Observe(textEvent)
			grow(false)
			w = &plainWait{stream: name, chunks: w.chunks + 1}
			waits = append(waits, w)
		}
		if rnd.IntN(3) > 0 {
			pass()
		}
		from = time.Now()
		rec.BeginWait()
	}
	pass()
	rec.End(nil)
	grow(false)
	return waits
}

// Whatever streams do, and whenever the watch begins: each wait that reaches its limit is told once and in time, with its length, and no
// other is.
func TestTheWatchdogOfRandomStreams(t *testing.T) {
	for seed := range uint64(150) {
		inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			limits := monitor.StallLimits{FirstToken: time.Duration(100+rnd.IntN(900)) * ms, Gap: time.Duration(100+rnd.IntN(900)) * ms}
			var mu sync.Mutex
			var waits []*plainWait
			told := map[string]monitor.Stall{}
			at := map[string]time.Time{}
			var streams sync.WaitGroup
			for i := range 1 + rnd.IntN(20) {
				streams.Go(func() {
					w := randomStream(b.tracker, fmt.Sprint(i), rand.New(rand.NewPCG(seed, uint64(1+i))))
					mu.Lock()
					defer mu.Unlock()
					waits = append(waits, w...)
				})
			}
			time.Sleep(time.Duration(rnd.IntN(2000)) * ms)
			began := time.Now()
			b.WatchStalls(limits, func(s monitor.Stall) {
				mu.Lock()
				defer mu.Unlock()
				id := fmt.Sprint(s.Stats.Request.Scenario, " after ", s.Stats.Chunks)
				require.NotContains(t, told, id, "told twice")
				told[id], at[id] = s, time.Now()
			})
			streams.Wait()
			synctest.Wait()

			for _, w := range waits {
				limit := limits.Gap
				if w.chunks == 0 {
					limit = limits.FirstToken
				}
				id := fmt.Sprint(w.stream, " after ", w.chunks)
				what := fmt.Sprintf("seed %d, stream %s, limit %v, watched from %v: %v", seed, id, limit, began, w.grew)
				s, ok := told[id]
				latest, must := w.due(limit, began)
				require.False(t, must && !ok, "never told: %s", what)
				if !ok {
					continue
				}
				wait, goesOn := w.at(at[id])
				require.Equal(t, wait, s.Wait, what)
				require.Equal(t, w.chunks == 0, s.First, what)
				require.True(t, goesOn, what)
				require.GreaterOrEqual(t, wait, limit, what)
				if must {
					require.False(t, at[id].After(latest), "at %v: %s", at[id], what)
				}
				delete(told, id)
			}
			require.Empty(t, told, "no such waits")
		})
	}
}
