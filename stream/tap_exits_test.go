package stream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// tapExit is a response, what its reader does, and what the record then says.
type tapExit struct {
	script   llmtest.Script
	readOnly int           // bytes; zero: to the end
	closeAt  time.Duration // when the reader closes; zero: right away
	cancelAt time.Duration // when the context is canceled; zero: never
	timeout  time.Duration // of the context

	outcome   tpot.Outcome
	cause     string
	errorType string
	e2e       time.Duration
	chunks    int
	ahead     int // chunks that came although they were not read
}

// page is a response of a media type that is no stream's.
func page(mediaType, body string) llmtest.Script {
	return llmtest.Script{Header: http.Header{"Content-Type": {mediaType}}}.After(ms20, llmtest.Raw(body))
}

func tapExits() map[string]tapExit {
	ai := llmtest.OpenAI{}
	two := llmtest.SSE().Every(ms20, ai.Text("a"), ai.Text("b"))
	ended := func(s llmtest.Script, ending llmtest.Ending, at time.Duration) llmtest.Script {
		s.Ending, s.EndAt = ending, at
		return s
	}
	whole := two.After(ms20, ai.Finish("stop"), ai.Done())
	const cut = "no end marker"
	return map[string]tapExit{
		"complete": {script: whole, outcome: tpot.OutcomeOK, e2e: 3 * ms20, chunks: 2},
		"complete, and the body ends much later": {
			script: ended(whole, llmtest.EndComplete, time.Minute), outcome: tpot.OutcomeOK, e2e: 3 * ms20, chunks: 2,
		},
		"complete, and then cut": {
			script: ended(whole, llmtest.EndCut, time.Minute), outcome: tpot.OutcomeOK, e2e: 3 * ms20, chunks: 2,
		},
		"complete, and closed much later without having seen the end": {
			script: ended(whole, llmtest.EndHang, 0), readOnly: len(bytesOf(whole)), closeAt: time.Minute,
			outcome: tpot.OutcomeOK, e2e: 3 * ms20, chunks: 2,
		},
		"finished, without an end marker": {
			script: ended(two.After(ms20, ai.Finish("stop")), llmtest.EndComplete, time.Second), outcome: tpot.OutcomeOK, e2e: 3 * ms20, chunks: 2,
		},
		"finished, and usage after that": {
			script:  two.After(ms20, ai.Finish("stop")).After(ms20, ai.Usage(llmtest.Usage{Output: 2})),
			outcome: tpot.OutcomeOK, e2e: 4 * ms20, chunks: 2,
		},
		"one choice finished, and another not": {
			script:  ended(two.After(ms20, ai.Finish("stop")).After(ms20, ai.Text("c")), llmtest.EndCut, time.Second),
			outcome: tpot.OutcomeTruncated, cause: "connection cut", errorType: "truncated", e2e: time.Second, chunks: 3,
		},
		"cut": {
			script: ended(two, llmtest.EndCut, time.Second), outcome: tpot.OutcomeTruncated, cause: "connection cut", errorType: "truncated",
			e2e: time.Second, chunks: 2,
		},
		"cut before the first byte": {
			script: ended(llmtest.SSE(), llmtest.EndCut, time.Second), outcome: tpot.OutcomeTruncated, cause: "connection cut", errorType: "truncated",
			e2e: time.Second,
		},
		"ended cleanly without a marker": {
			script: ended(two, llmtest.EndComplete, time.Second), outcome: tpot.OutcomeTruncated, cause: cut, errorType: "truncated", e2e: time.Second, chunks: 2,
		},
		"ended cleanly before the first event": {
			script:  ended(llmtest.SSE().After(0, llmtest.Raw("retry: 10\n\n")), llmtest.EndComplete, time.Second),
			outcome: tpot.OutcomeTruncated, cause: cut, errorType: "truncated", e2e: time.Second,
		},
		"ended cleanly in an event of a wire without markers": {
			script:  llmtest.SSE().After(ms20, llmtest.Raw("data: {\"text_output\":\"a\"}\n\ndata: {\"text_ou")),
			outcome: tpot.OutcomeTruncated, cause: cut, errorType: "truncated", e2e: ms20, chunks: 1,
		},
		"ended cleanly without its last line end": {
			script: two.After(ms20, ai.Finish("stop")).After(ms20, llmtest.Raw("data: [DONE]")), outcome: tpot.OutcomeOK, e2e: 4 * ms20, chunks: 2,
		},
		"an error in it, and a marker": {
			script:  two.After(ms20, ai.Error("overloaded", "busy"), ai.Done()),
			outcome: tpot.OutcomeFailed, cause: "error in stream", errorType: "overloaded", e2e: 3 * ms20, chunks: 2,
		},
		"closed early": {
			script: ended(two, llmtest.EndHang, 0), readOnly: 10, closeAt: ms700, outcome: tpot.OutcomeCanceled, cause: "early close", e2e: ms20 + ms700,
			ahead: 2,
		},
		"canceled": {
			script: ended(two, llmtest.EndHang, 0), cancelAt: time.Second, outcome: tpot.OutcomeCanceled, cause: "context", e2e: time.Second, chunks: 2,
		},
		"out of time": {
			script: ended(two, llmtest.EndHang, 0), timeout: time.Second, outcome: tpot.OutcomeTimeout, cause: "context", errorType: "timeout",
			e2e: time.Second, chunks: 2,
		},
		"out of time before the headers": {
			script: llmtest.Script{HeaderAt: time.Minute}, timeout: time.Second, outcome: tpot.OutcomeTimeout, cause: "context", errorType: "timeout", e2e: time.Second,
		},
		"refused": {
			script:  llmtest.JSON(http.StatusTooManyRequests, map[string]any{"error": map[string]any{"type": "rate_limit"}}),
			outcome: tpot.OutcomeFailed, cause: "status", errorType: "429",
		},
		"refused as a stream": {
			script:  llmtest.Script{Status: 529, Header: http.Header{"Content-Type": {"text/event-stream"}}}.After(ms20, ai.Text("a")),
			outcome: tpot.OutcomeFailed, cause: "status", errorType: "529", e2e: ms20,
		},
		"refused, and closed unread": {
			script:   ended(llmtest.JSON(http.StatusUnauthorized, "no"), llmtest.EndHang, 0),
			readOnly: 1, outcome: tpot.OutcomeFailed, cause: "status", errorType: "401",
		},
		"no content": {script: llmtest.Script{Status: http.StatusNoContent}, outcome: tpot.OutcomeOK},
		"a page": {
			script:  page("text/html; charset=utf-8", "<html>sign in</html>"),
			outcome: tpot.OutcomeFailed, cause: "error in stream", errorType: "not a stream", e2e: ms20,
		},
		"a page that is called a stream": {
			script: page("text/event-stream", "<html>sign in</html>"), outcome: tpot.OutcomeTruncated, cause: cut, errorType: "truncated", e2e: ms20,
		},
		"a whole answer where a stream was asked for": {
			script:  page("application/json", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`),
			outcome: tpot.OutcomeFailed, cause: "error in stream", errorType: "not a stream", e2e: ms20,
		},
		"an error as a whole answer": {
			script:  page("application/json", "{\n \"error\": {\"code\": 502, \"message\": \"m\"}}\n"),
			outcome: tpot.OutcomeFailed, cause: "error in stream", errorType: "502", e2e: ms20,
		},
		"an error as a whole answer that is called a stream": {
			script:  page("text/event-stream", "{\n \"error\": {\"code\": 502, \"message\": \"m\"}}\n"),
			outcome: tpot.OutcomeFailed, cause: "error in stream", errorType: "502", e2e: ms20,
		},
		"something else": {script: page("text/plain", "Hello"), outcome: tpot.OutcomeOK, e2e: ms20},
		"a stream that is called something else": {
			script:  page("text/plain", string(bytesOf(whole))),
			outcome: tpot.OutcomeOK, e2e: ms20, chunks: 2,
		},
	}
}

// bytesOf is all that a script writes.
func bytesOf(s llmtest.Script) (all []byte) {
	for _, w := range s.Writes {
		all = append(all, w.Bytes()...)
	}
	return all
}

func TestTransportOnEveryWayOut(t *testing.T) {
	for protocol, start := range protocols {
		for name, exit := range tapExits() {
			for ahead, size := range map[string]int{"": 0, "/read ahead": 1 << 20} {
				t.Run(protocol+"/"+name+ahead, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := start(exit.script)
						defer server.Close()
						client, records := tapped(t, server)
						client.Transport.(*stream.Transport).ReadAhead = size
						exit.take(t, client, server.URL)
						client.CloseIdleConnections()
						want := exit
						if size > 0 {
							want.chunks += exit.ahead
						}
						want.check(t, records.one(t))
					})
				})
			}
		}
	}
}

// take makes the request and leaves its response the way it is to be left.
func (x tapExit) take(t *testing.T, client *http.Client, url string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if x.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, x.timeout)
		defer cancel()
	}
	if x.cancelAt > 0 {
		time.AfterFunc(x.cancelAt, cancel)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(chatRequest))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	if x.readOnly > 0 {
		_, err = io.ReadFull(resp.Body, make([]byte, x.readOnly))
		require.NoError(t, err)
		time.Sleep(x.closeAt)
	} else {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	_ = resp.Body.Close()
}

func (x tapExit) check(t *testing.T, s tpot.Stats) {
	assert.Equal(t, x.outcome, s.Outcome)
	assert.Equal(t, x.cause, s.Cause)
	assert.Equal(t, x.errorType, s.ErrorType)
	e2e, ok := s.E2E()
	assert.True(t, ok)
	assert.Equal(t, x.e2e, e2e)
	assert.Equal(t, x.chunks, s.Chunks)
	assert.Zero(t, s.Faults)
	assert.Equal(t, s.Setup+s.Wait+s.Hold, e2e, "the parts make up the whole")
}

// failing is a transport that fails.
type failing func() (*http.Response, error)

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return f() }

func TestTransportWithoutAResponse(t *testing.T) {
	unreachable := errors.New("unreachable")
	records := &endings{}
	transport := &stream.Transport{
		Base:    failing(func() (*http.Response, error) { return nil, unreachable }),
		Tracker: tracking(t, records),
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://llm.test/v1/models", nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	assert.Nil(t, resp)
	assert.Same(t, unreachable, err)
	s := records.one(t)
	assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
	assert.Same(t, unreachable, s.Err)
	require.Len(t, s.Attempts, 1)
	assert.Zero(t, s.Attempts[0].Status)
}

func TestTransportThatPanics(t *testing.T) {
	records := &endings{}
	transport := &stream.Transport{
		Base:    failing(func() (*http.Response, error) { panic("boom") }),
		Tracker: tracking(t, records),
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://llm.test", nil)
	require.NoError(t, err)
	assert.PanicsWithValue(t, "boom", func() { _, _ = transport.RoundTrip(req) })
	assert.Equal(t, tpot.OutcomeFailed, records.one(t).Outcome)
}
