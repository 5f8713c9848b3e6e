package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

const ms20, ms700 = 20 * time.Millisecond, 700 * time.Millisecond

// scripts are answers on three wires, with a freeze each.
func scripts() map[string]llmtest.Script {
	openAI, anthropic, ollama := llmtest.OpenAI{}, llmtest.Anthropic{}, llmtest.Ollama{}
	usage := llmtest.Usage{Input: 9, Output: 5}
	return map[string]llmtest.Script{
		"openai": llmtest.SSE().After(180*time.Millisecond, openAI.Role()).
			Every(ms20, openAI.Text("a"), openAI.Text("b"), openAI.Text("c")).
			After(ms700, openAI.Text("d"), openAI.Text("e")).
			After(ms20, openAI.Finish("stop"), openAI.Usage(usage), openAI.Done()),
		"anthropic": llmtest.SSE().After(180*time.Millisecond, anthropic.Start(9), anthropic.OpenText(), anthropic.Ping()).
			Every(ms20, anthropic.Text("a"), anthropic.Text("b"), anthropic.Text("c")).
			After(ms700, anthropic.Text("d"), anthropic.Text("e")).
			After(ms20, anthropic.Close(), anthropic.Finish("end_turn", usage), anthropic.Done()),
		"ollama": llmtest.NDJSON().After(180*time.Millisecond).
			Every(ms20, ollama.Text("a"), ollama.Text("b"), ollama.Text("c")).
			After(ms700, ollama.Text("d"), ollama.Text("e")).
			After(ms20, ollama.Done("stop", usage)),
	}
}

// brief is an answer without a freeze.
func brief() llmtest.Script {
	ai := llmtest.OpenAI{}
	return llmtest.SSE().Every(ms20, ai.Text("a"), ai.Text("b"), ai.Text("c")).After(0, ai.Finish("stop"), ai.Done())
}

const question = `{"model":"m-1","stream":true,"messages":[{"role":"user","content":"?"}]}`

// newRequest is a client's request: there is nothing of ours in it.
func newRequest(url string) *http.Request {
	req, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions?v=1", strings.NewReader(question))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer secret-key")
	return req
}

// ask sends a request to a server.
func (s server) ask(t *testing.T) *http.Response {
	t.Helper()
	resp, err := s.transport.RoundTrip(newRequest(s.url))
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// receive reads an answer event by event, each of which must be the upstream's, and returns when it had each chunk.
func receive(t *testing.T, body io.Reader, script llmtest.Script) (got []time.Time) {
	t.Helper()
	for _, w := range script.Writes {
		for _, event := range w.Events {
			bytes := make([]byte, len(event.Bytes))
			_, err := io.ReadFull(body, bytes)
			require.NoError(t, err)
			require.Equal(t, string(event.Bytes), string(bytes))
			if event.Kind != "" {
				got = append(got, time.Now())
			}
		}
	}
	rest, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Empty(t, rest)
	return got
}

// answers runs a test with each script, compressed or not on the way to the gateway.
func answers(t *testing.T, test func(t *testing.T, wire string, script llmtest.Script)) {
	for wire, script := range scripts() {
		for name, compressed := range map[string]bool{wire: false, wire + " in gzip": true} {
			t.Run(name, func(t *testing.T) {
				script.Gzip = compressed
				test(t, wire, script)
			})
		}
	}
}

func TestInMemoryTheRecordIsTheUpstreamsLog(t *testing.T) {
	for protocol, on := range map[string]network{"HTTP1": inMemory, "HTTP2": overHTTP2} {
		t.Run(protocol, func(t *testing.T) {
			answers(t, func(t *testing.T, wire string, script llmtest.Script) {
				synctest.Test(t, func(t *testing.T) { checkExactly(t, on, wire, script) })
			})
		})
	}
}

// checkExactly is for bubbles, where no way takes time.
func checkExactly(t *testing.T, on network, wire string, script llmtest.Script) {
	log, upstream := on.play(t, script)
	gateway := on.gateway(t, upstream)
	got := receive(t, gateway.ask(t).Body, script)
	r, x := <-gateway.records, log.Log()[0]

	checkFigures(t, r, wire)
	assert.Equal(t, x.Arrived, r.stats.Start)
	i := 0
	for sent := range x.Chunks() {
		assert.Equal(t, sent.Began, r.chunks[i].At)
		assert.Equal(t, x.Arrived.Add(sent.Began), got[i])
		i++
	}
	assert.Equal(t, len(r.chunks), i)
	e2e, _ := r.stats.E2E()
	assert.Equal(t, x.Ended, e2e)
	assert.Equal(t, x.Ended, r.stats.Wait)
	assert.Zero(t, r.stats.Hold)
	assert.Equal(t, tpot.Stalls{Count: 1, Total: ms700, Longest: ms700}, r.stats.Stalls)
}

func TestOverTCPTheRecordIsTheUpstreamsLog(t *testing.T) {
	answers(t, func(t *testing.T, wire string, script llmtest.Script) {
		t.Parallel()
		on := onLoopback
		log, upstream := on.play(t, script)
		gateway := on.gateway(t, upstream)
		got := receive(t, gateway.ask(t).Body, script)
		r := <-gateway.records
		checkFigures(t, r, wire)
		checkArrivals(t, r, log.Log()[0], got)
	})
}

// checkFigures checks the record of one of the scripts, its figures against the arrivals of its chunks, by the definitions.
func checkFigures(t *testing.T, r *record, wire string) {
	t.Helper()
	assert.Equal(t, tpot.OutcomeOK, r.stats.Outcome)
	assert.Equal(t, wire, r.stats.Wire)
	assert.Equal(t, 5, r.stats.Tokens)
	assert.Equal(t, tpot.SourceReported, r.stats.Source)
	assert.True(t, r.stats.Request.Stream)
	require.Len(t, r.chunks, 5)
	var longest time.Duration
	for i, c := range r.chunks[1:] {
		assert.Equal(t, c.At-r.chunks[i].At, c.Gap)
		longest = max(longest, c.Gap)
	}
	first, last := r.chunks[0].At, r.chunks[len(r.chunks)-1].At
	ttft, _ := r.stats.TTFT()
	assert.Equal(t, first, ttft)
	gap, _ := r.stats.Gaps().Max()
	assert.Equal(t, longest, gap)
	perToken, _ := r.stats.TPOT()
	assert.Equal(t, (last-first+2)/4, perToken)
}

// checkArrivals says of each chunk that it came to the gateway not before the upstream began to write it, and not after the client
// had it. So TTFT and every gap are within the way of two chunks, whatever that took.
func checkArrivals(t *testing.T, r *record, x llmtest.Exchange, got []time.Time) {
	t.Helper()
	require.Len(t, r.chunks, len(got))
	i := 0
	for sent := range x.Chunks() {
		at := r.stats.Start.Add(r.chunks[i].At)
		assert.False(t, at.Before(x.Arrived.Add(sent.Began)), "chunk %d came before it was written", i)
		assert.False(t, at.After(got[i]), "chunk %d came after the client had it", i)
		i++
	}
	assert.Equal(t, len(got), i)
}

func TestAnEventReachesTheClientBeforeTheNextIsWritten(t *testing.T) {
	event := "data: {}\n\n"
	const events = 5
	for name, header := range map[string]http.Header{
		"SSE":             {"Content-Type": {"text/event-stream"}},
		"NDJSON":          {"Content-Type": {"application/x-ndjson"}},
		"of known length": {"Content-Length": {fmt.Sprint(events * len(event))}},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, on network) {
				received := make(chan bool)
				upstream := on.upstream(t, func(w http.ResponseWriter, r *http.Request) {
					maps.Copy(w.Header(), header)
					for range events {
						_, _ = io.WriteString(w, event)
						_ = http.NewResponseController(w).Flush()
						<-received
					}
				})
				gateway := on.gateway(t, upstream)
				body := gateway.ask(t).Body
				for range events {
					got := make([]byte, len(event))
					_, err := io.ReadFull(body, got)
					require.NoError(t, err)
					assert.Equal(t, event, string(got))
					received <- true
				}
				rest, err := io.ReadAll(body)
				assert.NoError(t, err)
				assert.Empty(t, rest)
				<-gateway.records
			})
		})
	}
}

func TestTheHeadersReachTheClientBeforeTheFirstEvent(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		received := make(chan bool)
		upstream := on.upstream(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-received
		})
		gateway := on.gateway(t, upstream)
		resp := gateway.ask(t)
		assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
		received <- true
		_, err := io.ReadAll(resp.Body)
		assert.NoError(t, err)
		assert.Equal(t, tpot.OutcomeTruncated, (<-gateway.records).stats.Outcome, "a stream without an event")
	})
}

func TestNeitherSideCanTellThatItIsTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := inMemory
		log, upstream := on.play(t, brief())
		gateway := on.gateway(t, upstream)
		through, direct := gateway.ask(t), upstream.ask(t)
		a, err := io.ReadAll(through.Body)
		require.NoError(t, err)
		b, err := io.ReadAll(direct.Body)
		require.NoError(t, err)
		<-gateway.records

		assert.Equal(t, direct.Status, through.Status)
		assert.Equal(t, direct.Header, through.Header)
		assert.Equal(t, string(b), string(a))
		x := log.Log()
		assert.Equal(t, x[1].Header, x[0].Header)
		assert.Equal(t, x[1].Path, x[0].Path)
		assert.Equal(t, x[1].Host, x[0].Host)
		assert.Equal(t, question, string(x[0].Body))
	})
}

func TestASlowClientIsHoldAndNotASlowModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := brief()
		on := inMemory
		_, upstream := on.play(t, script)
		gateway := on.gateway(t, upstream)
		resp := gateway.ask(t)
		time.Sleep(time.Second) // the gateway's write of the first event waits, since a pipe has no room
		receive(t, resp.Body, script)
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, ms20, s.Wait, "the others were there by then")
		assert.Equal(t, time.Second-ms20, s.Hold)
		assert.Equal(t, 2, s.HoldBound)
		assert.Zero(t, s.Stalls.Count)
	})
}

func TestARefusalPassesAndIsFailed(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		refusal := llmtest.JSON(http.StatusTooManyRequests, map[string]any{"error": map[string]string{"message": "slow down"}})
		refusal.Header.Set("Retry-After", "7")
		_, upstream := on.play(t, refusal)
		gateway := on.gateway(t, upstream)
		resp := gateway.ask(t)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		assert.Equal(t, "7", resp.Header.Get("Retry-After"))
		assert.Equal(t, `{"error":{"message":"slow down"}}`, string(body))
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Equal(t, "status", s.Cause)
		assert.Equal(t, "m-1", s.Request.Model)
	})
}

func TestACutReachesTheClientAndIsTruncated(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		script := llmtest.SSE().Every(ms20, llmtest.OpenAI{}.Text("a"), llmtest.OpenAI{}.Text("b"))
		script.Ending = llmtest.EndCut
		log, upstream := on.play(t, script)
		gateway := on.gateway(t, upstream)
		body, err := io.ReadAll(gateway.ask(t).Body)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, string(script.Writes[0].Bytes())+string(script.Writes[1].Bytes()), string(body))
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
		assert.Equal(t, "connection cut", s.Cause)
		assert.Equal(t, 2, s.Chunks)
		assert.Equal(t, llmtest.StateCut, log.Log()[0].State)
	})
}

func TestAnUpstreamThatIsNotThereIsA502AndFailed(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		listener, transport := on.listen(t)
		require.NoError(t, listener.Close())
		gateway := on.gateway(t, server{"http://" + listener.Addr().String(), transport})
		resp := gateway.ask(t)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadGateway, resp.StatusCode)
		assert.Equal(t, "gateway: no answer from "+listener.Addr().String()+"\n", string(body))
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Error(t, s.Err)
		assert.Equal(t, "m-1", s.Request.Model)
	})
}

func TestAnUpstreamThatClosesWithoutAnAnswerIsA502AndFailed(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		upstream := on.upstream(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		gateway := on.gateway(t, upstream)
		assert.Equal(t, http.StatusBadGateway, gateway.ask(t).StatusCode)
		assert.Equal(t, tpot.OutcomeFailed, (<-gateway.records).stats.Outcome)
	})
}

// working is an upstream that writes something and then works until nobody wants the answer: ended is closed then.
func working(writes string) (handler http.HandlerFunc, asked, ended chan bool) {
	asked, ended = make(chan bool), make(chan bool)
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if writes != "" {
			_, _ = io.WriteString(w, writes)
			_ = http.NewResponseController(w).Flush()
		}
		close(asked)
		<-r.Context().Done()
		close(ended)
	}, asked, ended
}

func TestAClientThatLeavesEndsTheUpstreamsWorkAndIsCanceled(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		event := string(llmtest.OpenAI{}.Text("a").Bytes)
		handler, _, ended := working(event)
		gateway := on.gateway(t, on.upstream(t, handler))
		resp := gateway.ask(t)
		_, err := io.ReadFull(resp.Body, make([]byte, len(event)))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		<-ended
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
		assert.Equal(t, "context", s.Cause)
		assert.Equal(t, 1, s.Chunks)
	})
}

func TestAClientThatLeavesBeforeTheAnswerIsCanceled(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		handler, asked, ended := working("")
		gateway := on.gateway(t, on.upstream(t, handler))
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-asked
			leave()
		}()
		_, err := gateway.transport.RoundTrip(newRequest(gateway.url).WithContext(ctx))
		require.ErrorIs(t, err, context.Canceled)
		<-ended
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
		assert.Equal(t, "context", s.Cause)
		_, answered := s.Headers()
		assert.False(t, answered)
	})
}

func TestAClientThatLeavesWhileItAsksIsCanceled(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		log, upstream := on.play(t)
		gateway := on.gateway(t, upstream)
		conn := gateway.dial(t)
		_, err := io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{\"model\":")
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		assert.Equal(t, tpot.OutcomeCanceled, (<-gateway.records).stats.Outcome)
		assert.Empty(t, log.Log())
	})
	broken := httptest.NewRequest(http.MethodPost, "/", iotest.ErrReader(io.ErrUnexpectedEOF))
	broken.ContentLength = 1000
	assert.ErrorIs(t, keepBody(broken).Context().Err(), context.Canceled, "whether or not the server has noticed")
}

// dial connects to a server.
func (s server) dial(t *testing.T) net.Conn {
	t.Helper()
	dial := s.transport.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// passEncoding leaves the client's Accept-Encoding as it is, as a ReverseProxy does by itself.
func passEncoding(p *httputil.ReverseProxy) {
	rewrite := p.Rewrite
	p.Rewrite = func(r *httputil.ProxyRequest) {
		rewrite(r)
		if values, ok := r.In.Header["Accept-Encoding"]; ok {
			r.Out.Header["Accept-Encoding"] = values
		}
	}
}

func TestWhatTheClientAcceptsAndTheGatewayPassesOnIsNotRead(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		script := brief()
		script.Gzip = true
		_, upstream := on.play(t, script)
		gateway := on.gateway(t, upstream, passEncoding)
		req := newRequest(gateway.url)
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := gateway.transport.RoundTrip(req)
		require.NoError(t, err)
		require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
		body, err := gzip.NewReader(resp.Body)
		require.NoError(t, err)
		receive(t, body, script)
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, 1, s.Unread)
		assert.Zero(t, s.Events)
	})
}

func TestTheClientsOwnEncodingDoesNotBlindTheGateway(t *testing.T) {
	for _, accepted := range []string{"gzip", "identity", "br, zstd"} {
		t.Run(accepted, func(t *testing.T) {
			onEach(t, func(t *testing.T, on network) {
				script := brief()
				script.Gzip = true
				log, upstream := on.play(t, script)
				gateway := on.gateway(t, upstream)
				req := newRequest(gateway.url)
				req.Header.Set("Accept-Encoding", accepted)
				resp, err := gateway.transport.RoundTrip(req)
				require.NoError(t, err)
				assert.Empty(t, resp.Header.Get("Content-Encoding"))
				receive(t, resp.Body, script)
				s := (<-gateway.records).stats
				assert.Equal(t, 3, s.Chunks)
				assert.Zero(t, s.Unread)
				assert.Equal(t, "gzip", log.Log()[0].Header.Get("Accept-Encoding"), "the gateway's own")
			})
		})
	}
}

func TestRequestsSideBySideHaveOneRecordEach(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		const clients = 40
		script := scripts()["openai"]
		log, upstream := on.play(t, script)
		gateway := on.gateway(t, upstream)
		got := make([][]time.Time, clients)
		var asking sync.WaitGroup
		for i := range clients {
			asking.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				req := newRequest(gateway.url)
				body := strings.Replace(question, "m-1", fmt.Sprint(i), 1)
				req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
				resp, err := gateway.transport.RoundTrip(req)
				if assert.NoError(t, err) {
					got[i] = receive(t, resp.Body, script)
				}
			})
		}
		asking.Wait()
		records := map[string]*record{}
		for range clients {
			r := <-gateway.records
			records[r.stats.Request.Model] = r
		}
		require.Len(t, records, clients)
		for _, x := range log.Log() {
			var asked struct{ Model string }
			require.NoError(t, json.Unmarshal(x.Body, &asked))
			var i int
			_, err := fmt.Sscan(asked.Model, &i)
			require.NoError(t, err)
			checkFigures(t, records[asked.Model], "openai")
			checkArrivals(t, records[asked.Model], x, got[i])
		}
	})
}

// echo is an upstream that switches to another protocol, and sends back what it gets. The other side's end is told.
func echo(t *testing.T, ended chan<- bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "websocket", r.Header.Get("Upgrade"))
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, buffered)
		close(ended)
	}
}

// upgrade asks a server to switch.
func (s server) upgrade(t *testing.T) io.ReadWriteCloser {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.url+"/v1/realtime", nil)
	require.NoError(t, err)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	resp, err := s.transport.RoundTrip(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	conn, ok := resp.Body.(io.ReadWriteCloser)
	require.True(t, ok)
	return conn
}

func TestAWebsocketPasses(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		ended := make(chan bool)
		gateway := on.gateway(t, on.upstream(t, echo(t, ended)))
		conn := gateway.upgrade(t)
		for _, word := range []string{"hello", "again"} {
			_, err := io.WriteString(conn, word)
			require.NoError(t, err)
			heard := make([]byte, len(word))
			_, err = io.ReadFull(conn, heard)
			require.NoError(t, err)
			assert.Equal(t, word, string(heard))
		}
		require.NoError(t, conn.Close())
		<-ended
		s := (<-gateway.records).stats
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Zero(t, s.Events, "what passes over it is not looked into")
	})
}

func TestAWebsocketEndsWithTheGateway(t *testing.T) {
	onEach(t, func(t *testing.T, on network) {
		ended := make(chan bool)
		gateway := on.gateway(t, on.upstream(t, echo(t, ended)))
		conn := gateway.upgrade(t)
		<-gateway.records
		gateway.interrupt()
		_, err := conn.Read(make([]byte, 1))
		assert.Error(t, err)
		<-ended
	})
}

func TestALongUploadIsPassedOnAsItComes(t *testing.T) {
	for name, length := range map[string]int64{"longer than is kept": maxKept + 1, "unknown length": -1} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, on network) {
				begun := make(chan bool)
				upstream := on.upstream(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.ReadFull(r.Body, make([]byte, 1))
					close(begun)
					n, _ := io.Copy(io.Discard, r.Body)
					fmt.Fprint(w, 1+n)
				})
				gateway := on.gateway(t, upstream)
				req := newRequest(gateway.url)
				body, upload := io.Pipe()
				req.Body, req.ContentLength, req.GetBody = body, length, nil
				go func() {
					_, _ = io.WriteString(upload, question)
					<-begun
					_, _ = upload.Write(bytes.Repeat([]byte(" "), maxKept+1-len(question)))
					_ = upload.Close()
				}()
				resp, err := gateway.transport.RoundTrip(req)
				require.NoError(t, err)
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, fmt.Sprint(maxKept+1), string(got))
				assert.Empty(t, (<-gateway.records).stats.Request.Model, "it is not known")
			})
		})
	}
}

func TestAnUploadThatTheUpstreamDoesNotTakeEndsWithTheGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := inMemory
		asked, over := make(chan bool), make(chan bool)
		gateway := on.gateway(t, on.upstream(t, func(http.ResponseWriter, *http.Request) {
			close(asked)
			<-over
		}))
		defer close(over)
		req := newRequest(gateway.url)
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, maxKept+1))), maxKept+1
		answered := make(chan error)
		go func() {
			_, err := gateway.transport.RoundTrip(req)
			answered <- err
		}()
		<-asked
		gateway.interrupt()
		assert.Error(t, <-answered)
		assert.Equal(t, tpot.OutcomeCanceled, (<-gateway.records).stats.Outcome)
	})
}
