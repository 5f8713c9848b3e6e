package stream_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const ms = time.Millisecond

// dialing is a transport that takes its time over each step of a request, and tells the context's hooks as net/http does.
type dialing struct {
	reused, redials bool
}

func (d dialing) RoundTrip(req *http.Request) (*http.Response, error) {
	hooks := httptrace.ContextClientTrace(req.Context())
	if d.redials { // a connection that had been closed
		hooks.GetConn("llm.test:443")
		time.Sleep(ms)
		hooks.GotConn(httptrace.GotConnInfo{Reused: true})
		time.Sleep(ms)
	}
	hooks.GetConn("llm.test:443")
	time.Sleep(2 * ms)
	hooks.DNSStart(httptrace.DNSStartInfo{})
	time.Sleep(3 * ms)
	hooks.DNSDone(httptrace.DNSDoneInfo{})
	hooks.ConnectStart("tcp", "[::1]:443")
	time.Sleep(4 * ms)
	hooks.ConnectStart("tcp", "127.0.0.1:443")
	hooks.ConnectDone("tcp", "[::1]:443", io.ErrClosedPipe)
	time.Sleep(5 * ms)
	hooks.ConnectDone("tcp", "127.0.0.1:443", nil)
	hooks.TLSHandshakeStart()
	time.Sleep(6 * ms)
	hooks.TLSHandshakeDone(tls.ConnectionState{}, nil)
	hooks.GotConn(httptrace.GotConnInfo{Reused: d.reused})
	time.Sleep(7 * ms)
	hooks.WroteRequest(httptrace.WroteRequestInfo{})
	time.Sleep(8 * ms)
	return respond("text/event-stream", &slow{pieces: []string{"", ": ping\n", twoChunks, endOfChunks}, pause: 10 * ms}), nil
}

func TestWhereTheTimeToFirstTokenWent(t *testing.T) {
	dialed := tpot.Attempt{
		ConnWait: 20 * ms, DNS: 3 * ms, Connect: 9 * ms, TLS: 6 * ms, Sent: 27 * ms, Headers: 35 * ms, FirstByte: 55 * ms, Status: 200,
	}
	reused := tpot.Attempt{ConnWait: 20 * ms, Sent: 27 * ms, Headers: 35 * ms, FirstByte: 55 * ms, Status: 200, Reused: true}
	redialed := tpot.Attempt{
		ConnWait: 20 * ms, DNS: 3 * ms, Connect: 9 * ms, TLS: 6 * ms, Sent: 29 * ms, Headers: 37 * ms, FirstByte: 57 * ms, Status: 200,
	}
	for name, c := range map[string]struct {
		base dialing
		want tpot.Attempt
	}{
		"a new connection":                {dialing{}, dialed},
		"an old one, found while dialing": {dialing{reused: true}, reused},
		"an old one that was closed":      {dialing{redials: true}, redialed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				records := &endings{}
				client := &http.Client{Transport: &stream.Transport{
					Base: c.base, Tracker: tracking(t, records),
				}}
				resp := post(t, client, "https://llm.test")
				_, err := io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
				s := records.one(t)
				assert.Equal(t, []tpot.Attempt{c.want}, s.Attempts)
				firstByte, _ := s.TTFB()
				firstEvent, _ := s.FirstEvent()
				ttft, _ := s.TTFT()
				assert.Equal(t, []time.Duration{c.want.FirstByte, c.want.FirstByte, c.want.FirstByte + 10*ms}, []time.Duration{firstByte, firstEvent, ttft})
				assert.Equal(t, c.want.Headers, s.Setup)
			})
		})
	}
}

func TestTheReportSaysWhereTheTimeWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &endings{}
		client := &http.Client{Transport: &stream.Transport{
			Base: dialing{}, Tracker: tracking(t, records),
		}}
		resp := post(t, client, "https://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		report := records.one(t).Report()
		assert.Contains(t, report, "headers 35.0ms, first byte 55.0ms, first event 55.0ms\n")
		assert.Contains(t, report, "http     new connection, waited for it 20.0ms, DNS 3.00ms, connect 9.00ms, TLS 6.00ms, sent at 27.0ms\n")
	})
}

func TestTheCallersOwnTraceIsCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got, wrote time.Duration
		start := time.Now()
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn:      func(httptrace.GotConnInfo) { got = time.Since(start) },
			WroteRequest: func(httptrace.WroteRequestInfo) { wrote = time.Since(start) },
		})
		client := &http.Client{Transport: &stream.Transport{Base: dialing{}, Tracker: &tpot.Tracker{}}}
		resp := ask(ctx, t, client, "https://llm.test")
		_ = resp.Body.Close()
		assert.Equal(t, []time.Duration{20 * ms, 27 * ms}, []time.Duration{got, wrote})
	})
}

// TestPhasesOverTLS is the real thing, whose times are not known but for their order.
func TestPhasesOverTLS(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, twoChunks+endOfChunks)
		}))
		server.EnableHTTP2 = http2
		server.StartTLS()
		defer server.Close()
		records := &endings{}
		client := &http.Client{Transport: &stream.Transport{
			Base: server.Client().Transport, Tracker: tracking(t, records),
		}}
		for range 2 {
			resp, err := client.Post(server.URL, "application/json", strings.NewReader(chatRequest))
			require.NoError(t, err)
			assert.Equal(t, http2, resp.ProtoMajor == 2)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			_ = resp.Body.Close()
		}
		all := records.all()
		require.Len(t, all, 2)
		dialed, reused := all[0].Attempts[0], all[1].Attempts[0]
		assert.False(t, dialed.Reused)
		assert.Positive(t, dialed.Connect)
		assert.Positive(t, dialed.TLS)
		assert.GreaterOrEqual(t, dialed.ConnWait, dialed.DNS+dialed.Connect+dialed.TLS)
		if dialed.Sent != 0 { // over HTTP/2 the response may come before net/http says that the request was written
			assert.GreaterOrEqual(t, dialed.Sent, dialed.Start+dialed.ConnWait)
		}
		assert.True(t, reused.Reused)
		assert.Zero(t, reused.DNS+reused.Connect+reused.TLS)
		for _, s := range all {
			a := s.Attempts[0]
			ttft, _ := s.TTFT()
			assert.LessOrEqual(t, a.Sent, a.Headers)
			assert.LessOrEqual(t, a.Headers, a.FirstByte)
			assert.LessOrEqual(t, a.FirstByte, ttft)
			assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		}
	}
}
