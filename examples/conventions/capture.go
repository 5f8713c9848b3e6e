package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The captured stream: its bytes, and when which of them came.
//
//go:embed capture.bin capture.json
var captured embed.FS

// record replays the captured stream from a server on loopback, and returns the trace that was made of it as a line of JSON.
func record(ctx context.Context) ([]byte, error) {
	script, err := llmtest.Fixture(captured, "capture")
	if err != nil {
		return nil, err
	}
	server, err := llmtest.Listen(script)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on loopback: %w", err)
	}
	defer server.Close()
	return ask(ctx, server.URL, server.Client().Transport)
}

// request asks for what tools need that count tokens: the usage at the end, and of each chunk the ids of its tokens, which vLLM and few others
// have. Of a server that has not, an adapter's classifier can count with a tokenizer; else the figures of those tools are undefined, and
// the comparison says so. Nobody guesses.
const request = `{"model":"ex-reasoner-1","stream":true,"max_tokens":64,"stream_options":{"include_usage":true},"return_token_ids":true,` +
	`"messages":[{"role":"user","content":"Tell me about the sea."}]}`

// ask is an application: its Transport times what passes, and its Tracker keeps the events and has the trace written when the request ends.
func ask(ctx context.Context, url string, base http.RoundTripper) ([]byte, error) {
	var lines bytes.Buffer // in an application, a file
	traces := tpot.NewTraceWriter(&lines)
	tracker := &tpot.Tracker{TraceEvents: 10000, Observers: []tpot.Observer{traces}}
	client := &http.Client{Transport: &stream.Transport{Base: base, Tracker: tracker}}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(request))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return nil, err
	}
	return lines.Bytes(), traces.Err()
}
