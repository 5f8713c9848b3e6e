package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
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

// The tests here have a Recorder in the request's context.

// ask sends a request in a context.
func ask(ctx context.Context, t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(chatRequest))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	require.NoError(t, err)
	return resp
}

// retry asks until the server does not refuse, as SDKs do.
func retry(ctx context.Context, t *testing.T, client *http.Client, url string) *http.Response {
	for {
		resp := ask(ctx, t, client, url)
		if resp.StatusCode == http.StatusOK {
			return resp
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		require.NoError(t, resp.Body.Close())
		time.Sleep(500 * time.Millisecond)
	}
}

// answer is a short one.
func answer() llmtest.Script {
	ai := llmtest.OpenAI{}
	return llmtest.SSE().After(180*time.Millisecond, ai.Role()).Every(ms20, ai.Text("a"), ai.Text("b"), ai.Text("c")).
		After(0, ai.Finish("stop"), ai.Done())
}

func refusal() llmtest.Script {
	s := llmtest.JSON(http.StatusTooManyRequests, map[string]any{"error": map[string]any{"type": "rate_limit"}})
	s.HeaderAt = 100 * time.Millisecond
	return s
}

func TestRetriesAreOneRecord(t *testing.T) {
	for protocol, start := range protocols {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := start(refusal(), refusal(), answer())
				defer server.Close()
				client, records := tapped(t, server)
				ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{Scenario: "chat"})
				resp := retry(ctx, t, client, server.URL)
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				assert.Empty(t, records.all(), "whoever started it ends it")
				rec.End(nil)
				client.CloseIdleConnections()

				s := records.one(t)
				assert.Equal(t, tpot.OutcomeOK, s.Outcome)
				ttft, _ := s.TTFT()
				assert.Equal(t, 2*600*time.Millisecond+200*time.Millisecond, ttft, "from the first attempt")
				require.Len(t, s.Attempts, 3)
				assert.Equal(t, []int{429, 429, 200}, []int{s.Attempts[0].Status, s.Attempts[1].Status, s.Attempts[2].Status})
				assert.Equal(t, 1200*time.Millisecond, s.Attempts[2].Start)
				assert.True(t, s.Attempts[2].Reused)
				assert.Equal(t, 3, s.Chunks)
				assert.Contains(t, s.Report(), "3 attempts (429, 429, 200), the last begun at 1.20s, connection reused")
			})
		})
	}
}

func TestRetriesThatAllFailAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(refusal())
		defer server.Close()
		client, _ := tapped(t, server)
		ctx, rec := new(tpot.Tracker).Start(t.Context(), tpot.Request{})
		for range 3 {
			resp := ask(ctx, t, client, server.URL)
			_ = resp.Body.Close()
		}
		s := rec.End(errors.New("gave up"))
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Equal(t, "status", s.Cause)
		assert.Equal(t, "429", s.ErrorType)
		assert.EqualError(t, s.Err, "gave up")
		assert.Len(t, s.Attempts, 3)
	})
}

func TestWrapperAndTransportCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		s := stream.Recv(rec, openIn(ctx, t, client, server.URL), nil)
		drain(s)
		assert.NoError(t, s.Close())

		got := records.one(t)
		assert.Equal(t, tpot.OutcomeOK, got.Outcome)
		assert.Equal(t, 3, got.Chunks)
		assert.Equal(t, 6, got.Events)
		assert.Equal(t, 3, len(chunkTimes(server.Log()[0])))
		assert.Equal(t, chunkTimes(server.Log()[0]), records.chunks)
		require.Len(t, got.Attempts, 1)
		assert.Equal(t, "openai", got.Wire)
	})
}

// openIn sends a request in a context and returns its stream.
func openIn(ctx context.Context, t *testing.T, client *http.Client, url string) *lines {
	resp := ask(ctx, t, client, url)
	return newLines(resp.Body)
}

// TestAWrapperThatIsFirstDelivers is the order of things where an SDK sends its request only once it is read.
func TestAWrapperThatIsFirstDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		lazy := func(yield func(line, error) bool) {
			src := openIn(ctx, t, client, server.URL)
			defer src.Close()
			for {
				l, err := src.Recv()
				if err == io.EOF || !yield(l, err) {
					return
				}
			}
		}
		for range stream.Seq2(rec, lazy, nil) {
		}
		got := records.one(t)
		assert.Equal(t, tpot.OutcomeOK, got.Outcome)
		assert.Equal(t, 3, got.Chunks)
		assert.Equal(t, 5, got.Events, "a line of [DONE] is no value of this SDK")
		assert.Len(t, got.Attempts, 1)
	})
}

// hiding is an SDK that hides a broken connection.
type hiding struct{ *lines }

func (h hiding) Recv() (line, error) {
	l, err := h.lines.Recv()
	if err != nil {
		err = io.EOF
	}
	return l, err
}

func TestACutThatTheSDKHidesIsTruncated(t *testing.T) {
	for protocol, start := range protocols {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// a wire without markers, whose clean end would be ok
				script := llmtest.SSE().Every(ms20, llmtest.Raw("data: {\"text_output\":\"a\"}\n\n"), llmtest.Raw("data: {\"text_output\":\"b\"}\n\n"))
				script.Ending, script.EndAt = llmtest.EndCut, time.Second
				server := start(script)
				defer server.Close()
				client, records := tapped(t, server)
				ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
				s := stream.Recv(rec, hiding{openIn(ctx, t, client, server.URL)}, nil)
				drain(s)
				assert.NoError(t, s.Close())
				client.CloseIdleConnections()

				got := records.one(t)
				assert.Equal(t, tpot.OutcomeTruncated, got.Outcome)
				assert.Equal(t, "connection cut", got.Cause)
				assert.Equal(t, 2, got.Chunks)
				assert.Equal(t, 960*time.Millisecond, got.Stalls.Longest)
			})
		})
	}
}

// halting is an SDK that gives an error of its own after a number of values.
type halting struct {
	*lines
	after int
}

var errHalt = errors.New("a line that the SDK does not like")

func (h *halting) Recv() (line, error) {
	if h.after--; h.after < 0 {
		return line{}, errHalt
	}
	return h.lines.Recv()
}

// TestAnErrorOfTheSDKAloneIsTold is of a request that fails for its consumer while all is well for the Transport, which delivers.
func TestAnErrorOfTheSDKAloneIsTold(t *testing.T) {
	read := map[string]func(rec *tpot.Recorder, src *halting){
		"recv": func(rec *tpot.Recorder, src *halting) {
			s := stream.Recv(rec, src, nil)
			drain(s)
			time.Sleep(time.Second)
			_ = s.Close()
		},
		"seq2": func(rec *tpot.Recorder, src *halting) {
			for _, err := range stream.Seq2(rec, all(src), nil) {
				if err != nil {
					time.Sleep(time.Second)
					break
				}
			}
			_ = src.Close()
		},
		"seq": func(rec *tpot.Recorder, src *halting) {
			for v := range stream.Seq(rec, carrying(src), nil) {
				if v.Err != nil {
					time.Sleep(time.Second)
					break
				}
			}
			_ = src.Close()
		},
	}
	for name, read := range read {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := llmtest.Start(answer())
				defer server.Close()
				client, records := tapped(t, server)
				ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
				read(rec, &halting{openIn(ctx, t, client, server.URL), 2})

				got := records.one(t)
				assert.Equal(t, tpot.OutcomeFailed, got.Outcome)
				assert.Same(t, errHalt, got.Err)
				e2e, _ := got.E2E()
				assert.Equal(t, 200*time.Millisecond, e2e, "it ended with the error")
			})
		})
	}
}

// bearer is a value with its error inside.
type bearer struct {
	line
	Err error
}

func carrying(src *halting) iter.Seq[bearer] {
	return func(yield func(bearer) bool) {
		for l, err := range all(src) {
			if !yield(bearer{l, err}) {
				return
			}
		}
	}
}

// TestAnErrorThatAValueFollowsIsNone is of an SDK that gives errors between values, under which a Transport delivers.
func TestAnErrorThatAValueFollowsIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		src := &halting{openIn(ctx, t, client, server.URL), 2}
		s := stream.Recv(rec, src, nil)
		drain(s)
		src.after = 1
		_, err := s.Recv()
		require.NoError(t, err)
		assert.NoError(t, s.Close())

		got := records.one(t)
		assert.Equal(t, tpot.OutcomeCanceled, got.Outcome)
		assert.Equal(t, "early close", got.Cause)
		assert.NoError(t, got.Err)
	})
}

// all ranges over the values of an SDK, and its errors.
func all(src *halting) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for {
			l, err := src.Recv()
			if err == io.EOF || !yield(l, err) {
				return
			}
		}
	}
}

func TestSeveralRequestsOfOneRecorderAreOneRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		for range 2 {
			resp := ask(ctx, t, client, server.URL)
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		rec.End(nil)
		s := records.one(t)
		assert.Equal(t, 6, s.Chunks)
		assert.Len(t, s.Attempts, 2)

		resp := ask(ctx, t, client, server.URL)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		assert.Len(t, records.all(), 2, "a Recorder that has ended leaves the next request a record of its own")
	})
}

func TestATransportInATransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		outer := *client.Transport.(*stream.Transport)
		outer.Base = client.Transport
		client.Transport = &outer
		resp := post(t, client, server.URL)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		s := records.one(t)
		assert.Equal(t, 3, s.Chunks)
		assert.Len(t, s.Attempts, 1)
	})
}

func TestATransportWithoutATrackerHasNoRecordsOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		base := server.Client().Transport
		client := &http.Client{Transport: &stream.Transport{Base: base}}
		resp := post(t, client, server.URL)
		bare, err := server.Client().Post(server.URL, "application/json", strings.NewReader(chatRequest))
		require.NoError(t, err)
		assert.IsType(t, bare.Body, resp.Body)
		_ = bare.Body.Close()
		_ = resp.Body.Close()
	})
}

func TestTheRequestAndItsContextAreTheCallersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, _ := tapped(t, server)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(chatRequest))
		require.NoError(t, err)
		resp, err := client.Transport.RoundTrip(req)
		require.NoError(t, err)
		assert.Same(t, req, resp.Request)
		assert.Equal(t, t.Context(), req.Context())
		_ = resp.Body.Close()
		client.CloseIdleConnections()
		assert.Equal(t, chatRequest, string(server.Log()[0].Body))
	})
}

func TestBodyOfAResponseThatATransportTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		resp := ask(ctx, t, client, server.URL)
		body := stream.Body(rec, resp)
		_, _ = io.Copy(io.Discard, body)
		time.Sleep(time.Minute)
		_ = body.Close()
		s := records.one(t)
		assert.Equal(t, 3, s.Chunks)
		assert.Len(t, s.Attempts, 1)
		e2e, _ := s.E2E()
		assert.Equal(t, 240*time.Millisecond, e2e)
	})
}
