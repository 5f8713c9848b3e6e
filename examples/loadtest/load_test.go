package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// steady is an answer of 11 tokens, 20 ms apart, the first after 100 ms: 300 ms in all.
func steady() llmtest.Script {
	ai := llmtest.OpenAI{}
	s := llmtest.SSE().After(100*time.Millisecond, ai.Text("w"))
	for range 10 {
		s = s.After(20*time.Millisecond, ai.Text("w"))
	}
	return s.After(0, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 1, Output: 11}), ai.Done())
}

// stuck is an answer that stops after its first token and does not end.
func stuck() llmtest.Script {
	s := llmtest.SSE().After(100*time.Millisecond, llmtest.OpenAI{}.Text("w"))
	s.Ending = llmtest.EndHang
	return s
}

// busy is the simulated provider, in memory.
func busy() *llmtest.Server {
	server := llmtest.Start()
	server.Choose = (&provider{dice: rand.New(rand.NewPCG(1, 2))}).answer
	return server
}

func scripted(script llmtest.Script) func() *llmtest.Server {
	return func() *llmtest.Server { return llmtest.Start(script) }
}

// bubble runs a test with a server in memory, in a bubble.
func bubble(t *testing.T, start func() *llmtest.Server, test func(t *testing.T, server *llmtest.Server)) {
	synctest.Test(t, func(t *testing.T) {
		server := start()
		defer server.Close()
		test(t, server)
	})
}

// load makes requests of a server and returns what they came to.
func load(t *testing.T, s settings, server *llmtest.Server) *result {
	s.url = server.URL
	r, err := measure(t.Context(), s.complete(), server.Client().Transport, func() {})
	require.NoError(t, err)
	assert.Zero(t, r.row.InFlight)
	return r
}

// assertAll says how many values a distribution has, which are all the same.
func assertAll(t *testing.T, want time.Duration, count int, h *tpot.Histogram) {
	t.Helper()
	assert.Equal(t, count, h.Count())
	least, _ := h.Min()
	most, _ := h.Max()
	assert.Equal(t, want, least)
	assert.Equal(t, want, most)
}

// figure is one that is there, or NaN.
func figure(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// inFlight is how many exchanges the server had at most at a time. One that ended as another came was there no more.
func inFlight(log []llmtest.Exchange) (most int) {
	for _, at := range log {
		n := 0
		for _, x := range log {
			if !x.Arrived.After(at.Arrived) && x.Arrived.Add(x.Ended).After(at.Arrived) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestAClosedLoopKeepsSoManyInFlight(t *testing.T) {
	bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
		began := time.Now()
		r := load(t, settings{requests: 20, concurrency: 4}, server)
		row := &r.row
		assert.Equal(t, 1500*time.Millisecond, time.Since(began), "five rounds of four")
		assert.Equal(t, 1500*time.Millisecond, row.Span, "the whole run")
		assert.Equal(t, 20, row.Requests)
		assert.Equal(t, 20, row.Outcomes[tpot.OutcomeOK])
		assert.Equal(t, 20, row.Sources[tpot.SourceReported])
		assert.Equal(t, 220, row.Tokens)
		assertAll(t, 100*time.Millisecond, 20, &row.TTFT)
		assertAll(t, 100*time.Millisecond, 20, &row.TTFO)
		assertAll(t, 20*time.Millisecond, 20, &row.TPOT)
		assertAll(t, 20*time.Millisecond, 200, &row.ITL)
		assertAll(t, 300*time.Millisecond, 20, &row.E2E)
		assert.InEpsilon(t, 20/1.5*60, figure(row.RequestsPerMinute()), 1e-12)
		assert.InEpsilon(t, 220/1.5, figure(row.TokensPerSecond()), 1e-12)
		assert.InEpsilon(t, 4, figure(row.Concurrency()), 1e-12)
		assert.Nil(t, r.late)
		assert.Empty(t, r.failures)
		assert.Equal(t, 4, inFlight(server.Log()))
		for i, x := range server.Log() {
			assert.Equal(t, time.Duration(i/4)*300*time.Millisecond, x.Arrived.Sub(began))
		}
	})
}

// truth is what a run came to by the server's log alone.
type truth struct {
	ok, cut, refused    int
	tokens, itl, stalls int
	ttft, tpot          tpot.Histogram
	e2e                 time.Duration // the sum
}

func (f *truth) add(x llmtest.Exchange) {
	var chunks []time.Duration
	for sent := range x.Chunks() {
		chunks = append(chunks, sent.Began)
	}
	f.e2e += x.Ended
	f.tokens += len(chunks)
	switch {
	case len(chunks) == 0:
		f.refused++
		return
	case x.State == llmtest.StateCut:
		f.cut++
	default:
		f.ok++
	}
	f.ttft.Observe(chunks[0])
	gaps := len(chunks) - 1
	f.itl += gaps
	f.tpot.Observe(time.Duration(math.Round(float64(chunks[gaps]-chunks[0]) / float64(gaps))))
	for i := range gaps {
		if chunks[i+1]-chunks[i] >= 500*time.Millisecond {
			f.stalls++
		}
	}
}

func TestTheFiguresAreThoseOfTheServersLog(t *testing.T) {
	for name, s := range map[string]settings{
		"closed loop": {requests: 300, concurrency: 7},
		"open loop":   {requests: 300, rate: 31},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, busy, func(t *testing.T, server *llmtest.Server) {
				r := load(t, s, server)
				var want truth
				for _, x := range server.Log() {
					want.add(x)
				}
				row := &r.row
				require.NotZero(t, want.ok*want.cut*want.refused*want.stalls, "the run is to have some of each")
				assert.Equal(t, want.ok, row.Outcomes[tpot.OutcomeOK])
				assert.Equal(t, want.cut, row.Outcomes[tpot.OutcomeTruncated])
				assert.Equal(t, want.refused, row.Outcomes[tpot.OutcomeFailed])
				assert.Equal(t, map[string]int{"429": want.refused, "truncated": want.cut}, r.failures)
				assert.Equal(t, want.tokens, row.Tokens)
				assert.Equal(t, want.itl, row.ITL.Count())
				assert.Equal(t, want.stalls, row.Stalls.Count)
				assert.Equal(t, want.ttft.Count(), row.TTFT.Count())
				assert.Equal(t, want.ttft.Sum(), row.TTFT.Sum())
				assert.Equal(t, want.tpot.Count(), row.TPOT.Count())
				assert.Equal(t, want.tpot.Sum(), row.TPOT.Sum())
				assert.Equal(t, want.e2e, row.E2E.Sum())
				if s.concurrency > 0 {
					assert.Equal(t, s.concurrency, inFlight(server.Log()))
				}
			})
		})
	}
}

func TestASlowServerDoesNotSlowTheArrivals(t *testing.T) {
	slow := steady()
	slow.HeaderAt = time.Minute
	bubble(t, scripted(slow), func(t *testing.T, server *llmtest.Server) {
		began := time.Now()
		r := load(t, settings{requests: 50, rate: 3}, server)
		require.Len(t, server.Log(), 50)
		for i, x := range server.Log() {
			assert.Equal(t, time.Duration(i)*time.Second/3, x.Arrived.Sub(began))
		}
		assert.Equal(t, 50, inFlight(server.Log()))
		assertAll(t, time.Minute, 50, &r.row.TTFT)
		assertAll(t, 0, 50, r.late)
	})
}

func TestALateStartIsInTheFiguresAndSaid(t *testing.T) {
	bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
		m := monitor.New(monitor.Config{Window: longest})
		g := &generator{
			settings: settings{url: server.URL, requests: 20, rate: 10},
			client:   &http.Client{Transport: &stream.Transport{Base: server.Client().Transport}},
			tracker:  &tpot.Tracker{Observers: []tpot.Observer{m}},
			ended:    func(tpot.Stats) {},
		}
		now := time.Now()
		late := g.open(t.Context(), g.quota(now), now.Add(-time.Second)) // it comes to it a second after its first request was due
		for i, x := range server.Log() {
			assert.Equal(t, max(time.Duration(i)*100*time.Millisecond-time.Second, 0), x.Arrived.Sub(now), "made up for at once, then at its time")
		}
		const sum = 1000 + 900 + 800 + 700 + 600 + 500 + 400 + 300 + 200 + 100
		assert.Equal(t, 20, late.Count())
		assert.Equal(t, sum*time.Millisecond, late.Sum())
		row := m.Snapshot()[0]
		assert.Equal(t, (20*100+sum)*time.Millisecond, row.TTFT.Sum())
		assert.Equal(t, (20*300+sum)*time.Millisecond, row.E2E.Sum())
		assertAll(t, 20*time.Millisecond, 20, &row.TPOT)
	})
}

func TestRequestsStartWithinTheDurationAndMayEndAfterIt(t *testing.T) {
	for name, c := range map[string]struct {
		settings
		requests int
		span     time.Duration
	}{
		"closed loop":                 {settings{concurrency: 2, duration: time.Second}, 8, 1200 * time.Millisecond},
		"closed loop, to the instant": {settings{concurrency: 2, duration: 900 * time.Millisecond}, 6, 900 * time.Millisecond},
		"open loop":                   {settings{rate: 10, duration: time.Second}, 10, 1200 * time.Millisecond},
		"both":                        {settings{rate: 10, duration: time.Second, requests: 4}, 4, 600 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
				r := load(t, c.settings, server)
				assert.Equal(t, c.requests, r.row.Outcomes[tpot.OutcomeOK])
				assert.Len(t, server.Log(), c.requests)
				assert.Equal(t, c.span, r.row.Span)
			})
		})
	}
}

func TestAllOfALongRunIsInItsFigures(t *testing.T) {
	slow := steady()
	slow.HeaderAt = time.Hour
	bubble(t, scripted(slow), func(t *testing.T, server *llmtest.Server) {
		r := load(t, settings{requests: 48, concurrency: 1}, server)
		assert.Equal(t, 48, r.row.Requests)
		assert.Equal(t, 48*time.Hour, r.row.Span)
	})
}

func TestTheWarmUpDoesNotCount(t *testing.T) {
	bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
		ended := 0
		s := settings{url: server.URL, requests: 4, concurrency: 1, warmup: 3}
		r, err := measure(t.Context(), s, server.Client().Transport, func() { ended++ })
		require.NoError(t, err)
		assert.Len(t, server.Log(), 7)
		assert.Equal(t, 4, r.row.Requests)
		assert.Equal(t, 4, ended)
		assert.Equal(t, 1200*time.Millisecond, r.row.Span)
	})
}

func TestAnInterruptCancelsWhatIsInFlight(t *testing.T) {
	for name, s := range map[string]settings{
		"closed loop": {requests: 100, concurrency: 3},
		"open loop":   {requests: 100, rate: 2, duration: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, scripted(stuck()), func(t *testing.T, server *llmtest.Server) {
				ctx, interrupt := context.WithCancel(t.Context())
				time.AfterFunc(1250*time.Millisecond, interrupt)
				s.url = server.URL
				began := time.Now()
				r, err := measure(ctx, s, server.Client().Transport, func() {})
				require.NoError(t, err)
				assert.Equal(t, 1250*time.Millisecond, time.Since(began))
				assert.True(t, r.interrupted)
				assert.Equal(t, 3, r.row.Requests)
				assert.Equal(t, 3, r.row.Outcomes[tpot.OutcomeCanceled])
				assert.Zero(t, r.row.InFlight)
				assertAll(t, 100*time.Millisecond, 3, &r.row.TTFT)
				assert.Empty(t, r.failures)
			})
		})
	}
}

// unreliable reaches a server for the first requests only.
type unreliable struct {
	base    http.RoundTripper
	answers int64
	asked   atomic.Int64
}

var errUnreachable = errors.New("no route to host")

func (u *unreliable) RoundTrip(r *http.Request) (*http.Response, error) {
	if u.asked.Add(1) > u.answers {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errUnreachable}
	}
	return u.base.RoundTrip(r)
}

func TestATargetThatNobodyReachedEndsTheRun(t *testing.T) {
	for name, s := range map[string]settings{
		"closed loop":    {requests: 1000, concurrency: 1},
		"open loop":      {requests: 1000, rate: 1},
		"in the warm-up": {requests: 1000, concurrency: 1, warmup: 10},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
				s.url = server.URL
				none := &unreliable{}
				_, err := measure(t.Context(), s, none, func() {})
				assert.ErrorIs(t, err, errUnreachable)
				assert.EqualValues(t, 1, none.asked.Load())
				message, code := s.explain(err)
				assert.Equal(t, exitUnreachable, code)
				assert.Contains(t, message, "cannot reach http://llm.test: ")
			})
		})
	}
}

func TestATargetThatIsLostLaterDoesNotEndTheRun(t *testing.T) {
	bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
		base := &unreliable{base: server.Client().Transport, answers: 3}
		r, err := measure(t.Context(), settings{url: server.URL, model: "m", requests: 10, concurrency: 1}, base, func() {})
		require.NoError(t, err)
		assert.Equal(t, 3, r.row.Outcomes[tpot.OutcomeOK])
		assert.Equal(t, 7, r.row.Outcomes[tpot.OutcomeFailed])
		assert.Equal(t, map[string]int{"*net.OpError": 7}, r.failures)
	})
}

func TestARefusalAfterAnAnswerIsOneOfThisRequest(t *testing.T) {
	bubble(t, func() *llmtest.Server {
		return llmtest.Start(steady(), llmtest.JSON(http.StatusNotFound, "no"), steady())
	}, func(t *testing.T, server *llmtest.Server) {
		r := load(t, settings{requests: 5, concurrency: 1}, server)
		assert.Equal(t, 4, r.row.Outcomes[tpot.OutcomeOK])
		assert.Equal(t, map[string]int{"404": 1}, r.failures)
	})
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	bubble(t, scripted(steady()), func(t *testing.T, server *llmtest.Server) {
		dial := server.Client().Transport.(*http.Transport).DialContext
		var connections atomic.Int64
		transport := newTransport()
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			connections.Add(1)
			return dial(ctx, network, address)
		}
		s := settings{url: server.URL, requests: 120, concurrency: 12, warmup: 12} // after the warm-up all of them are idle
		r, err := measure(t.Context(), s, transport, func() {})
		require.NoError(t, err)
		assert.Equal(t, 120, r.row.Outcomes[tpot.OutcomeOK])
		assert.Equal(t, 3*time.Second, r.row.Span, "no request waited for a connection")
		assert.EqualValues(t, 12, connections.Load())
	})
}
