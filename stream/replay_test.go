package stream_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// tracking is a Tracker with the observer and, beside it, one that holds the trace of every request to its Stats: the tests of this package
// that ask it for their Tracker are tests of traces, too.
func tracking(t testing.TB, o tpot.Observer) *tpot.Tracker {
	return &tpot.Tracker{TraceEvents: 1 << 20, Observers: []tpot.Observer{o, replays{t}}}
}

// replays is an observer that reads what a TraceWriter wrote of a request, and compares what it replays to.
type replays struct{ t testing.TB }

func (o replays) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	file := new(bytes.Buffer)
	writer := tpot.NewTraceWriter(file)
	_, writing := writer.Start(ctx, req, r)
	return ctx, &replay{t: o.t, file: file, writer: writer, writing: writing}
}

// replay is one request's.
type replay struct {
	tpot.EndOnly
	t       testing.TB
	file    *bytes.Buffer
	writer  *tpot.TraceWriter
	writing tpot.Observation
}

func (o *replay) End(s tpot.Stats) {
	o.writing.End(s)
	assert.NoError(o.t, o.writer.Err())
	lines := 0
	for trace, err := range tpot.ReadTraces(o.file) {
		lines++
		assert.NoError(o.t, err)
		assert.Zero(o.t, trace.Dropped)
		assert.Len(o.t, trace.Events, s.Events)
		assert.Equal(o.t, replayable(s), replayable(tpot.Replay(trace)), "the live Stats, and those of the trace")
		assertOurConvention(o.t, s, trace)
	}
	assert.Equal(o.t, 1, lines)
}

// replayable is what a trace gives of Stats: all but the error, and the clock that only the process has.
func replayable(s tpot.Stats) tpot.Stats {
	s.Err = nil
	s.Start = s.Start.Round(0).UTC()
	if len(s.Attempts) == 0 {
		s.Attempts = nil
	}
	return s
}

// assertOurConvention holds the Stats to what our convention, the second implementation of the same definitions, makes of the trace.
func assertOurConvention(t testing.TB, s tpot.Stats, trace tpot.Trace) {
	f := convention.Tokentiming.Figures(trace)
	for name, of := range map[string]struct {
		figure convention.Figure
		stat   func() (time.Duration, bool)
	}{
		"TTFT": {f.TTFT, s.TTFT}, "TTFO": {f.TTFO, s.TTFO}, "TTST": {f.TTST, s.TTST}, "TPOT": {f.TPOT, s.TPOT}, "ITL": {f.ITL, s.ITL().Mean},
		"E2E": {f.E2E, s.E2E},
	} {
		want, ok := of.stat()
		assert.Equal(t, ok, of.figure.Undefined == "", "%s: %v", name, of.figure)
		assert.InDelta(t, want, of.figure.Value, 1, "%s, in nanoseconds", name)
	}
	if s.Source != tpot.SourceUnknown {
		assert.Equal(t, s.Tokens, f.N)
	}
}

func TestATraceThatWasCutSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(answer())
		defer server.Close()
		client, records := tapped(t, server)
		file := new(bytes.Buffer)
		client.Transport.(*stream.Transport).Tracker = &tpot.Tracker{
			TraceEvents: 2, Observers: []tpot.Observer{records, tpot.NewTraceWriter(file)},
		}
		resp := post(t, client, server.URL)
		_, _ = io.Copy(io.Discard, resp.Body)
		live := records.one(t)
		for trace, err := range tpot.ReadTraces(file) {
			assert.NoError(t, err)
			assert.Len(t, trace.Events, 2)
			assert.Equal(t, live.Events-2, trace.Dropped)
			cut := tpot.Replay(trace)
			assert.Equal(t, 1, cut.Chunks, "a role and a chunk")
			assert.Equal(t, live.Outcome, cut.Outcome)
			want, _ := live.TTFT()
			got, _ := cut.TTFT()
			assert.Equal(t, want, got)
			want, _ = live.E2E()
			got, _ = cut.E2E()
			assert.Equal(t, want, got)
		}
	})
}

func TestATraceHoldsNoContent(t *testing.T) {
	const secret = "xyzzy"
	openAI, anthropic, ollama := llmtest.OpenAI{}, llmtest.Anthropic{}, llmtest.Ollama{}
	for name, script := range map[string]llmtest.Script{
		"OpenAI": llmtest.SSE().Every(ms20, openAI.Role(), openAI.Reasoning(secret), openAI.Text(secret), openAI.ToolCall("1", "f"),
			openAI.ToolArguments(secret), openAI.Error("server_error", secret), openAI.Done()),
		"Anthropic": llmtest.SSE().Every(ms20, anthropic.Start(9), anthropic.OpenText(), anthropic.Text(secret), anthropic.Close(),
			llmtest.Comment(secret)),
		"Ollama": llmtest.NDJSON().Every(ms20, ollama.Text(secret), ollama.Error(secret)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := llmtest.Start(script)
				defer server.Close()
				client, records := tapped(t, server)
				file := new(bytes.Buffer)
				tracker := client.Transport.(*stream.Transport).Tracker
				tracker.Observers = append(tracker.Observers, tpot.NewTraceWriter(file))
				resp, err := client.Post(server.URL, "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"`+secret+`"}]}`))
				require.NoError(t, err)
				read, _ := io.ReadAll(resp.Body)
				require.Contains(t, string(read), secret)
				assert.Positive(t, records.one(t).Chunks)
				assert.NotEmpty(t, file.String())
				assert.NotContains(t, file.String(), secret)
			})
		})
	}
}
