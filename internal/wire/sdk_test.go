package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// TestEncodedGoTypes has what encoding/json makes of the event types of Go clients, which differs from the wire: empty
// members appear, and others go.
func TestEncodedGoTypes(t *testing.T) {
	const openAI = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[`
	const ollama = `{"model":"m","created_at":"2026-11-30T03:22:52Z",`
	for name, c := range map[string]struct {
		event string
		want  tpot.Event
	}{
		"go-openai: text": {
			openAI + `{"index":0,"delta":{"content":"a","role":"assistant"},"finish_reason":null,"content_filter_results":` +
				`{"hate":{"filtered":false},"self_harm":{"filtered":false}}}],"system_fingerprint":"","usage":null}`,
			tpot.Event{Kind: tpot.KindText | choices, Model: "m"},
		},
		"go-openai: nothing": {
			openAI + `{"index":1,"delta":{},"finish_reason":"","content_filter_results":{}}],"system_fingerprint":"","error":null}`,
			tpot.Event{Kind: choices, Choice: 1, Model: "m"},
		},
		"go-openai: usage": {
			openAI + `],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"prompt_tokens_details":null,` +
				`"completion_tokens_details":{"audio_tokens":0,"reasoning_tokens":2,"accepted_prediction_tokens":0}}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Model: "m", Usage: tpot.Usage{Input: 3, Output: 4, Reasoning: 2}},
		},
		"go-openai: the zero value": {
			`{"id":"","object":"","created":0,"model":"","choices":null,"system_fingerprint":""}`,
			tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"go-openai: completion": {
			`{"id":"c","object":"text_completion","created":1,"model":"m","choices":[{"text":"a","index":0,"finish_reason":"",` +
				`"logprobs":{"tokens":null,"token_logprobs":null}}]}`,
			tpot.Event{Kind: tpot.KindText | choices, Model: "m"},
		},
		"ollama: chat": {
			ollama + `"message":{"role":"assistant","content":"a"},"done":false}`,
			tpot.Event{Kind: tpot.KindText | marked, Model: "m"},
		},
		"ollama: a call of a tool": {
			ollama + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"index":0,"name":"f",` +
				`"arguments":{"city":"Oslo"}}}]},"done":false}`,
			tpot.Event{Kind: tpot.KindToolCall | marked, Model: "m"},
		},
		"ollama: the last line of a chat": {
			ollama + `"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":9,` +
				`"prompt_eval_count":5,"eval_count":6}`,
			tpot.Event{
				Kind:  tpot.KindFinish | tpot.KindUsage | tpot.KindDone | marked,
				Model: "m", FinishReason: "stop", Usage: tpot.Usage{Input: 5, Output: 6},
			},
		},
		"ollama: generate": {
			ollama + `"response":"","thinking":"a","done":false,"tool_calls":[{"function":{"index":0,"name":"f","arguments":{}}}]}`,
			tpot.Event{Kind: tpot.KindReasoning | tpot.KindToolCall | marked, Model: "m"},
		},
		"ollama: a model that was loaded": {
			ollama + `"response":"","done":true,"done_reason":"load"}`,
			tpot.Event{
				Kind:  tpot.KindFinish | tpot.KindUsage | tpot.KindDone | marked,
				Model: "m", FinishReason: "load",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := wire.Classify(c.event)
			assert.True(t, ok)
			assert.Equal(t, c.want, got)
		})
	}
}
