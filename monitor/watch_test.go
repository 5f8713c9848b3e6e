package monitor_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// bench is a Monitor in a bubble, with requests that take no time of the bubble's. A step of its window is a second.
type bench struct {
	*monitor.Monitor
	tracker *tpot.Tracker
	began   time.Time
	open    []*tpot.Recorder // so that the garbage collector does not end them
}

// inBubble runs a test with a bench.
func inBubble(t *testing.T, c monitor.Config, test func(t *testing.T, b *bench)) {
	if c.Window == 0 {
		c.Window = window
	}
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(c)
		b := &bench{Monitor: m, tracker: &tpot.Tracker{Observers: []tpot.Observer{m}}, began: time.Now()}
		test(t, b)
		assert.NoError(t, m.Close())
		synctest.Wait()
		assert.Equal(t, 0, watchersLeft(t), "goroutines left after Close")
	})
}

// until sleeps until so many seconds after the beginning, and until all is done that is to be done then.
func (b *bench) until(seconds float64) {
	time.Sleep(time.Until(b.began.Add(time.Duration(seconds * float64(time.Second)))))
	synctest.Wait()
}

func (b *bench) at(t time.Time) float64 { return t.Sub(b.began).Seconds() }

// requests end now, each with the same TTFT.
func (b *bench) requests(n int, ttft time.Duration) { b.requestsOf(n, ttft, tpot.Request{}) }

func (b *bench) requestsOf(n int, ttft time.Duration, r tpot.Request) {
	for range n {
		_, rec := b.tracker.Start(context.Background(), r)
		rec.ObserveAt(ttft, tpot.Event{Kind: tpot.KindText})
		rec.EndAt(ttft, nil)
	}
}

// told is a call of a rule's callback, times in seconds since the beginning.
type told struct {
	at, since float64
	over      bool
	value     float64
	known     bool
	requests  int
}

// watch returns what tells the calls so far.
func (b *bench) watch(r monitor.Rule) (calls func() []told) {
	tell, calls := collect[told]()
	b.Watch(r, func(c monitor.Breach) {
		tell(told{b.at(time.Now()), b.at(c.Since), c.Cleared, math.Round(c.Value*1e3) / 1e3, c.Known, c.Row.Requests})
	})
	return calls
}

// collect returns what callbacks tell their calls to, and what tells those so far.
func collect[T any]() (tell func(T), calls func() []T) {
	var mu sync.Mutex
	var all []T
	tell = func(call T) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, call)
	}
	calls = func() []T {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
	return tell, calls
}

// dial is a Figure that a test sets, in hundredths.
type dial struct{ atomic.Int64 }

func (d *dial) figure(*monitor.Row) (float64, bool) { return float64(d.Load()) / 100, true }

const ms = time.Millisecond

func TestARuleFiresAndClearsAtTheExactInstants(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watch(monitor.Rule{Figure: monitor.TTFT(1), Limit: 0.5, Clear: 0.3, For: 3 * time.Second})
		b.until(1.5)
		b.requests(1, 600*ms) // seen at 2, and a breach at 5
		b.until(4.999)
		assert.Empty(t, calls())
		b.until(5.001)
		assert.Equal(t, []told{{at: 5, since: 2, value: 0.6, known: true, requests: 1}}, calls())

		b.until(13.5)
		b.requests(1, 400*ms) // at 14 it is alone in the window: not beyond Limit, but beyond Clear
		b.until(25.5)
		b.requests(1, 300*ms) // at 26 it is alone: not beyond Clear
		b.until(28.999)
		assert.Len(t, calls(), 1)
		b.until(40)
		assert.Equal(t, told{at: 29, since: 26, over: true, value: 0.3, known: true, requests: 1}, calls()[1])
		assert.Len(t, calls(), 2)
	})
}

func TestAFigureHasToBeBeyondWithoutABreak(t *testing.T) {
	inBubble(t, monitor.Config{Window: time.Hour}, func(t *testing.T, b *bench) {
		var d dial
		calls := b.watch(monitor.Rule{Figure: d.figure, Limit: 1, For: 3 * time.Second})
		b.requests(1, ms)
		for _, second := range []int64{200, 100, 200, 200, 200, 100, 200, 200, 200, 200, 100, 100, 200, 100, 100, 100, 100} { // beyond at 1, 3 to 5, 7 to 10, 13
			d.Store(second)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		assert.Equal(t, []told{
			{at: 10, since: 7, value: 2, known: true, requests: 1},
			{at: 17, since: 14, over: true, value: 1, known: true, requests: 1},
		}, calls())
	})
}

// The time that a Figure or a callback takes is not that between two looks: those stay where they are.
func TestAFigureThatTakesTime(t *testing.T) {
	inBubble(t, monitor.Config{Window: time.Hour}, func(t *testing.T, b *bench) {
		var looks atomic.Int64
		figure := func(*monitor.Row) (float64, bool) {
			if looks.Add(1) == 1 {
				time.Sleep(ms)
			}
			return 1, true
		}
		quick := b.watch(monitor.Rule{Figure: figure, Limit: 0.5, For: 3 * time.Second})
		slow := b.watch(monitor.Rule{Figure: func(*monitor.Row) (float64, bool) {
			time.Sleep(1500 * ms)
			return 1, true
		}, Limit: 0.5, For: 3 * time.Second})
		b.requests(1, ms)
		b.until(10.75) // between two looks of the slow one
		assert.Equal(t, []told{{at: 4, since: 1, value: 1, known: true, requests: 1}}, quick())
		assert.Equal(t, []told{{at: 6.5, since: 1, value: 1, known: true, requests: 1}}, slow(), "it is looked at at 1, 3 and 5")
	})
}

func TestARuleLooksAtTheRequestsThatItsKeyMeans(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		count := func(r *monitor.Row) (float64, bool) { return float64(r.Requests), true }
		chat := b.watch(monitor.Rule{Key: monitor.Key{Scenario: "chat"}, Figure: count, Limit: 0})
		all := b.watch(monitor.Rule{Figure: count, Limit: 0})
		one := b.watch(monitor.Rule{Key: monitor.Key{Provider: "p", Model: "a", Scenario: "chat"}, Figure: count, Limit: 0})
		none := b.watch(monitor.Rule{Key: monitor.Key{Model: "c"}, Figure: count, Limit: 0})
		nobodys := b.watch(monitor.Rule{Key: monitor.Key{Provider: "q"}, Figure: count, Limit: 0})
		b.until(0.5)
		b.requestsOf(1, ms, tpot.Request{Provider: "p", Model: "a", Scenario: "chat"})
		b.requestsOf(2, ms, tpot.Request{Provider: "p", Model: "b", Scenario: "chat"})
		b.requestsOf(4, ms, tpot.Request{Provider: "p", Model: "a", Scenario: "report"})
		b.until(1.5)
		assert.Equal(t, 3.0, chat()[0].value)
		assert.Equal(t, 7.0, all()[0].value)
		assert.Equal(t, 1.0, one()[0].value)
		assert.Empty(t, none())
		assert.Empty(t, nobodys())
	})
}

func TestOfARulesKeyAsMuchCountsAsOfARequests(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		long := strings.Repeat("é", 200)
		key := monitor.Key{Provider: long, Model: long + "m", Scenario: long + "s"}
		calls := b.watch(monitor.Rule{Key: key, Figure: monitor.TTFT(1), Limit: 0.5})
		b.requestsOf(1, 600*ms, tpot.Request{Provider: long, Model: long + "m", Scenario: long + "s"})
		b.until(1.5)
		assert.Len(t, calls(), 1)
	})
}

func TestTooFewRequestsAreNoBreachAndEndOne(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watch(monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5, Minimum: 3, For: time.Second})
		b.until(0.5)
		b.requests(2, 900*ms)
		b.until(3.5)
		assert.Empty(t, calls())
		b.requests(1, 900*ms) // the third: known at 4
		b.until(14)
		assert.Equal(t, []told{
			{at: 5, since: 4, value: 0.9, known: true, requests: 3},
			{at: 14, since: 13, over: true, requests: 1}, // the first two have left the window at 13
		}, calls())
	})
}

// The figure of no request is not known, whatever its function says, and the row is of the time that it was looked for in all the same.
func TestWithoutRequestsNoFigureIsKnown(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var d dial
		d.Store(200)
		spans := make(chan time.Duration, 3)
		b.Watch(monitor.Rule{Figure: d.figure, Limit: 1, Minimum: 1}, func(c monitor.Breach) { spans <- c.Row.Span })
		b.until(2.5)
		assert.Empty(t, spans)
		b.requests(1, ms)
		b.until(40)
		assert.Len(t, spans, 2)
		assert.Equal(t, 3*time.Second, <-spans)
		assert.Equal(t, 12*time.Second, <-spans)
	})
}

func TestTheRowOfARuleWhoseKeyHasMadeRoom(t *testing.T) {
	inBubble(t, monitor.Config{Keys: 1}, func(t *testing.T, b *bench) {
		rows := make(chan *monitor.Row, 2)
		rule := monitor.Rule{Key: monitor.Key{Model: "gone"}, Figure: monitor.TTFT(1), Window: time.Second}
		b.until(0.5)
		b.requestsOf(1, ms, model("gone"))
		b.Watch(rule, func(c monitor.Breach) {
			if !c.Cleared {
				time.Sleep(20 * time.Second)
			}
			rows <- c.Row
		})
		b.until(15.5)
		b.requestsOf(1, ms, model("another"))
		b.until(30)
		<-rows
		over := <-rows
		assert.Equal(t, []any{rule.Key, 0, 1500 * ms}, []any{over.Key, over.Requests, over.Span})
	})
}

// A model that does not answer any more gives no figures. That is no recovery.
func TestABreachGoesOnWhileThereIsTraffic(t *testing.T) {
	slow := monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5, Minimum: 2}
	for name, hang := range map[string]func(b *bench){
		"requests that end without a token": func(b *bench) {
			for range 20 {
				b.stream("").End(context.DeadlineExceeded)
				b.stream("").End(context.DeadlineExceeded)
				time.Sleep(time.Second)
			}
		},
		"requests that do not end": func(b *bench) {
			b.stream("")
			b.stream("")
			time.Sleep(20 * time.Second)
			for _, rec := range b.open {
				rec.End(context.DeadlineExceeded)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
				calls := b.watch(slow)
				b.until(0.5)
				b.requests(2, 900*ms)
				b.until(1.5)
				hang(b)
				synctest.Wait()
				assert.Equal(t, []told{{at: 1, since: 1, value: 0.9, known: true, requests: 2}}, calls())
				b.until(60)
				assert.Len(t, calls(), 2, "when nobody asks any more")
				assert.False(t, calls()[1].known)
			})
		})
	}
}

// Without a Minimum a figure of what is in flight is known before anything has ended.
func TestAFigureOfRequestsInFlight(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		inFlight := func(r *monitor.Row) (float64, bool) { return float64(r.InFlight), true }
		calls := b.watch(monitor.Rule{Figure: inFlight, Limit: 2})
		for range 3 {
			b.stream("")
		}
		b.until(100)
		assert.Equal(t, []told{{at: 1, since: 1, value: 3, known: true}}, calls())
	})
}

func TestACallbackIsToldOfItsRule(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		names := make(chan string, 2)
		tell := func(c monitor.Breach) { names <- c.Rule.Name }
		b.Watch(monitor.Rule{Name: "one", Figure: monitor.TTFT(0.5), Limit: 0.5}, tell)
		b.until(0.5)
		b.Watch(monitor.Rule{Name: "other", Figure: monitor.TTFT(0.5), Limit: 0.5}, tell)
		b.requests(1, 900*ms)
		b.until(2)
		assert.Equal(t, []string{"one", "other"}, []string{<-names, <-names})
	})
}

func TestAQuantileIsFromZeroToOne(t *testing.T) {
	for _, q := range []float64{-0.1, 1.01, 95, math.NaN()} {
		assert.PanicsWithValue(t, "monitor: a quantile is from 0 to 1", func() { monitor.TTFT(q) }, q)
	}
	assert.NotPanics(t, func() { monitor.TTFT(0); monitor.ITL(1) })
}

func TestARuleThatIsBreachedBelow(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var d dial
		calls := b.watch(monitor.Rule{Figure: d.figure, Below: true, Limit: 0.9, Clear: 0.95})
		b.requests(1, ms)
		for _, second := range []int64{90, 89, 94, 95, 90, 89} {
			d.Store(second)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		assert.Equal(t, []told{
			{at: 2, since: 2, value: 0.89, known: true, requests: 1},
			{at: 4, since: 4, over: true, value: 0.95, known: true, requests: 1},
			{at: 6, since: 6, value: 0.89, known: true, requests: 1},
		}, calls())
	})
}

func TestAClearingLimitBeyondTheLimitIsTheLimit(t *testing.T) {
	for name, rule := range map[string]monitor.Rule{"above": {Limit: 1, Clear: 3}, "below": {Limit: 1, Clear: 0.5, Below: true}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
				var d dial
				d.Store(200)
				if rule.Below {
					d.Store(70)
				}
				rule.Figure = d.figure
				calls := b.watch(rule)
				b.requests(1, ms)
				b.until(2.5)
				assert.Len(t, calls(), 1, "breached, and not over at once")
				d.Store(100)
				b.until(3.5)
				assert.Len(t, calls(), 2)
			})
		})
	}
}

func TestARuleHasAWindowOfItsOwn(t *testing.T) {
	requests := func(r *monitor.Row) (float64, bool) { return float64(r.Requests), true }
	for name, c := range map[string]struct {
		window time.Duration
		gone   float64 // when a request that ended in the first second is in the window no longer
	}{
		"three steps":            {3 * time.Second, 4},
		"rounded up":             {2001 * ms, 4},
		"one step at least":      {1, 2},
		"all":                    {0, 13},
		"more than there is":     {time.Hour, 13},
		"exactly all":            {window, 13},
		"negative is as if none": {-time.Second, 13},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
				calls := b.watch(monitor.Rule{Figure: requests, Limit: 0, Window: c.window})
				b.until(0.5)
				b.requests(1, ms)
				b.until(20)
				assert.Equal(t, c.gone, calls()[1].at)
			})
		})
	}
}

func TestWhatIsNoNumberIsNotKnown(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		calls := b.watch(monitor.Rule{Figure: func(*monitor.Row) (float64, bool) { return math.NaN(), true }, Below: true, Limit: 1})
		var d dial
		d.Store(200)
		noMore := b.watch(monitor.Rule{Figure: func(r *monitor.Row) (float64, bool) {
			value, ok := d.figure(r)
			return value / min(value, 1), ok // and then 0/0
		}, Limit: 1})
		absent := b.watch(monitor.Rule{Figure: func(*monitor.Row) (float64, bool) { return 0, false }, Below: true, Limit: 1})
		b.requests(1, ms)
		b.until(1.5)
		d.Store(0)
		b.until(5)
		assert.Empty(t, calls())
		assert.Empty(t, absent())
		assert.Len(t, noMore(), 1, "what is not known does not clear")
	})
}

func TestACallbackThatIsSlowHarmsNobody(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var slow atomic.Int64
		rule := monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5}
		b.Watch(rule, func(monitor.Breach) { slow.Add(1); time.Sleep(30 * time.Second) })
		calls := b.watch(rule)
		b.requests(1, 900*ms) // a breach from 1 on, over at 13 when the request leaves the window
		b.until(20)
		assert.EqualValues(t, 1, slow.Load(), "still in its first call")
		assert.Len(t, calls(), 2, "the other rule")
		assert.Len(t, b.Snapshot(), 0)
		b.until(32)
		assert.EqualValues(t, 2, slow.Load(), "told of how it stands now")
		b.until(70)
	})
}

func TestACallbackThatPanicsHarmsNobody(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		rule := monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5}
		var panics atomic.Int64
		b.Watch(rule, func(monitor.Breach) { panics.Add(1); panic("callback") })
		b.Watch(monitor.Rule{Figure: func(*monitor.Row) (float64, bool) { panic("figure") }}, func(monitor.Breach) { t.Error("called") })
		b.requests(1, 900*ms)
		b.until(1.5)
		assert.EqualValues(t, 1, panics.Load())
		assert.Equal(t, 2, b.Faults(), "one callback, and one look at the figure")
		b.until(20)
		assert.EqualValues(t, 2, panics.Load(), "it is told again when it is over")
	})
}

func TestAWatchEnds(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		rule := monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5}
		var calls atomic.Int64
		stops := make(chan func(), 1)
		stops <- b.Watch(rule, func(monitor.Breach) { calls.Add(1); (<-stops)() })
		stop := b.Watch(rule, func(monitor.Breach) { t.Error("called after stop") })
		stop()
		stop()
		rule.For = time.Second // after the first
		b.Watch(rule, func(monitor.Breach) { calls.Add(1); b.Close() })
		b.requests(1, 900*ms)
		b.until(20)
		assert.EqualValues(t, 2, calls.Load())
		rule.For = 0
		b.Watch(rule, func(monitor.Breach) { t.Error("called after Close") })
		b.requests(1, 900*ms)
		b.until(25)
		assert.Equal(t, 1, b.Snapshot()[0].Requests, "statistics go on")
	})
}

// A look that was due while the callback ran does not take place once it has stopped the watch.
func TestAWatchThatItsCallbackStopsIsOver(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		for range 20 { // which of the two is first is a matter of chance
			stops, stopped := make(chan func(), 1), make(chan bool)
			figure := func(*monitor.Row) (float64, bool) {
				select {
				case <-stopped:
					t.Error("looked at after stop")
				default:
				}
				return 2, true
			}
			stops <- b.Watch(monitor.Rule{Figure: figure, Limit: 1}, func(monitor.Breach) {
				(<-stops)()
				close(stopped)
				time.Sleep(3 * time.Second)
			})
		}
		b.requests(1, ms)
		b.until(10)
	})
}

// A look takes its time, and stop may be called meanwhile.
func TestNoCallbackBeginsAfterStop(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		figure := func(*monitor.Row) (float64, bool) { time.Sleep(100 * ms); return 2, true }
		stop := b.Watch(monitor.Rule{Figure: figure, Limit: 1}, func(monitor.Breach) { t.Error("called after stop") })
		b.requests(1, ms)
		b.until(1.05)
		stop()
		b.until(3)
	})
}

func TestACallbackThatLeavesItsGoroutineHarmsNobody(t *testing.T) {
	inBubble(t, monitor.Config{}, func(t *testing.T, b *bench) {
		var breaches, stalls atomic.Int64
		b.Watch(monitor.Rule{Figure: monitor.TTFT(0.5), Limit: 0.5}, func(monitor.Breach) { breaches.Add(1); runtime.Goexit() })
		b.WatchStalls(limits, func(monitor.Stall) { stalls.Add(1); runtime.Goexit() })
		b.requests(1, 900*ms)
		b.stream("one").Observe(textEvent)
		b.stream("other").Observe(textEvent)
		b.until(5)
		for _, rec := range b.open {
			rec.End(nil)
		}
		b.until(20)
		assert.EqualValues(t, 2, breaches.Load(), "the breach, and its end")
		assert.EqualValues(t, 2, stalls.Load(), "one for each stream")
		assert.Equal(t, 4, b.Faults())
	})
}

func TestWatchNeedsAFigureAndAFunction(t *testing.T) {
	m := monitor.New(monitor.Config{})
	assert.PanicsWithValue(t, "monitor: Watch needs a Figure and a function", func() { m.Watch(monitor.Rule{}, func(monitor.Breach) {}) })
	assert.PanicsWithValue(t, "monitor: Watch needs a Figure and a function", func() { m.Watch(monitor.Rule{Figure: monitor.TTFT(1)}, nil) })
	assert.PanicsWithValue(t, "monitor: WatchStalls needs a function", func() { m.WatchStalls(monitor.StallLimits{Gap: 1}, nil) })
}
