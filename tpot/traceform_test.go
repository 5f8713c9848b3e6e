package tpot_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// formOfATrace is version 1 of it with all that there is, by the names that the comment of ReadTraces gives. Files are written with it: a name
// that changes is another version.
const formOfATrace = `{
	"trace": 1,
	"request": {
		"operation": "chat", "provider": "acme", "model": "acme-large", "scenario": "support", "server_address": "llm.test", "server_port": 8443,
		"max_tokens": 64
	},
	"start": "2026-11-30T12:00:00Z", "outcome": "failed", "cause": "error in stream", "error_type": "overloaded",
	"end_ms": 160.5, "end_unknown": true, "closed_ms": 161, "dropped": 3, "setup_ms": 10, "wait_ms": 100, "hold_ms": 20,
	"tail_wait_ms": 5, "stall_ms": 250,
	"slo": {"ttft_ms": 1, "ttfo_ms": 2, "tpot_ms": 3, "itl99_ms": 4, "stall_ms": 5, "e2e_ms": 6},
	"wire": "openai chat", "unread": 7, "faults": 8,
	"attempts": [{
		"start_ms": 1, "conn_wait_ms": 2, "dns_ms": 3, "connect_ms": 4, "tls_ms": 5, "sent_ms": 6, "headers_ms": 7,
		"first_byte_ms": 8, "reused": true, "status": 200
	}],
	"server": {"source": "vllm"},
	"events": [
		{"at_ms": 100, "wait_ms": 90, "hold_ms": 1, "kind": "text|choices", "tokens": 2, "choice": 1},
		{"at_ms": 150.25, "kind": "finish|usage", "usage": {"input": 12, "output": 3, "reasoning": 1, "cached": 4}, "model": "acme-large-1",
			"finish_reason": "stop", "error_type": "none"}
	]
}`

func traceOfTheForm() tpot.Trace {
	return tpot.Trace{
		Request: tpot.Request{
			Operation: "chat", Provider: "acme", Model: "acme-large", Scenario: "support", ServerAddress: "llm.test", ServerPort: 8443, MaxTokens: 64,
		},
		Start: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Outcome: tpot.OutcomeFailed, Cause: "error in stream", ErrorType: "overloaded",
		End: millis(160.5), EndUnknown: true, Closed: millis(161), Dropped: 3, Setup: millis(10), Wait: millis(100), Hold: millis(20),
		TailWait: millis(5), Stall: millis(250),
		SLO:  tpot.SLO{TTFT: millis(1), TTFO: millis(2), TPOT: millis(3), ITL99: millis(4), Stall: millis(5), E2E: millis(6)},
		Wire: "openai chat", Unread: 7, Faults: 8,
		Attempts: []tpot.Attempt{{
			Start: millis(1), ConnWait: millis(2), DNS: millis(3), Connect: millis(4), TLS: millis(5), Sent: millis(6), Headers: millis(7),
			FirstByte: millis(8), Reused: true, Status: 200,
		}},
		Server: tpot.ServerTimings{Source: "vllm"},
		Events: []tpot.TraceEvent{
			{At: millis(100), Wait: millis(90), Hold: millis(1), Event: tpot.Event{Kind: tpot.KindText | tpot.KindChoices, Tokens: 2, Choice: 1}},
			{At: millis(150.25), Event: tpot.Event{
				Kind: tpot.KindFinish | tpot.KindUsage, Usage: tpot.Usage{Input: 12, Output: 3, Reasoning: 1, Cached: 4}, Model: "acme-large-1",
				FinishReason: "stop", ErrorType: "none",
			}},
		},
	}
}

func TestTheFormOfATrace(t *testing.T) {
	trace := traceOfTheForm()
	for i := range reflect.TypeFor[tpot.Trace]().NumField() {
		require.False(t, reflect.ValueOf(trace).Field(i).IsZero(), "%s is not in the form", reflect.TypeFor[tpot.Trace]().Field(i).Name)
	}
	written, err := json.Marshal(trace)
	require.NoError(t, err)
	assert.JSONEq(t, formOfATrace, string(written))
	var read tpot.Trace
	require.NoError(t, json.Unmarshal([]byte(formOfATrace), &read))
	assert.Equal(t, trace, read)
	event, err := json.Marshal(trace.Events[0])
	require.NoError(t, err)
	var alone tpot.TraceEvent
	require.NoError(t, json.Unmarshal(event, &alone))
	assert.Equal(t, trace.Events[0], alone)
	assert.Error(t, json.Unmarshal([]byte(`{"at_ms":1,"kind":"text","token":3}`), &alone))
}

// What is not known is not written.
func TestTheFormOfATraceOfNothing(t *testing.T) {
	written, err := json.Marshal(tpot.Trace{})
	require.NoError(t, err)
	assert.Equal(t, `{"trace":1,"outcome":"open","end_ms":0}`, string(written))
	written, err = json.Marshal(tpot.Trace{Outcome: tpot.OutcomeOK, End: 1, Events: make([]tpot.TraceEvent, 1)})
	require.NoError(t, err)
	assert.Equal(t, `{"trace":1,"outcome":"ok","end_ms":0.000001,"events":[{"at_ms":0,"kind":"none"}]}`, string(written))
}
