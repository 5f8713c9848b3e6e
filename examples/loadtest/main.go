// Command loadtest makes many requests of an OpenAI-compatible endpoint and says how the answers came: time to first token, time per output
// token, the gaps between tokens, each as a distribution; tokens and requests in the time; how the requests ended; stalls; goodput.
//
//	go run ./examples/loadtest
//
// asks a simulated server of its own, which slows down under load, stands still now and then, and fails a few requests. With -url it
// asks a real one; the key comes from OPENAI_API_KEY.
//
//	go run ./examples/loadtest -url http://localhost:8000/v1 -model llama3.2 -requests 500 -concurrency 20
//	go run ./examples/loadtest -url http://localhost:8000/v1 -model llama3.2 -duration 1m -rate 5 -slo-ttft 1s -slo-tpot 50ms -json
//
// With -concurrency so many requests are in flight, and the next starts when one has ended (a closed loop): a slow server is asked less
// often, and looks better than it is to users who do not wait for each other. With -rate requests start at their times, however many have
// not ended (an open loop). Their figures count from the time they were due, even when this program was too busy to make them then, and the
// result says how late they were made.
//
// In the table TTFT, TTFO, TPOT and E2E count each request once, and ITL each gap between chunks, since usage does not tell the tokens
// of a chunk; percentiles are within 2 %.
//
// An interrupt cancels what is in flight, and prints what there is by then; a second one does not wait.
//
// Exit codes: 0 no request failed; 1 bad arguments; 2 no connection; 3 the key is not accepted; 4 no such model or address; 5 some
// requests failed; 130 interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	os.Exit(run(ctx, os.Args[1:], os.Getenv("OPENAI_API_KEY"), os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, key string, out, errs io.Writer) int {
	s, err := parse(args, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // parse has said why
	}
	s.key = key
	if s.url == "" {
		server, err := simulate()
		if err != nil {
			fmt.Fprintln(errs, "loadtest: cannot listen on loopback:", err)
			return exitUnreachable
		}
		defer server.Close()
		s.url = server.URL
	}
	bar := newBar(errs, s.requests)
	r, err := measure(ctx, s, newTransport(), func() { _ = bar.Add(1) })
	_ = bar.Finish()
	if err != nil {
		message, code := s.explain(err)
		fmt.Fprintln(errs, "loadtest:", message)
		return code
	}
	return r.report(s, out, errs)
}

// longest is longer than any run.
const longest = 365 * 24 * time.Hour

// measure makes the requests over a transport and returns what they came to. An error is why the rest of them had no point.
func measure(ctx context.Context, s settings, base http.RoundTripper, ended func()) (*result, error) {
	requests, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	g := &generator{settings: s, client: &http.Client{Transport: &stream.Transport{Base: base}}, giveUp: giveUp, ended: func(tpot.Stats) {}}
	g.run(requests, &quota{requests: s.warmup, end: time.Now().Add(longest)}) // without a Tracker nobody is told

	// A Row goes back a whole number of the Monitor's steps, and no further than to the Monitor's beginning. With a Window that is longer than
	// the run, it is all requests, and its rates are over the time of the run.
	m := monitor.New(monitor.Config{Window: longest})
	defer m.Close()
	r := &result{failures: make(map[string]int)}
	g.tracker = &tpot.Tracker{SLO: s.slo, Observers: []tpot.Observer{m}}
	g.ended = func(s tpot.Stats) { r.count(s); ended() }
	r.late = g.run(requests, s.quota(time.Now()))
	r.interrupted = ctx.Err() != nil
	if rows := m.Snapshot(); len(rows) > 0 {
		r.row = rows[0] // all requests have the same key
	}
	if r.interrupted {
		return r, nil
	}
	return r, context.Cause(requests)
}

// generator makes requests.
type generator struct {
	settings
	client   *http.Client
	tracker  *tpot.Tracker
	ended    func(tpot.Stats)
	answered atomic.Bool
	giveUp   context.CancelCauseFunc
}

// run makes requests until the quota is used up or the context ends, and waits for them. It returns how late each was started.
func (g *generator) run(ctx context.Context, q *quota) (late *tpot.Histogram) {
	if g.rate > 0 {
		return g.open(ctx, q, time.Now())
	}
	g.closed(ctx, q)
	return nil
}

// closed keeps so many requests in flight.
func (g *generator) closed(ctx context.Context, q *quota) {
	var workers sync.WaitGroup
	for range g.concurrency {
		workers.Go(func() {
			for ctx.Err() == nil && q.take(time.Now()) {
				g.send(ctx, time.Now())
			}
		})
	}
	workers.Wait()
}

// open starts each request at its time, whatever became of those before it. The times follow from the beginning alone: a start that is late
// delays no other, and those that are due meanwhile are made up for.
func (g *generator) open(ctx context.Context, q *quota, began time.Time) (late *tpot.Histogram) {
	late = new(tpot.Histogram)
	var inFlight sync.WaitGroup
	for i := 0; ; i++ {
		due := began.Add(time.Duration(float64(i) * float64(time.Second) / g.rate))
		if !q.take(due) || !sleepUntil(ctx, due) {
			break
		}
		late.Observe(time.Since(due))
		inFlight.Go(func() { g.send(ctx, due) })
	}
	inFlight.Wait()
	return late
}

// send makes one request. All that it waits for since it was due is in its figures. The Transport finds the record in the context and tells
// it of the answer.
func (g *generator) send(ctx context.Context, due time.Time) {
	ctx, rec := g.tracker.StartAt(ctx, due, tpot.Request{Operation: "chat", Model: g.model, Stream: true})
	g.ended(rec.EndResponse(g.ask(ctx)))
}

// ask makes a request and reads the answer to its end, without which the connection could not be used again.
func (g *generator) ask(ctx context.Context) error {
	req, err := g.newRequest(ctx)
	if err != nil {
		return err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		if !g.answered.Load() {
			g.giveUp(err) // nobody is there
		}
		return err
	}
	defer resp.Body.Close()
	if first := !g.answered.Swap(true); first && hopeless(resp.StatusCode) {
		g.giveUp(refusal(resp.StatusCode))
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// sleepUntil returns at the time, or with false when the context has ended.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err() == nil
}
