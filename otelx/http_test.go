package otelx_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// answer is what an OpenAI-compatible server streams.
const answer = `data: {"object":"chat.completion.chunk","model":"small-1-2026","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

data: {"object":"chat.completion.chunk","model":"small-1-2026","choices":[{"index":0,"delta":{"content":"Hello"}}]}

data: {"object":"chat.completion.chunk","model":"small-1-2026","choices":[{"index":0,"delta":{"content":" there"}}]}

data: {"object":"chat.completion.chunk","model":"small-1-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

// busy is a server that refuses its first request.
func busy() http.Handler {
	refused := false
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !refused {
			refused = true
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	})
}

// ask sends a request, and sends it again when it is refused, as SDKs do.
func ask(ctx context.Context, t *testing.T, client *http.Client, url string) {
	for range 2 {
		body := strings.NewReader(`{"model":"small-1","stream":true,"max_tokens":10}`)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", body)
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
}

func TestOverHTTPEachAttemptIsARequestUnlessTheCallerSaysOtherwise(t *testing.T) {
	for name, c := range map[string]struct {
		recorder   bool // in the context
		ok, failed float64
		untold     float64
		model      string // of the request
	}{
		"the Transport alone":       {false, 1, 1, 1, "small-1"},
		"a Recorder in the context": {true, 1, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(busy())
			defer server.Close()
			b := newBackend()
			tracker := b.tracker(t)
			client := &http.Client{Transport: &stream.Transport{Base: server.Client().Transport, Tracker: tracker}}
			ctx := t.Context()
			var rec *tpot.Recorder
			if c.recorder {
				ctx, rec = tracker.Start(ctx, tpot.Request{})
			}
			ask(ctx, t, client, server.URL)
			rec.End(nil)

			for outcome, want := range map[string]float64{"ok": c.ok, "failed": c.failed} {
				assert.Equal(t, want, b.where(t, "tokentiming.requests", "tokentiming.outcome", outcome).value, outcome)
			}
			untold, _ := b.total(t, "tokentiming.no_first_token")
			assert.Equal(t, c.untold, untold)
			assert.Zero(t, b.only(t, "tokentiming.active_streams").value)
			_, gaps := b.total(t, "gen_ai.client.operation.time_per_output_chunk")
			assert.Equal(t, 1, gaps)
			first := b.only(t, "tokentiming.time_to_first_token")
			assert.Equal(t, "small-1-2026", first.attrs["gen_ai.response.model"])
			assert.Equal(t, c.model, first.attrs["gen_ai.request.model"])
			if !c.recorder {
				assert.Equal(t, "127.0.0.1", first.attrs["server.address"])
				assert.Equal(t, "chat", first.attrs["gen_ai.operation.name"])
				b.where(t, "gen_ai.client.operation.duration", "error.type", "429")
			}
		})
	}
}
