package monitor_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

var limits = monitor.StallLimits{FirstToken: 5 * time.Second, Gap: 2 * time.Second}

// stalled is a call of a watchdog's callback, times in seconds since the beginning.
type stalled struct {
	scenario string
	at, wait float64
	first    bool
	chunks   int
}

// watchStalls returns what tells the calls so far.
func (b *bench) watchStalls(l monitor.StallLimits) (calls func() []stalled) {
	tell, calls := collect[stalled]()
	b.WatchStalls(l, func(s monitor.Stall) {
		tell(stalled{s.Stats.Request.Scenario, b.at(time.Now()), s.Wait.Seconds(), s.First, s.Stats.Chunks})
	})
	return calls
}

// stream is a request that a test steers.
func (b *bench) stream(scenario string) *tpot.Recorder {
	_, rec := b.tracker.Start(context.Background(), tpot.Request{Scenario: scenario})
	b.open = append(b.open, rec)
	return rec
}

var textEvent, pingEvent = tpot.Event{Kind: tpot.KindText}, tpot.Event{Kind: tpot.KindPing}

func TestAStallThatNeverEndsIsTold(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		b.until(1)
		rec := b.stream("s")
		b.until(1.25)
		rec.BeginWait()
		b.until(1.5)
		rec.Observe(textEvent)
		b.until(1.75)
		rec.BeginWait()
		b.until(3.7499)
		assert.Empty(t, calls())
		b.until(3600)
		assert.Equal(t, []stalled{{"s", 3.75, 2, false, 1}}, calls(), "at the limit, and once")
	})
}

func TestTheWaitForTheFirstTokenHasItsOwnLimit(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		b.until(0.3)
		rec := b.stream("s") // the call itself takes two seconds
		b.until(2.3)
		rec.BeginWait()
		b.until(6)
		assert.Equal(t, []stalled{{"s", 5.3, 5, true, 0}}, calls())
		rec.Observe(textEvent)
		rec.BeginWait()
		b.until(20)
		assert.Equal(t, stalled{"s", 8, 2, false, 1}, calls()[1], "the gap after it is another wait")
		assert.Len(t, calls(), 2)
	})
}

func TestACallThatHangsIsAWaitForTheFirstToken(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		b.stream("s")
		b.until(20)
		assert.Equal(t, []stalled{{"s", 5, 5, true, 0}}, calls())
	})
}

// Looked at between an adapter's claim and its first read, when nobody waits, a stream has had its setup.
func TestTheFirstReadComesJustBeforeTheLimit(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(monitor.StallLimits{FirstToken: 5 * time.Second}) // looks at 5
		b.until(1)
		rec := b.stream("s")
		b.until(4.9)
		rec.Claim("an adapter")
		b.until(5.1)
		rec.BeginWait()
		b.until(20)
		assert.Equal(t, []stalled{{"s", 6, 5, true, 0}}, calls())
	})
}

func TestPingsDoNotBreakAWait(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		rec := b.stream("s")
		rec.Observe(textEvent)
		for range 10 {
			rec.BeginWait()
			time.Sleep(300 * ms)
			rec.Observe(pingEvent)
		}
		synctest.Wait()
		require.Len(t, calls(), 1)
		assert.Equal(t, stalled{"s", 2, 2, false, 1}, calls()[0])
	})
}

func TestTheConsumersHoldIsNoStall(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		rec := b.stream("s")
		rec.BeginWait()
		rec.Observe(textEvent)
		b.until(100)
		assert.Empty(t, calls())
		rec.BeginWait()
		b.until(101)
		rec.Observe(pingEvent) // a second of wait so far
		b.until(200)
		assert.Empty(t, calls())
		rec.BeginWait()
		b.until(202)
		require.Len(t, calls(), 1)
		assert.Equal(t, 201.0, calls()[0].at)
	})
}

// A consumer who holds just before the limit is looked at twenty times a limit: the stall is told as late as that at most.
func TestAConsumerWhoHeldJustBeforeTheLimit(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		rec := b.stream("s")
		rec.BeginWait()
		rec.Observe(textEvent)
		rec.BeginWait()
		b.until(1.99)
		rec.Observe(pingEvent)
		b.until(10)
		rec.BeginWait() // the limit is reached at 10.01
		b.until(20)
		require.Len(t, calls(), 1)
		assert.GreaterOrEqual(t, calls()[0].at, 10.01)
		assert.LessOrEqual(t, calls()[0].at, 10.01+2.0/20)
		assert.InDelta(t, calls()[0].at-10+1.99, calls()[0].wait, 1e-9)
	})
}

func TestEachWaitIsToldOnce(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		rec := b.stream("s")
		for range 3 { // chunks at 0, 3, 6 and then a wait without end
			rec.Observe(textEvent)
			rec.BeginWait()
			b.until(b.at(time.Now()) + 3)
		}
		b.until(60)
		assert.Equal(t, []stalled{{"s", 2, 2, false, 1}, {"s", 5, 2, false, 2}, {"s", 8, 2, false, 3}}, calls())
	})
}

func TestAWatchThatBeginsInTheMiddleOfAWait(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.stream("short").Observe(textEvent)
		b.until(1)
		b.stream("long").Observe(textEvent)
		b.until(2.5)
		calls := b.watchStalls(limits)
		b.until(60)
		assert.Equal(t, []stalled{{"short", 2.5, 2.5, false, 1}, {"long", 3, 2, false, 1}}, calls())
	})
}

// A request can have waited before it began. Its limit is then closer than that of any other.
func TestARequestThatWasDueEarlier(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(monitor.StallLimits{FirstToken: 5 * time.Second}) // looks at 5, 10 and so on
		for _, begin := range []struct {
			at, due  float64
			scenario string
		}{{1, -3, "two left"}, {6, -3, "none left"}, {11.25, 10, "the next look is in time"}, {15.02, 14.96, "a bit"}} {
			b.until(begin.at)
			_, rec := b.tracker.StartAt(t.Context(), b.began.Add(time.Duration(begin.due*1000)*ms), tpot.Request{Scenario: begin.scenario})
			b.open = append(b.open, rec)
		}
		b.until(60)
		assert.Equal(t, []stalled{
			{"two left", 2, 5, true, 0}, {"none left", 6, 9, true, 0}, {"the next look is in time", 15, 5, true, 0}, {"a bit", 19.96, 5, true, 0},
		}, calls())
	})
}

// It can begin while the watch looks at the others.
func TestARequestThatWasDueEarlierBeginsDuringALook(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var told []float64
		var late *tpot.Recorder
		b.WatchStalls(monitor.StallLimits{FirstToken: 5 * time.Second}, func(monitor.Stall) {
			if told = append(told, b.at(time.Now())); len(told) == 1 {
				_, late = b.tracker.StartAt(t.Context(), time.Now().Add(-3*time.Second), tpot.Request{})
			}
		})
		b.stream("the first")
		b.until(60)
		assert.Equal(t, []float64{5, 7}, told)
		late.End(nil)
	})
}

func TestStreamsThatAreDoneDoNotStall(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		ended, complete, failed, claimed := b.stream("ended"), b.stream("complete"), b.stream("failed"), b.stream("claimed")
		ended.Observe(textEvent)
		ended.End(nil)
		complete.Observe(tpot.Event{Kind: tpot.KindText | tpot.KindFinish})
		complete.BeginWait()
		failed.Observe(tpot.Event{Kind: tpot.KindError})
		failed.BeginWait()
		claimed.Claim("an adapter that is not read")
		b.until(100)
		assert.Empty(t, calls())
	})
}

func TestALimitThatIsZeroIsNone(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		first := b.watchStalls(monitor.StallLimits{FirstToken: 5 * time.Second})
		gap := b.watchStalls(monitor.StallLimits{Gap: 2 * time.Second})
		none := b.watchStalls(monitor.StallLimits{})
		negative := b.watchStalls(monitor.StallLimits{FirstToken: -1, Gap: -1})
		rec := b.stream("s")
		b.until(20)
		rec.Observe(textEvent)
		b.until(40)
		assert.Equal(t, []stalled{{"s", 5, 5, true, 0}}, first())
		assert.Equal(t, []stalled{{"s", 22, 2, false, 1}}, gap())
		assert.Empty(t, none())
		assert.Empty(t, negative())
	})
}

// Many streams, each with its own time: every stall is told at its own instant.
func TestManyStallsAreToldAtTheirInstants(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watchStalls(limits)
		want := map[string]float64{}
		for i := range 600 {
			b.until(float64(i) * 0.0137)
			rec := b.stream(fmt.Sprint(i))
			rec.Observe(textEvent)
			rec.BeginWait()
			want[fmt.Sprint(i)] = b.at(time.Now()) + 2
		}
		b.until(60)
		got := map[string]float64{}
		for _, c := range calls() {
			got[c.scenario] = c.at
		}
		require.Len(t, calls(), 600)
		for scenario, at := range want {
			assert.InDelta(t, at, got[scenario], 1e-9, scenario)
		}
	})
}

type cancelKey struct{}

// An application cancels what stands still, through what it put into the context.
func TestAStallCanBeCanceled(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.WatchStalls(limits, func(s monitor.Stall) {
			s.Context.Value(cancelKey{}).(context.CancelFunc)()
			assert.NotNil(t, tpot.FromContext(s.Context))
		})
		ctx, cancel := context.WithCancel(t.Context())
		ctx, rec := b.tracker.Start(context.WithValue(ctx, cancelKey{}, cancel), tpot.Request{})
		rec.Observe(textEvent)
		rec.BeginWait()
		<-ctx.Done()
		s := rec.End(ctx.Err())
		assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
		e2e, _ := s.E2E()
		assert.Equal(t, 2*time.Second, e2e)
	})
}

func TestAStallCallbackThatIsSlowOrPanicsHarmsNobody(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		b.WatchStalls(limits, func(monitor.Stall) { panic("callback") })
		b.WatchStalls(limits, func(monitor.Stall) { time.Sleep(10 * time.Second) })
		calls := b.watchStalls(limits)
		one := b.stream("one")
		one.Observe(textEvent)
		b.until(1)
		other := b.stream("other")
		other.Observe(textEvent)
		b.until(30)
		assert.Equal(t, []stalled{{"one", 2, 2, false, 1}, {"other", 3, 2, false, 1}}, calls())
		assert.Equal(t, 2, b.Faults())
		one.End(nil)
		other.End(nil)
		b.until(50)
	})
}

// What a callback takes is the time of those who stall meanwhile, and no more than that.
func TestStallsDuringACallbackAreToldAfterIt(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var calls []stalled
		b.WatchStalls(limits, func(s monitor.Stall) {
			calls = append(calls, stalled{s.Stats.Request.Scenario, b.at(time.Now()), s.Wait.Seconds(), s.First, s.Stats.Chunks})
			time.Sleep(time.Second)
		})
		early, late := b.stream("seated first"), b.stream("seated last")
		late.Observe(textEvent)
		b.until(0.5)
		early.Observe(textEvent) // at its limit while the other one is told
		for range 5 {
			b.until(b.at(time.Now()) + 0.9)
			b.stream("each on its own").Observe(textEvent)
		}
		b.until(30.5)
		var at, waits []float64
		for _, c := range calls {
			at, waits = append(at, math.Round(c.at*10)/10), append(waits, math.Round(c.wait*10)/10)
		}
		assert.Equal(t, []float64{2, 3, 4, 5, 6, 7, 8}, at)
		assert.Equal(t, []float64{2, 2.5, 2.6, 2.7, 2.8, 2.9, 3}, waits)
	})
}

// Streams stall faster than they can be told, so that there is a call at every look: no rest is made for what the calls take.
func TestCallbacksThatAreBehind(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := 0
		b.WatchStalls(limits, func(monitor.Stall) {
			calls++
			assert.InDelta(t, 2+0.1*float64(calls-1), b.at(time.Now()), 1e-6)
			time.Sleep(100 * ms)
		})
		for range 60 {
			b.stream("s").Observe(textEvent)
			b.until(b.at(time.Now()) + 0.05)
		}
		b.until(30)
		assert.Equal(t, 60, calls)
	})
}

func TestAStallWatchEnds(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		stops := make(chan func(), 1)
		calls := make(chan monitor.Stall, 10)
		stops <- b.WatchStalls(limits, func(s monitor.Stall) { calls <- s; (<-stops)() })
		for range 2 { // both stall at once, and the first call ends the watch
			b.stream("s").Observe(textEvent)
		}
		b.until(60)
		assert.Len(t, calls, 1)
	})
}
