package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const (
	large = "large"
	small = "small"
)

// window is how far back the application looks. One in production looks back for minutes.
const window = 1200 * time.Millisecond

// probeOneIn is the share of requests that go to the large model while it is too slow.
const probeOneIn = 5

// tooSlow says when the large model is too slow. Without Clear and For, a figure that stays close to the limit would send users to and fro.
//
// There are two ways back from a breach:
//
//   - The figure is known, and for the time of For it is not beyond Clear. This is the way when there are probes enough: Minimum of them, at
//     least, have to end within any window. Here some 24 users come in a window, and one in 5 of them is a probe.
//   - For as long there is too little traffic: fewer requests than Minimum ended within the window or are in flight, at night, or where nobody
//     probes. Then all users get the large model again, however slow it is, until a window shows. With a Minimum that the probes do not reach,
//     the application would try that again and again.
//
// A request counts once it has ended, which for a slow one is late. One that ends without a token has no TTFT, so for a model that
// may not answer at all there should be a second rule, on (*monitor.Row).FailureRate.
var tooSlow = monitor.Rule{
	Key:     monitor.Key{Model: large},
	Figure:  monitor.TTFT(0.95),
	Limit:   0.300, // seconds
	Clear:   0.150,
	For:     300 * time.Millisecond,
	Minimum: 3,
}

// patience is how long a user is left before an answer that does not go on.
var patience = monitor.StallLimits{FirstToken: 2 * time.Second, Gap: 400 * time.Millisecond}

// app is an application that asks the large model, and the small one while the large one is too slow.
type app struct {
	url     string
	client  *http.Client
	tracker *tpot.Tracker
	monitor *monitor.Monitor
	tell    func(format string, args ...any)

	slow      atomic.Bool  // the large model is too slow
	meanwhile atomic.Int64 // requests since
}

// newApp is an application with its two watches, which end with the Monitor's Close.
func newApp(url string, base http.RoundTripper, tell func(string, ...any)) *app {
	m := monitor.New(monitor.Config{Window: window})
	a := &app{
		url:     url,
		client:  &http.Client{Transport: &stream.Transport{Base: base}},
		tracker: &tpot.Tracker{Observers: []tpot.Observer{m}},
		monitor: m,
		tell:    tell,
	}
	m.Watch(tooSlow, a.change)
	m.WatchStalls(patience, func(s monitor.Stall) { s.Cancel() }) // the request ends as a timeout
	return a
}

// change is called when the large model becomes too slow, and when it is so no longer.
func (a *app) change(b monitor.Breach) {
	a.slow.Store(!b.Cleared)
	switch {
	case !b.Cleared:
		a.tell("%s is too slow: TTFT p95 %.1f s of %d answers. Users get %s now, but for one in %d", large, b.Value, b.Row.Requests, small, probeOneIn)
	case b.Known:
		a.tell("%s is fast again: TTFT p95 %.1f s of %d answers. All users get it", large, b.Value, b.Row.Requests)
	default:
		a.tell("nobody knows how fast %s is: %d answers. All users get it", large, b.Row.Requests)
	}
}

// model is the model to ask now.
func (a *app) model() string {
	if !a.slow.Load() || a.meanwhile.Add(1)%probeOneIn == 0 {
		return large
	}
	return small
}

// ask answers a user's question, and returns how the answer came.
func (a *app) ask(ctx context.Context, question string) tpot.Stats {
	ctx, cancel := monitor.WithCancel(ctx)
	defer cancel()
	model := a.model()
	ctx, rec := a.tracker.Start(ctx, tpot.Request{Model: model})
	return rec.EndResponse(a.stream(ctx, model, question))
}

// stream shows an answer as it comes, or would if there were a user.
func (a *app) stream(ctx context.Context, model, question string) error {
	body, err := json.Marshal(map[string]any{
		"model": model, "stream": true, "messages": []map[string]string{{"role": "user", "content": question}},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
