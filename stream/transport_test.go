package stream_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// endings collects the Stats of requests as they end, and the arrivals of all their chunks.
type endings struct {
	mu     sync.Mutex
	ended  []tpot.Stats
	chunks []time.Duration // when they arrived
}

func (e *endings) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, e
}

func (e *endings) Observe(a tpot.Arrival) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.Chunk {
		e.chunks = append(e.chunks, a.At)
	}
}

func (e *endings) End(s tpot.Stats) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = append(e.ended, s)
}

// all returns the records in the order of their ends.
func (e *endings) all() []tpot.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.ended)
}

// one returns the only record.
func (e *endings) one(t *testing.T) tpot.Stats {
	t.Helper()
	all := e.all()
	require.Len(t, all, 1)
	return all[0]
}

// tapped returns the server's client with a Transport around its own, and the records of its requests.
func tapped(t testing.TB, server *llmtest.Server) (*http.Client, *endings) {
	r := &endings{}
	return &http.Client{Transport: &stream.Transport{
		Base:    server.Client().Transport,
		Tracker: tracking(t, r),
	}}, r
}

const chatRequest = `{"messages":[{"role":"user","content":"\"model\":\"no\""}],"model":"m-1","stream":true,"max_tokens":64}`

func post(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	resp, err := client.Post(url, "application/json", strings.NewReader(chatRequest))
	require.NoError(t, err)
	return resp
}

// protocols start a server each, in memory.
var protocols = map[string]func(...llmtest.Script) *llmtest.Server{
	"HTTP/1.1": llmtest.Start, "HTTP/2": llmtest.StartHTTP2,
}

func TestTransportsFiguresAreTheServers(t *testing.T) {
	for protocol, start := range protocols {
		for name, script := range scripts() {
			for _, gzip := range []bool{false, true} {
				t.Run(protocol+"/"+name+map[bool]string{true: "/gzip"}[gzip], func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						script.HeaderAt, script.Gzip = 50*time.Millisecond, gzip
						server := start(script)
						defer server.Close()
						client, records := tapped(t, server)
						resp := post(t, client, server.URL+"/v1/chat/completions")
						body, err := io.ReadAll(resp.Body)
						require.NoError(t, err)
						require.NoError(t, resp.Body.Close())
						client.CloseIdleConnections()

						exchange := server.Log()[0]
						assert.Equal(t, written(exchange), string(body))
						s := records.one(t)
						checkAgainst(t, exchange, s)
						headers, _ := s.Headers()
						assert.Equal(t, exchange.HeaderSent, headers)
						firstByte, _ := s.TTFB()
						assert.Equal(t, firstWrite(exchange).Began, firstByte)
						firstEvent, _ := s.FirstEvent()
						assert.Equal(t, firstWrite(exchange).Began, firstEvent)
						assert.Equal(t, chunkTimes(exchange), records.chunks)
						assert.Equal(t, strings.ToLower(name), s.Wire)
					})
				})
			}
		}
	}
}

// firstWrite is the first write that wrote something.
func firstWrite(x llmtest.Exchange) llmtest.Sent {
	return x.Writes[slices.IndexFunc(x.Writes, func(s llmtest.Sent) bool { return len(s.Events) > 0 })]
}

// chunkTimes is when the server wrote each chunk.
func chunkTimes(x llmtest.Exchange) (at []time.Duration) {
	for sent := range x.Chunks() {
		at = append(at, sent.Began)
	}
	return at
}

// written is the bytes that the server wrote.
func written(x llmtest.Exchange) string {
	var b strings.Builder
	for _, w := range x.Writes {
		b.Write(w.Bytes())
	}
	return b.String()
}
