package stream_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// piece is what one Read gives, and how long after the piece before it is there.
type piece struct {
	after time.Duration
	data  string
	err   error
}

// timedBody gives its pieces when they are due, or as soon as they are asked for after that.
type timedBody struct {
	start  time.Time
	at     time.Duration // when the last one given was due
	pieces []piece
}

func newTimed(pieces ...piece) *timedBody { return &timedBody{start: time.Now(), pieces: pieces} }

func (b *timedBody) Read(p []byte) (int, error) {
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	next := b.pieces[0]
	due := b.at + next.after
	if wait := due - time.Since(b.start); wait > 0 {
		time.Sleep(wait)
	}
	n := copy(p, next.data)
	if n < len(next.data) {
		b.pieces[0] = piece{0, next.data[n:], next.err}
		b.at = due
		return n, nil
	}
	b.at, b.pieces = due, b.pieces[1:]
	return n, next.err
}

func (b *timedBody) Close() error { return nil }

func serve(t testing.TB, body func() io.ReadCloser, ahead int) (*http.Client, *endings) {
	return traced(t, answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", body()), nil }), ahead)
}

func chunkOf(choice int, text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":%d,\"delta\":{\"content\":%q}}]}\n\n", choice, text)
}

func finishOf(choice int) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":%d,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", choice)
}

// One of two choices has finished, the other freezes and the connection breaks.
func TestOneChoiceHasFinishedAndAnotherFreezes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{10 * ms, chunkOf(0, "a"), nil}, piece{10 * ms, chunkOf(1, "b"), nil}, piece{20 * ms, finishOf(0), nil},
				piece{10 * time.Second, "", io.ErrUnexpectedEOF})
		}, 0)
		resp := post(t, client, "http://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		s := records.one(t)
		e2e, _ := s.E2E()
		assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
		assert.Equal(t, 10*time.Second+40*ms, e2e)
		assert.Equal(t, 1, s.Stalls.Count)
	})
}

func TestAReadOfNothingIsNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{0, twoChunks, nil}, piece{0, "", nil}, piece{0, twoChunks + endOfChunks, nil})
		}, 0)
		resp := post(t, client, "http://llm.test")
		buf := make([]byte, 4096)
		for range 3 {
			_, _ = resp.Body.Read(buf)
			time.Sleep(time.Second) // the consumer
		}
		_ = resp.Body.Close()
		s := records.one(t)
		assert.Zero(t, s.Wait, "the source never made anybody wait")
		assert.Equal(t, 2*time.Second, s.Hold)
		assert.Zero(t, s.Stalls.Count)
	})
}

// Dialing for a request that then gets an old connection goes on in the background (net/http), and its hooks are called.
func TestDialingThatGoesOnIsNoPartOfAnOldConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := answering(func(req *http.Request) (*http.Response, error) {
			h := httptrace.ContextClientTrace(req.Context())
			h.GetConn("llm.test:443")
			h.DNSStart(httptrace.DNSStartInfo{})
			time.Sleep(ms)
			h.DNSDone(httptrace.DNSDoneInfo{})
			h.ConnectStart("tcp", "127.0.0.1:443")
			time.Sleep(ms)
			h.GotConn(httptrace.GotConnInfo{Reused: true})
			time.Sleep(ms)
			h.ConnectDone("tcp", "127.0.0.1:443", nil)
			h.TLSHandshakeStart()
			time.Sleep(5 * ms)
			h.TLSHandshakeDone(tls.ConnectionState{}, nil)
			h.WroteRequest(httptrace.WroteRequestInfo{})
			return respond("text/event-stream", strings.NewReader(twoChunks+endOfChunks)), nil
		})
		client, records := traced(t, base, 0)
		resp := post(t, client, "https://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		a := records.one(t).Attempts[0]
		assert.True(t, a.Reused)
		assert.Zero(t, a.DNS+a.Connect+a.TLS, "it was over a connection that was open")
	})
}

// A request that is no stream, in the context of a Recorder, before the stream.
func TestAResponseThatIsNoStreamClaimsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
			return respond("application/json", strings.NewReader(`{"access_token":"x"}`)), nil
		}), 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		resp := ask(ctx, t, client, "http://auth.test/token")
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		// the stream itself comes over a wire that is not tapped: gRPC, a websocket, an SDK with a client of its own
		s := stream.Recv(rec, &lines{io.NopCloser(nil), newLines(io.NopCloser(strings.NewReader(twoChunks + endOfChunks))).scan}, nil)
		drain(s)
		assert.Equal(t, 2, records.one(t).Chunks)
	})
}

// The second provider's client, after the first one's stream broke.
func TestAnotherClientTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, records := serve(t, func() io.ReadCloser { return newTimed(piece{0, ": hello\n\n", io.ErrUnexpectedEOF}) }, 0)
		second, _ := serve(t, func() io.ReadCloser { return newTimed(piece{10 * ms, twoChunks + endOfChunks, nil}) }, 0)
		ctx, rec := first.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		for _, c := range []*http.Client{first, second} {
			resp := ask(ctx, t, c, "http://llm.test")
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		rec.End(nil)
		s := records.one(t)
		assert.Equal(t, 2, s.Chunks)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	})
}

// http.Client's own timeout wraps the body, for one.
func TestBodyOfAResponseThatSomebodyWrapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser { return newTimed(piece{10 * ms, twoChunks + endOfChunks, nil}) }, 0)
		tracker := client.Transport.(*stream.Transport).Tracker
		ctx, rec := tracker.Start(t.Context(), tpot.Request{})
		client.Timeout = time.Minute // http.Client itself wraps the body then
		resp := ask(ctx, t, client, "http://llm.test")
		body := stream.Body(rec, resp)
		_, _ = io.Copy(io.Discard, body)
		time.Sleep(time.Minute)
		_ = body.Close()
		s := records.one(t)
		assert.Len(t, s.Attempts, 1)
		assert.Equal(t, 2, s.Chunks)
	})
}

func TestLinesThatAreCalledJSON(t *testing.T) {
	records := &endings{}
	client := &http.Client{Transport: &stream.Transport{
		Base: answering(func(*http.Request) (*http.Response, error) {
			return respond("application/json", strings.NewReader("{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"done\":false}\n"+
				"{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"eval_count\":1}\n")), nil
		}), Tracker: tracking(t, records)}}
	resp := post(t, client, "http://llm.test/api/chat")
	_, _ = io.Copy(io.Discard, resp.Body)
	s := records.one(t)
	assert.NotEqual(t, tpot.OutcomeFailed, s.Outcome, "%s: %s", s.Cause, s.ErrorType)
}

func TestTritonsPiecesMayBeAlike(t *testing.T) {
	client, records := serve(t, func() io.ReadCloser {
		return io.NopCloser(strings.NewReader(strings.Repeat("data: {\"model_name\":\"m\",\"text_output\":\"1\"}\n\n", 10)))
	}, 0)
	resp := post(t, client, "http://llm.test/generate_stream")
	_, _ = io.Copy(io.Discard, resp.Body)
	assert.Equal(t, 10, records.one(t).Chunks)
}

// The wait for the end after the end marker, of a Recorder whose owner ends it.
func TestTheWaitForTheEndIsAWaitWhereSomebodyElseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{10 * ms, twoChunks + endOfChunks, nil}, piece{5 * time.Second, "", io.EOF})
		}, 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		resp := ask(ctx, t, client, "http://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		rec.End(nil)
		s := records.one(t)
		assert.Zero(t, s.Hold, "the consumer was in Read all the time; E2E is %v", fmt.Sprint(s.E2E()))
	})
}

// The server says GOAWAY in the middle of a stream, and then the connection goes.
func TestAConnectionThatIsGivenUpIsACut(t *testing.T) {
	started := make(chan struct{})
	server := sseServer(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, twoChunks)
		w.(http.Flusher).Flush()
		close(started)
		<-r.Context().Done()
	})
	client, records := traced(t, server.Client().Transport, 0)
	resp := post(t, client, server.URL)
	<-started
	_, err := io.ReadFull(resp.Body, make([]byte, len(twoChunks)))
	require.NoError(t, err)
	go func() {
		ctx, c := context.WithTimeout(context.Background(), 300*ms)
		defer c()
		_ = server.Config.Shutdown(ctx)
		server.CloseClientConnections()
	}()
	_, err = io.Copy(io.Discard, resp.Body)
	s := records.one(t)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome, "%T %v: %s %s", err, err, s.Cause, s.ErrorType)
}

func TestARedirectIsNoFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			w.Header().Set("Location", "/new")
			w.WriteHeader(307)
			_, _ = io.WriteString(w, strings.Repeat("x", 10000))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, twoChunks+endOfChunks)
	}))
	defer server.Close()
	client, records := traced(t, nil, 0)
	resp := post(t, client, server.URL+"/old")
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	for _, s := range records.all() {
		assert.Equal(t, tpot.OutcomeOK, s.Outcome, "status %d: %s, chunks %d", s.Attempts[0].Status, s.Cause, s.Chunks)
	}
}

// A wrapper with a classifier of its own, and a server that breaks the connection after [DONE].
func TestACutAfterTheMarkerIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{0, twoChunks + endOfChunks, nil}, piece{ms, "", io.ErrUnexpectedEOF})
		}, 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		for range stream.Seq2(rec, func(yield func(line, error) bool) {
			src := hiding{openIn(ctx, t, client, "http://llm.test")}
			for {
				l, err := src.Recv()
				if err == io.EOF || !yield(l, err) {
					return
				}
			}
		}, stream.Each[line]) {
		}
		assert.Equal(t, tpot.OutcomeOK, records.one(t).Outcome)
	})
}

func TestWhatComesAfterTheMarkerDoesNotMoveTheEnd(t *testing.T) {
	for name, rest := range map[string]string{"a blank line": "\n", "a ping": ": keep-alive\n\n"} {
		synctest.Test(t, func(t *testing.T) {
			client, records := serve(t, func() io.ReadCloser {
				return newTimed(piece{10 * ms, twoChunks + endOfChunks, nil}, piece{5 * time.Second, rest, nil})
			}, 0)
			resp := post(t, client, "http://llm.test")
			_, _ = io.Copy(io.Discard, resp.Body)
			e2e, _ := records.one(t).E2E()
			assert.Equal(t, 10*ms, e2e, name)
		})
	}
}

// A hedged request ends for its loser after its winner.
func TestAHedgedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
			if requests.Add(1) == 1 {
				return respond("text/event-stream", newTimed(piece{300 * ms, chunkOf(0, "x"), nil}, piece{500 * ms, "", context.Canceled})), nil
			}
			return respond("text/event-stream", newTimed(piece{10 * ms, twoChunks, nil}, piece{time.Second, twoChunks + endOfChunks, nil})), nil
		}), 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { resp := ask(ctx, t, client, "http://llm.test"); _, _ = io.Copy(io.Discard, resp.Body) })
		}
		wg.Wait()
		rec.End(nil)
		s := records.one(t)
		e2e, _ := s.E2E()
		assert.Equal(t, e2e, s.Setup+s.Wait+s.Hold)
	})
}

// Several choices: a finished one makes the waits for the other the consumer's, under a Recorder that somebody else ends.
func TestOneChoiceHasFinishedUnderAnothersRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{10 * ms, chunkOf(0, "a"), nil}, piece{10 * ms, chunkOf(1, "b"), nil}, piece{20 * ms, finishOf(0), nil},
				piece{10 * time.Second, "", io.EOF})
		}, 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		resp := ask(ctx, t, client, "http://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		rec.End(nil)
		s := records.one(t)
		assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
		assert.Equal(t, 10*time.Second+40*ms, s.Wait, "hold %v", s.Hold)
		assert.Equal(t, 1, s.Stalls.Count)
	})
}

// A stream without markers whose last event has no blank line: its reader waits for the end.
func TestTheLastEventWithoutItsBlankLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{10 * ms, "data: {\"text_output\":\"a\"}\n", nil}, piece{5 * time.Second, "", io.EOF})
		}, 0)
		resp := post(t, client, "http://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		s := records.one(t)
		assert.Zero(t, s.Hold, "the consumer was in Read all the time; wait %v", s.Wait)
	})
}

// An error in the middle that the SDK retries: the first attempt's pieces are in the figures of the second.
func TestARetryAfterACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
			n++
			if n == 1 {
				return respond("text/event-stream", newTimed(piece{10 * ms, chunkOf(0, "a"), nil}, piece{10 * ms, "", io.ErrUnexpectedEOF})), nil
			}
			return respond("text/event-stream", newTimed(piece{10 * ms, "data: {\"cho", nil}, piece{10 * ms, "", io.ErrUnexpectedEOF})), nil
		}), 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		for range 2 {
			resp := ask(ctx, t, client, "http://llm.test")
			_, _ = io.Copy(io.Discard, resp.Body)
			time.Sleep(time.Second)
		}
		s := rec.End(nil)
		_ = records
		e2e, _ := s.E2E()
		assert.Equal(t, s.Setup+s.Wait+s.Hold, e2e)
		assert.Equal(t, 1040*ms, e2e, "the last error's offset")
	})
}

// A Read error of one body of an SDK's, of which it makes nothing: an error body of a refusal that was cut, then a stream that a wrapper reads.
func TestARefusalThatIsCutAndThenAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
			n++
			if n == 1 {
				r := respond("application/json", newTimed(piece{10 * ms, "{", io.ErrUnexpectedEOF}))
				r.StatusCode = 503
				return r, nil
			}
			return respond("text/event-stream", newTimed(piece{10 * ms, twoChunks + endOfChunks, nil})), nil
		}), 0)
		ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
		for range 2 {
			resp := ask(ctx, t, client, "http://llm.test")
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		rec.End(nil)
		s := records.one(t)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		e2e, _ := s.E2E()
		assert.Equal(t, s.Setup+s.Wait+s.Hold, e2e)
	})
}

// A body that may be no stream is nobody's until its first event. The waits for the pieces of that are waits, and what lies between is hold.
func TestTheFirstEventOfAPlainBodyInPieces(t *testing.T) {
	const first, rest = `[{"candidates":[{"content":{"parts":[{"te`, `xt":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":1}}` + "\n]"
	for name, body := range map[string][]piece{
		"at once":        {{150 * ms, first + rest, nil}, {0, "", io.EOF}},
		"in pieces":      {{150 * ms, first[:9], nil}, {0, first[9:], nil}, {0, rest, nil}, {0, "", io.EOF}},
		"with a pause":   {{70 * ms, first, nil}, {80 * ms, rest, nil}, {0, "", io.EOF}},
		"with two holds": {{50 * ms, first[:9], nil}, {50 * ms, first[9:], nil}, {50 * ms, rest, nil}, {0, "", io.EOF}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
					return respond("application/json", newTimed(body...)), nil
				}), 0)
				ctx, rec := client.Transport.(*stream.Transport).Tracker.Start(t.Context(), tpot.Request{})
				resp := ask(ctx, t, client, "http://llm.test")
				var held time.Duration
				for buffer := make([]byte, 1000); ; {
					_, err := resp.Body.Read(buffer)
					if err != nil {
						break
					}
					if name == "with two holds" && held < 60*ms {
						time.Sleep(30 * ms)
						held += 30 * ms
					}
				}
				rec.End(nil)
				s := records.one(t)
				assert.Zero(t, s.Setup)
				assert.Equal(t, held, s.Hold)
				assert.Equal(t, 150*ms, s.Wait+s.Hold)
				ttft, _ := s.TTFT()
				assert.Equal(t, 150*ms, ttft)
			})
		})
	}
}
