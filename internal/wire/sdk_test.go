package wire_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// TestEncodedGoTypes has what encoding/json makes of the event types of Go clients, which differs from the wire: empty
// members appear, and others go.
func TestEncodedGoTypes(t *testing.T) {
	const openAI = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[`
	const mistral = `{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"","content":`
	const noUsage = `"usage":{"prompt_tokens":0,"total_tokens":0}}`
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
		"mistral-go: role": {
			mistral + `"","tool_calls":null}}],"created":1,"object":"chat.completion.chunk",` + noUsage,
			tpot.Event{Kind: tpot.KindUsage | choices, Model: "m"},
		},
		"mistral-go: text": {
			mistral + `"a","tool_calls":null}}],"created":1,"object":"chat.completion.chunk",` + noUsage,
			tpot.Event{Kind: tpot.KindText | tpot.KindUsage | choices, Model: "m"},
		},
		"mistral-go: the start of a call": {
			mistral + `"","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":""}}]}}],"created":1,` + noUsage,
			tpot.Event{Kind: tpot.KindToolMeta | tpot.KindUsage | choices, Model: "m"},
		},
		"mistral-go: an error": {
			`{"id":"","model":"","choices":null,"usage":{"prompt_tokens":0,"total_tokens":0},"error":{}}`,
			tpot.Event{Kind: tpot.KindError | tpot.KindUsage | marked, ErrorType: "error"},
		},
		"any-llm-go: reasoning": {
			openAI + `{"index":0,"delta":{"reasoning":{"content":"a"}}}]}`,
			tpot.Event{Kind: tpot.KindReasoning | choices, Model: "m"},
		},
		"any-llm-go: no reasoning": {
			openAI + `{"index":0,"delta":{"content":"a","reasoning":{}}}]}`,
			tpot.Event{Kind: tpot.KindText | choices, Model: "m"},
		},
		"any-llm-go: usage": {
			`{"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":null,"usage":{"prompt_tokens":3,` +
				`"completion_tokens":4,"total_tokens":7,"reasoning_tokens":1}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 3, Output: 4, Reasoning: 1}},
		},
		"genai: text": {
			`{"sdkHttpResponse":{"headers":{"Date":["x"]}},"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"modelVersion":"m",` +
				`"usageMetadata":{"candidatesTokenCount":2,"promptTokenCount":1,"thoughtsTokenCount":3}}`,
			tpot.Event{Kind: tpot.KindText | tpot.KindUsage | marked, Model: "m", Usage: tpot.Usage{Input: 1, Output: 5, Reasoning: 3}},
		},
		"genai: nothing": {
			`{"sdkHttpResponse":{"headers":{"Date":["x"]}},"responseId":"r"}`, tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"cohere: the start of a message": {
			`{"id":"x","delta":{"message":{"role":"assistant"}},"type":"message-start"}`, tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"cohere: text": {
			`{"index":0,"delta":{"message":{"content":{"text":"a"}}},"type":"content-delta"}`, tpot.Event{Kind: tpot.KindText | marked},
		},
		"cohere: arguments of a call": {
			`{"index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{"}}}},"type":"tool-call-delta"}`,
			tpot.Event{Kind: tpot.KindToolCall | marked},
		},
		"cohere: the end": {
			`{"delta":{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":1,"output_tokens":2},` +
				`"tokens":{"input_tokens":3,"output_tokens":4}}},"type":"message-end"}`,
			tpot.Event{
				Kind:         tpot.KindFinish | tpot.KindUsage | tpot.KindDone | marked,
				FinishReason: "COMPLETE", Usage: tpot.Usage{Input: 3, Output: 4},
			},
		},
		"cohere: debugging": {`{"prompt":"abc","type":"debug"}`, tpot.Event{Kind: tpot.KindStatus | marked}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := wire.Classify(c.event)
			assert.True(t, ok)
			assert.Equal(t, c.want, got)
		})
	}
}

// TestConverseReportsItsLatency has an event that an encoded union of AWS's library is: ConverseStream's own name and payload.
func TestConverseReportsItsLatency(t *testing.T) {
	var c wire.Classifier
	got, ok := c.Classify(`{"metadata":{"metrics":{"latencyMs":5},"usage":{"cacheReadInputTokens":3,"inputTokens":1,"outputTokens":2}}}`)
	assert.True(t, ok)
	assert.Equal(t, tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 1, Output: 2, Cached: 3}}, got)
	assert.Equal(t, wire.Facts{Wire: "bedrock", Server: tpot.ServerTimings{Source: "bedrock", Total: 5 * time.Millisecond}}, c.Facts)
	c.Classify(`{"metadata":{"usage":{"outputTokens":2}}}`)
	assert.Equal(t, 5*time.Millisecond, c.Server.Total, "not every event of the name has it")
}

func TestWhatHasNoHeadersIsNotOfGoogle(t *testing.T) {
	_, ok := wire.Classify(`{"sdkHttpResponse":null}`)
	assert.False(t, ok)
}
