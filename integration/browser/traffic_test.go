package browser

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// secret is in the content of every stream, and in every error that a server tells.
const secret = "the-secret-of-the-stream"

// texts are events of text, all with the secret.
func texts(n int) []llmtest.Event {
	events := make([]llmtest.Event, n)
	for i := range events {
		events[i] = llmtest.OpenAI{}.Text(secret + " ")
	}
	return events
}

// traffic is a server, and streams from it that a Monitor is told of.
type traffic struct {
	t       *testing.T
	monitor *monitor.Monitor
	tracker *tpot.Tracker
	server  *llmtest.Server
	open    context.Context // ends all streams
	running sync.WaitGroup

	mu    sync.Mutex
	live  map[*tpot.Recorder]bool
	stats []tpot.Stats // of the streams that ended, in order
}

// newTraffic has a Monitor and a server that plays the scripts in order, the last again and again. It is all over with the test.
func newTraffic(t *testing.T, c monitor.Config, scripts ...llmtest.Script) *traffic {
	server, err := llmtest.Listen(scripts...)
	require.NoError(t, err)
	m := monitor.New(c)
	open, cancel := context.WithCancel(context.Background())
	tr := &traffic{
		t: t, monitor: m, server: server, open: open, live: map[*tpot.Recorder]bool{},
		tracker: &tpot.Tracker{Observers: []tpot.Observer{m}, SLO: tpot.SLO{TTFT: 60 * time.Millisecond, TPOT: 15 * time.Millisecond}},
	}
	t.Cleanup(func() {
		cancel()
		tr.running.Wait()
		server.Close()
		assert.NoError(t, m.Close())
	})
	return tr
}

// stream reads one stream to its end.
func (tr *traffic) stream(req tpot.Request) {
	ctx, rec := tr.tracker.Start(tr.open, req)
	tr.begins(rec)
	defer tr.ends(rec)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, tr.server.URL+"/v1/chat/completions", strings.NewReader(`{"stream":true}`))
	if !assert.NoError(tr.t, err) {
		return
	}
	resp, err := tr.server.Client().Do(r)
	if err != nil {
		rec.End(err)
		return
	}
	resp.Body = stream.Body(rec, resp)
	defer resp.Body.Close()
	content, _ := io.ReadAll(resp.Body) // however it ends
	assert.True(tr.t, rec.Stats().Chunks == 0 || strings.Contains(string(content), secret), "the content does not have what is looked for")
}

func (tr *traffic) begins(rec *tpot.Recorder) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.live[rec] = true
}

func (tr *traffic) ends(rec *tpot.Recorder) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	delete(tr.live, rec)
	tr.stats = append(tr.stats, rec.Stats())
}

// streams keeps so many streams going, one after the other, until the test is over.
func (tr *traffic) streams(n int, request func(i int) tpot.Request) {
	for i := range n {
		tr.running.Go(func() {
			for tr.open.Err() == nil {
				tr.stream(request(i))
			}
		})
	}
}

// waiting waits until so many streams are in flight and wait for the chunk after so many.
func (tr *traffic) waiting(n, chunks int) []*tpot.Recorder {
	tr.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var found []*tpot.Recorder
		tr.mu.Lock()
		for rec := range tr.live {
			if _, had, waits := rec.OpenGap(); waits && had == chunks {
				found = append(found, rec)
			}
		}
		tr.mu.Unlock()
		if len(found) == n {
			return found
		}
		require.True(tr.t, time.Now().Before(deadline), "never %d streams after %d chunks, but %d", n, chunks, len(found))
	}
}
