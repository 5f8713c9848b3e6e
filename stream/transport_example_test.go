package stream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// answered plays the part of a provider.
func answered() *llmtest.Server {
	ai := llmtest.OpenAI{}
	return llmtest.Start(llmtest.SSE().After(0, ai.Role(), ai.Text("Hello"), ai.Text(" world"),
		ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 3}), ai.Done()))
}

// printer is an observer that prints how each request ended.
type printer struct{}

func (printer) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, printer{}
}
func (printer) Observe(tpot.Arrival) {}
func (printer) End(s tpot.Stats) {
	fmt.Println(s.Request.Model, s.Outcome, s.Tokens, "tokens", s.Source)
}

// A client is all that changes. Whatever SDK is given it, and whoever calls that, goes on as before.
func ExampleTransport() {
	server := answered()
	defer server.Close()
	client := &http.Client{Transport: &stream.Transport{
		Base:    server.Client().Transport, // leave it out for http.DefaultTransport
		Tracker: &tpot.Tracker{Observers: []tpot.Observer{printer{}}},
	}}

	// somewhere inside an SDK
	resp, err := client.Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-4o-mini","stream":true,"messages":[]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	// Output: gpt-4o-mini ok 3 tokens reported
}

// With a Recorder in its context, a call is one record whatever an SDK makes of it: retries, or several requests.
func ExampleTransport_recorder() {
	server := answered()
	defer server.Close()
	client := &http.Client{Transport: &stream.Transport{Base: server.Client().Transport}}

	ctx, rec := new(tpot.Tracker).Start(context.Background(), tpot.Request{Scenario: "greeting"})
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
	resp, err := client.Do(req)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		err = resp.Body.Close()
	}
	s := rec.End(err)
	fmt.Println(s.Request.Scenario, s.Outcome, s.Chunks, "chunks,", len(s.Attempts), "attempt:", s.Attempts[0].Status)
	// Output: greeting ok 2 chunks, 1 attempt: 200
}

func ExampleBody() {
	server := answered()
	defer server.Close()

	rec := tpot.Start(context.Background())
	resp, err := server.Client().Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		rec.End(err)
		return
	}
	resp.Body = stream.Body(rec, resp)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	s := rec.Stats()
	fmt.Println(s.Outcome, s.Wire, s.Chunks, "chunks of", s.Events, "events,", s.Tokens, "tokens", s.Source)
	// Output: ok openai 2 chunks of 6 events, 3 tokens reported
}
