package otelx_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// tally is what a test did.
type tally struct {
	mu                               sync.Mutex
	requests, chunks, gaps, noTokens int
	outcomes                         map[string]float64
	gapTime                          time.Duration
}

func (c *tally) add(chunks int, gaps time.Duration, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.chunks += chunks
	c.gaps += max(chunks-1, 0)
	c.gapTime += gaps
	c.outcomes[outcome]++
	if chunks == 0 {
		c.noTokens++
	}
}

// source is a stream of n chunks with random pauses, which it adds up, and an error at the end.
func source(rng *rand.Rand, n int, err error, gaps *time.Duration) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := range n {
			pause := time.Duration(rng.IntN(50_000)) * time.Microsecond
			time.Sleep(pause)
			if i > 0 {
				*gaps += pause
			}
			if !yield("x", nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

// request plays one of many requests and says how it ended.
func (c *tally) request(tracker *tpot.Tracker, i int) {
	rng := rand.New(rand.NewPCG(1, uint64(i)))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, rec := tracker.Start(ctx, tpot.Request{Model: fmt.Sprint("model-", i%7), Scenario: fmt.Sprint("scenario-", i%3)})
	n := rng.IntN(40)
	var err error
	outcome := "ok"
	if i%5 == 1 {
		err, outcome = io.ErrUnexpectedEOF, "truncated"
	}
	leave := n + 1
	if i%5 == 2 && n > 0 {
		leave, outcome = 1+rng.IntN(n), "canceled"
	}
	var gaps time.Duration
	chunks := 0
	for _, err := range stream.Seq2(rec, source(rng, n, err, &gaps), stream.Each) {
		if err != nil {
			break
		}
		if chunks++; chunks == leave {
			break
		}
	}
	c.add(chunks, gaps, outcome)
}

func TestAThousandStreamsAtOnceLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		tracker := b.tracker(t, otelx.WithAttributes(otelx.ScenarioKey), otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01))
		did := tally{outcomes: make(map[string]float64)}
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() { did.request(tracker, i) })
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		active, _ := b.total(t, "tokentiming.active_streams")
		assert.Greater(t, active, 900.0, "all but those without a chunk")
		all.Wait()

		for outcome, want := range did.outcomes {
			got := 0.0
			for _, p := range b.points(t, "tokentiming.requests") {
				if p.attrs["tokentiming.outcome"] == outcome {
					got += p.value
				}
			}
			assert.Equal(t, want, got, outcome)
		}
		for name, want := range map[string]int{
			"gen_ai.client.operation.duration":              did.requests,
			"gen_ai.client.inference.duration":              did.requests,
			"tokentiming.time_to_first_token":               did.requests - did.noTokens,
			"gen_ai.client.operation.time_per_output_chunk": did.gaps,
			"gen_ai.client.inference.time_per_output_chunk": did.gaps,
			"tokentiming.inter_token_latency":               did.gaps,
		} {
			_, count := b.total(t, name)
			assert.Equal(t, want, count, name)
		}
		sum, _ := b.total(t, "gen_ai.client.operation.time_per_output_chunk")
		assert.InDelta(t, did.gapTime.Seconds(), sum, 1e-6)
		tokens, _ := b.total(t, "tokentiming.output_tokens")
		assert.Equal(t, float64(did.chunks), tokens)
		untold, _ := b.total(t, "tokentiming.no_first_token")
		assert.Equal(t, float64(did.noTokens), untold)
		active, _ = b.total(t, "tokentiming.active_streams")
		assert.Zero(t, active)
	})
}

func TestAStreamThatIsDroppedIsReported(t *testing.T) {
	b := newBackend()
	func() {
		_, rec := b.tracker(t).Start(t.Context(), tpot.Request{})
		s := stream.Recv(rec, endless{}, stream.Each)
		for range 3 {
			_, _ = s.Recv()
		}
	}()
	active := func() float64 { return b.only(t, "tokentiming.active_streams").value }
	for i := 0; i < 5000 && active() != 0; i++ { // two or three do
		runtime.GC()
		time.Sleep(time.Millisecond) // let the cleanup's goroutine run
	}
	assert.Zero(t, active())
	assert.Equal(t, 1.0, b.where(t, "tokentiming.requests", "tokentiming.outcome", "canceled").value)
	assert.Equal(t, uint64(2), b.only(t, "gen_ai.client.operation.time_per_output_chunk").count)
}

// endless is a receiver that never ends.
type endless struct{}

func (endless) Recv() (string, error) { return "x", nil }
