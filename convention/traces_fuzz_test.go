package convention_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// FuzzReadTraces reads any bytes as traces: what is read can be written, and reads again as the same; it replays, and every convention has
// figures of it, or reasons.
func FuzzReadTraces(f *testing.F) {
	f.Add([]byte(`{"trace":1,"outcome":"ok","end_ms":151,"events":[{"at_ms":100,"wait_ms":100,"kind":"text|choices","tokens":1}]}`))
	f.Add([]byte(`{"trace":1,"request":{"model":"m","max_tokens":64},"start":"2026-11-30T12:00:00.5+01:00","outcome":"canceled","cause":"context",` +
		`"end_ms":3,"closed_ms":4,"end_unknown":true,"dropped":2,"tail_wait_ms":1,"slo":{"ttft_ms":1},"server":{"source":"vllm","ttft_ms":9},` +
		`"attempts":[{"start_ms":1,"status":200}],"events":[{"at_ms":1.5,"hold_ms":0.5,"kind":"usage|0x10000","usage":{"output":9}}]}`))
	f.Add([]byte("{\"trace\":1}\n\nx\n[]\nnull\n{\"trace\":1,\"outcome\":\"ok\",\"end_ms\":1e11," +
		"\"events\":[{\"at_ms\":1e11,\"kind\":\"text\",\"tokens\":2147483646}]}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for trace, err := range tpot.ReadTraces(bytes.NewReader(file)) {
			if err != nil {
				require.Zero(t, trace)
				continue
			}
			written, err := json.Marshal(trace)
			require.NoError(t, err)
			var again tpot.Trace
			require.NoError(t, json.Unmarshal(written, &again))
			if longestOf(trace) < 3*7*24*time.Hour { // up to which milliseconds are exact
				require.True(t, trace.Start.Equal(again.Start))
				again.Start = trace.Start
				if len(trace.Events) == 0 { // an empty list is not written
					trace.Events = nil
				}
				if len(trace.Attempts) == 0 {
					trace.Attempts = nil
				}
				require.Equal(t, trace, again)
			}
			_ = tpot.Replay(trace).Report()
			for _, c := range convention.All() {
				requireSane(t, c.Figures(trace), 0)
			}
		}
	})
}

// longestOf is the longest time in a trace.
func longestOf(t tpot.Trace) time.Duration {
	longest := max(t.End, t.Closed, t.Setup, t.Wait, t.Hold, t.TailWait, t.Stall)
	longest = max(longest, t.SLO.TTFT, t.SLO.TTFO, t.SLO.TPOT, t.SLO.ITL99, t.SLO.Stall, t.SLO.E2E)
	for _, e := range t.Events {
		longest = max(longest, e.At, e.Wait, e.Hold)
	}
	for _, a := range t.Attempts {
		longest = max(longest, a.Start, a.ConnWait, a.DNS, a.Connect, a.TLS, a.Sent, a.Headers, a.FirstByte)
	}
	s := t.Server
	return max(longest, s.TTFT, s.Queue, s.Load, s.Prompt, s.Output, s.Total, s.MeanITL)
}
