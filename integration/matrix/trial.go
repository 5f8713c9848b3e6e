package matrix

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// trial is one request of an SDK, and all that is known of it afterwards.
type trial[T any] struct {
	SDK[T]
	instrumentation
	scenario

	wire         Wire
	played       []llmtest.Script
	consumer     Consumer[T]
	above, below *bodies // what times the request, if it is a transport

	mu      sync.Mutex // guards records
	records []*record  // that have ended

	log []llmtest.Exchange // the server's
}

// record is what one Recorder has told its observer of a request.
type record struct {
	arrivals []tpot.Arrival
	stats    tpot.Stats
}

// described is what a Recorder of the test's own is told of the request.
var described = tpot.Request{Operation: "test", Provider: "p", Model: "n", Scenario: "matrix"}

// try makes the request in a bubble of its own.
func try[T any](t *testing.T, sdk SDK[T], i instrumentation, s scenario) *trial[T] {
	tr := &trial[T]{SDK: sdk, instrumentation: i, scenario: s, wire: sdk.Wire()}
	tr.played = s.scripts(tr.wire)
	synctest.Test(t, func(t *testing.T) { tr.run(t.Context()) })
	tr.collect()
	return tr
}

func (t *trial[T]) run(ctx context.Context) {
	server := t.serve()
	ctx, cancel := t.context(ctx)
	t.consumer = Consumer[T]{kind: t.Kind, start: time.Now(), pause: t.pause, leaveAt: t.leaveAt}
	t.consumer.returned(t.ask(ctx, server.Client()))
	cancel()
	synctest.Wait()
	server.Client().CloseIdleConnections()
	server.Close()
	synctest.Wait()
	t.log = server.Log()
}

func (t *trial[T]) serve() *llmtest.Server {
	if t.http2 {
		return llmtest.StartHTTP2(t.played...)
	}
	return llmtest.Start(t.played...)
}

func (t *trial[T]) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.scenario.outcome == tpot.OutcomeTimeout {
		return context.WithTimeout(ctx, t.cancelAt)
	}
	ctx, cancel := context.WithCancel(ctx)
	if t.cancelAt > 0 {
		time.AfterFunc(t.cancelAt, cancel)
	}
	return ctx, cancel
}

// ask makes the request as the trial is instrumented.
func (t *trial[T]) ask(ctx context.Context, client *http.Client) error {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{t}}
	if t.transport {
		t.below = &bodies{base: client.Transport}
		t.above = &bodies{base: &stream.Transport{Base: t.below, Tracker: tracker, ReadAhead: t.readAhead}}
		client = &http.Client{Transport: t.above}
	}
	if t.own() {
		return t.Plain(ctx, client, &t.consumer)
	}
	joined, rec := tracker.Start(ctx, described)
	if t.joined {
		ctx = joined
	}
	if t.adapter {
		return t.Timed(ctx, rec, client, &t.consumer)
	}
	err := t.Plain(ctx, client, &t.consumer)
	t.consumer.endRecorder(rec, err)
	return err
}

// endRecorder tells a Recorder of the consumer's own how the request ended.
func (c *Consumer[T]) endRecorder(rec *tpot.Recorder, err error) {
	switch {
	case c.Left:
		rec.End(tpot.EarlyClose)
	case err != nil:
		rec.End(err)
	default:
		rec.End(c.lastError())
	}
}

// collect has the garbage collector find responses that an SDK has leaked.
func (t *trial[T]) collect() {
	if !t.leaks() {
		return
	}
	for range 1000 {
		if t.ended() == len(t.log) {
			break
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	slices.SortFunc(t.records, func(a, b *record) int { return a.stats.Start.Compare(b.stats.Start) })
}

// ended is how many records have ended.
func (t *trial[T]) ended() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.records)
}

// Start makes the trial the observer of its records.
func (t *trial[T]) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, &recording[T]{trial: t}
}

type recording[T any] struct {
	record
	trial *trial[T]
}

func (r *recording[T]) Observe(a tpot.Arrival) { r.arrivals = append(r.arrivals, a) }

func (r *recording[T]) End(s tpot.Stats) {
	r.trial.mu.Lock()
	defer r.trial.mu.Unlock()
	r.stats = s
	r.trial.records = append(r.trial.records, &r.record)
}
