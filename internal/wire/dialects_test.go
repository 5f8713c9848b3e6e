package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

func TestTGI(t *testing.T) {
	got := streamed(
		`{"index":1,"token":{"id":5,"text":"a","logprob":-0.5,"special":false},"generated_text":null,"details":null}`,
		`{"index":2,"token":{"id":6,"text":"","logprob":-0.5,"special":false},"generated_text":null,"details":null}`,
		`{"index":3,"token":{"id":2,"text":"</s>","logprob":-1,"special":true},"generated_text":"a","details":{"finish_reason":"eos_token","generated_tokens":3,"input_length":7,"seed":null}}`)
	assert.Equal(t, []tpot.Event{
		{Kind: tpot.KindText | marked, Tokens: 1},
		{Kind: status | marked, Tokens: 1},
		{Kind: finish | usage | marked, Tokens: 1, Usage: fromTo(7, 3), FinishReason: "eos_token"},
	}, got.events)
	assert.Equal(t, "tgi", got.facts.Wire)

	got = streamed(`{"error":"Model is overloaded","error_type":"overloaded"}`)
	assert.Equal(t, []tpot.Event{{Kind: tpot.KindError | marked, ErrorType: "overloaded"}}, got.events)
}

func TestLlamaCPP(t *testing.T) {
	t.Run("its own completion", func(t *testing.T) {
		got := streamed(
			`{"index":0,"content":"","tokens":[],"stop":false,"id_slot":0,"tokens_predicted":0,"tokens_evaluated":9,"prompt_progress":{"total":9,"cache":4,"processed":9,"time_ms":20}}`,
			`{"index":0,"content":"a","tokens":[5],"stop":false,"id_slot":0,"tokens_predicted":1,"tokens_evaluated":9}`,
			`{"index":0,"content":"","stop":true,"model":"m","tokens_predicted":2,"tokens_evaluated":9,"stop_type":"eos","stopping_word":"",`+
				`"timings":{"cache_n":4,"prompt_n":5,"prompt_ms":20.5,"predicted_n":2,"predicted_ms":41,"predicted_per_second":48.7,"draft_n":3,"draft_n_accepted":1}}`)
		assert.Equal(t, []tpot.Event{
			{Kind: status | marked}, {Kind: tpot.KindText | marked},
			{Kind: finish | usage | done | marked, Usage: fromTo(9, 2), FinishReason: "eos", Model: "m"},
		}, got.events)
		assert.Equal(t, tpot.ServerTimings{
			Source: "llama.cpp", Prompt: 20500 * time.Microsecond, Output: 41 * time.Millisecond, PromptTokens: 5, CachedTokens: 4,
			OutputTokens: 2, DraftTokens: 3, DraftAccepted: 1,
		}, got.facts.Server)
		assert.Equal(t, "llama.cpp", got.facts.Wire)
	})
	t.Run("progress and timings on the wire of OpenAI", func(t *testing.T) {
		got := streamed(
			`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"prompt_progress":{"total":9,"processed":4}}`,
			`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"timings":{"predicted_n":1,"predicted_ms":20}}`,
			`{"object":"chat.completion.chunk","choices":[],"usage":{"completion_tokens":2,"prompt_tokens":9},"timings":{"predicted_n":2,"predicted_ms":40}}`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindRole | choices}, {Kind: tpot.KindText | choices}, {Kind: usage | marked, Usage: fromTo(9, 2)},
		}, got.events)
		assert.Equal(t, tpot.ServerTimings{Source: "llama.cpp", OutputTokens: 2, Output: 40 * time.Millisecond}, got.facts.Server)
	})
}

func TestDialectsOfOpenAI(t *testing.T) {
	const chunk = `{"object":"chat.completion.chunk",`
	for name, c := range map[string]struct {
		events []string
		want   []tpot.Event
	}{
		"azure: what it thinks of the prompt and of the answer": {
			[]string{
				`{"object":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false}}}]}`,
				`{"object":"","model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"end_offset":9}}],"usage":null}`,
				chunk + `"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}`,
			},
			[]tpot.Event{{Kind: status | marked}, {Kind: choices}, {Kind: finish | choices, FinishReason: "content_filter"}},
		},
		"openrouter: images, hidden reasoning and an error in a choice": {
			[]string{
				chunk + `"choices":[{"delta":{"role":"assistant","content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.encrypted","data":"eA=="}]}}]}`,
				chunk + `"choices":[{"delta":{"content":"","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}}]}`,
				chunk + `"choices":[{"delta":{"content":""},"finish_reason":"error","native_finish_reason":null,"error":{"code":502,"message":"m"}}]}`,
			},
			[]tpot.Event{
				{Kind: tpot.KindRole | choices}, {Kind: tpot.KindMedia | choices},
				{Kind: finish | tpot.KindError | choices, FinishReason: "error", ErrorType: "502"},
			},
		},
		"deepseek: reasoning and a cache": {
			[]string{
				chunk + `"choices":[{"delta":{"content":null,"reasoning_content":"a"}}],"usage":null}`,
				chunk + `"choices":[{"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":8,"completion_tokens":9,` +
					`"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":2,"completion_tokens_details":{"reasoning_tokens":4}}}`,
			},
			[]tpot.Event{
				{Kind: reasoning | choices},
				{Kind: finish | usage | choices, FinishReason: "stop", Usage: tpot.Usage{Input: 8, Output: 9, Reasoning: 4, Cached: 6}},
			},
		},
		"together: the text twice, and usage on the last chunk": {
			[]string{
				chunk + `"choices":[{"index":0,"text":"a","role":"assistant","delta":{"role":"assistant","content":"a","token_id":5}}],"usage":null}`,
				chunk + `"choices":[{"index":0,"text":"","delta":{"content":""},"finish_reason":"eos"}],"usage":{"prompt_tokens":8,"completion_tokens":2}}`,
			},
			[]tpot.Event{{Kind: tpot.KindText | choices}, {Kind: finish | usage | choices, FinishReason: "eos", Usage: fromTo(8, 2)}},
		},
		"mistral: lists of parts": {
			[]string{
				chunk + `"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}}]}`,
				chunk + `"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}]},"finish_reason":"stop"}],"usage":{"completion_tokens":5,"prompt_tokens":8}}`,
			},
			[]tpot.Event{{Kind: reasoning | choices}, {Kind: tpot.KindText | finish | usage | choices, FinishReason: "stop", Usage: fromTo(8, 5)}},
		},
		"groq: usage in a member of its own, and why it stopped": {
			[]string{
				chunk + `"choices":[{"delta":{"role":"assistant","content":"a"}}],"x_groq":{"id":"req_1"}}`,
				chunk + `"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":8,"completion_tokens":9}}}`,
				chunk + `"choices":[{"delta":{}}],"x_groq":{"id":"req_1","error":"over capacity"}}`,
			},
			[]tpot.Event{
				{Kind: tpot.KindText | choices}, {Kind: finish | usage | choices, FinishReason: "stop", Usage: fromTo(8, 9)},
				{Kind: tpot.KindError | choices, ErrorType: "error"},
			},
		},
		"moonshot: usage in a choice": {
			[]string{
				chunk + `"choices":[{"delta":{"content":"a"}}]}`,
				chunk + `"choices":[{"delta":{},"finish_reason":"length","usage":{"prompt_tokens":8,"completion_tokens":9,"cached_tokens":8}}]}`,
			},
			[]tpot.Event{{Kind: tpot.KindText | choices}, {Kind: finish | usage | choices, FinishReason: "length", Usage: fromTo(8, 9)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := streamed(append(c.events, "[DONE]")...)
			assert.Equal(t, append(c.want, doneEvent), got.events)
			assert.Equal(t, "openai", got.facts.Wire)
		})
	}
}

func TestTimesOfGroq(t *testing.T) {
	got := streamed(`{"choices":[],"x_groq":{"usage":{"queue_time":0.25,"prompt_tokens":8,"prompt_time":0.5,"completion_tokens":9,"completion_time":1.5,"total_tokens":17,"total_time":2}}}`)
	assert.Equal(t, tpot.ServerTimings{
		Source: "groq", Queue: 250 * time.Millisecond, Prompt: 500 * time.Millisecond, Output: 1500 * time.Millisecond, Total: 2 * time.Second,
		PromptTokens: 8, OutputTokens: 9,
	}, got.facts.Server)
}

func TestModelsOnBedrock(t *testing.T) {
	const metrics = `"amazon-bedrock-invocationMetrics":{"inputTokenCount":8,"outputTokenCount":3,"invocationLatency":900,"firstByteLatency":200}`
	for name, c := range map[string]struct {
		events []string
		want   []tpot.Event
	}{
		"llama": {
			[]string{
				`{"generation":"","prompt_token_count":8,"generation_token_count":1,"stop_reason":null}`,
				`{"generation":"a b","prompt_token_count":null,"generation_token_count":3,"stop_reason":null}`,
				`{"generation":"","prompt_token_count":null,"generation_token_count":3,"stop_reason":"stop",` + metrics + `}`,
			},
			[]tpot.Event{
				{Kind: status | usage | marked, Usage: fromTo(8, 1), Tokens: 1},
				{Kind: tpot.KindText | usage | marked, Usage: of(3), Tokens: 2},
				{Kind: finish | usage | marked, Usage: of(3), FinishReason: "stop"},
			},
		},
		"titan counts at the end": {
			[]string{
				`{"outputText":"a","index":0,"totalOutputTextTokenCount":null,"completionReason":null,"inputTextTokenCount":8}`,
				`{"outputText":"b","index":0,"totalOutputTextTokenCount":3,"completionReason":"FINISH","inputTextTokenCount":null,` + metrics + `}`,
			},
			[]tpot.Event{
				{Kind: tpot.KindText | usage | marked, Usage: fromTo(8, 0)},
				{Kind: tpot.KindText | finish | usage | marked, Usage: of(3), FinishReason: "FINISH"},
			},
		},
		"mistral": {
			[]string{`{"outputs":[{"text":"a","stop_reason":null}]}`, `{"outputs":[{"text":"","stop_reason":"stop"}],` + metrics + `}`},
			[]tpot.Event{{Kind: tpot.KindText | marked}, {Kind: finish | marked, FinishReason: "stop"}},
		},
		"nova": {
			[]string{
				`{"messageStart":{"role":"assistant"}}`, `{"contentBlockDelta":{"delta":{"text":"a"},"contentBlockIndex":0}}`,
				`{"contentBlockStop":{"contentBlockIndex":0}}`, `{"messageStop":{"stopReason":"end_turn"}}`,
				`{"metadata":{"usage":{"inputTokens":8,"outputTokens":3},"metrics":{},"trace":{}},` + metrics + `}`,
			},
			[]tpot.Event{
				{Kind: status | marked}, textEvent, {Kind: status | marked}, {Kind: finish | marked, FinishReason: "end_turn"},
				{Kind: usage | marked, Usage: fromTo(8, 3)},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var body strings.Builder
			for _, event := range c.events {
				body.WriteString(chunk(event))
			}
			got := parse(eventStream, body.String())
			assert.Equal(t, c.want, got.events)
			assert.Equal(t, "bedrock", got.facts.Wire)
			assert.Equal(t, tpot.ServerTimings{
				Source: "bedrock", Total: 900 * time.Millisecond, TTFT: 200 * time.Millisecond, PromptTokens: 8, OutputTokens: 3,
			}, got.facts.Server)
		})
	}
}

func TestVertexCountsAtTheEnd(t *testing.T) {
	got := streamed(
		`{"candidates":[{"index":1,"content":{"parts":[{"text":"a"}]}}]}`,
		`{"candidates":[{"index":0,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":9}}`)
	assert.Equal(t, []tpot.Event{
		{Kind: tpot.KindText | marked, Choice: 1}, {Kind: tpot.KindText | finish | usage | marked, Usage: of(9), FinishReason: "STOP"},
	}, got.events, "nine tokens are not those of the second chunk alone")
}
