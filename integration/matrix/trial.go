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
	way
	scenario

	wire     Wire
	played   []llmtest.Script
	consumer Consumer[T]
	mu       sync.Mutex // guards records
	records  []record
	leaked   bool               // a record ended when the garbage collector found its response
	log      []llmtest.Exchange // the server's
}

// record is what one Recorder has of a request.
type record struct {
	rec   *tpot.Recorder
	stats tpot.Stats // as an observer was given them
}

// try makes the request in a bubble of its own.
func try[T any](t *testing.T, sdk SDK[T], w way, s scenario) *trial[T] {
	tr := &trial[T]{SDK: sdk, way: w, scenario: s, wire: sdk.Wire()}
	tr.played = s.scripts(tr.wire)
	synctest.Test(t, func(t *testing.T) { tr.run(t.Context()) })
	tr.collect()
	return tr
}

// collect has the garbage collector find responses that an SDK has leaked.
func (t *trial[T]) collect() {
	if !t.Traits.Leaks || !t.transport || t.joined {
		return
	}
	for range 1000 {
		if t.ended() == len(t.log) {
			break
		}
		t.leaked = true
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	slices.SortFunc(t.records, func(a, b record) int { return a.stats.Start.Compare(b.stats.Start) })
}

// ended is how many records have ended.
func (t *trial[T]) ended() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.records)
}

func (t *trial[T]) run(ctx context.Context) {
	server := llmtest.Start(t.played...)
	ctx, cancel := context.WithCancel(ctx)
	if t.cancelAt > 0 {
		time.AfterFunc(t.cancelAt, cancel)
	}
	t.consumer = Consumer[T]{kind: t.Kind, start: time.Now(), pause: t.pause, leaveAt: t.leaveAt}
	t.ask(ctx, server.Client())
	cancel()
	server.Client().CloseIdleConnections()
	server.Close()
	synctest.Wait()
	t.log = server.Log()
}

// ask makes the request in the trial's way.
func (t *trial[T]) ask(ctx context.Context, client *http.Client) {
	tracker := &tpot.Tracker{TraceEvents: 1000, Observers: []tpot.Observer{t}}
	if t.transport {
		client = &http.Client{Transport: &stream.Transport{Base: client.Transport, Tracker: tracker, ReadAhead: t.readAhead}}
	}
	var rec *tpot.Recorder
	if t.adapter || t.joined {
		joined, r := tracker.Start(ctx, tpot.Request{})
		if rec = r; t.joined {
			ctx = joined
		}
	}
	if t.adapter {
		t.Timed(ctx, rec, client, &t.consumer)
		return
	}
	t.Plain(ctx, client, &t.consumer)
	rec.End(t.consumer.lastWord())
}

// lastWord is what the consumer tells a Recorder of its own at the end.
func (c *Consumer[T]) lastWord() error {
	switch {
	case c.Left:
		return tpot.EarlyClose
	case len(c.troubles()) > 0:
		return c.Errs[len(c.Errs)-1]
	}
	return nil
}

// Start makes the trial the observer of its records.
func (t *trial[T]) Start(ctx context.Context, _ tpot.Request, rec *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, &recording[T]{trial: t, rec: rec}
}

type recording[T any] struct {
	trial *trial[T]
	rec   *tpot.Recorder
}

func (r *recording[T]) Observe(tpot.Arrival) {}

func (r *recording[T]) End(s tpot.Stats) {
	r.trial.mu.Lock()
	defer r.trial.mu.Unlock()
	r.trial.records = append(r.trial.records, record{r.rec, s})
}
