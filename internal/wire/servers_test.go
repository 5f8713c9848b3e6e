package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// stream is a body of server-sent events with the given data.
func stream(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

// streamed is what a Parser finds in it.
func streamed(data ...string) found { return parse(sse, stream(data...)) }

const (
	reasoning = tpot.KindReasoning
	usage     = tpot.KindUsage
	finish    = tpot.KindFinish
	status    = tpot.KindStatus
	done      = tpot.KindDone
)

var doneEvent = tpot.Event{Kind: done | marked}

func of(output int) tpot.Usage            { return tpot.Usage{Output: output} }
func fromTo(input, output int) tpot.Usage { return tpot.Usage{Input: input, Output: output} }

func TestVLLM(t *testing.T) {
	t.Run("usage in every chunk", func(t *testing.T) {
		got := streamed(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":7,"completion_tokens":0}}`,
			`{"choices":[{"index":0,"delta":{"reasoning":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`,
			`{"choices":[{"index":0,"delta":{"reasoning_content":"b"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`,
			`{"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":7,"completion_tokens":4}}`,
			`{"choices":[{"index":0,"delta":{"content":"c"},"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":7,"completion_tokens":8}}`,
			`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":8}}`, `[DONE]`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindRole | usage | choices, Usage: fromTo(7, 0)},
			{Kind: reasoning | usage | choices, Usage: fromTo(7, 1), Tokens: 1},
			{Kind: reasoning | usage | choices, Usage: fromTo(7, 3), Tokens: 2},
			{Kind: usage | choices, Usage: fromTo(7, 4), Tokens: 1},
			{Kind: tpot.KindText | finish | usage | choices, Usage: fromTo(7, 8), Tokens: 4, FinishReason: "stop"},
			{Kind: usage | marked, Usage: fromTo(7, 8)},
			doneEvent,
		}, got.events)
		assert.Equal(t, "openai", got.facts.Wire)
	})
	t.Run("usage in every chunk of two choices, each with its own", func(t *testing.T) {
		got := streamed(
			`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"completion_tokens":2}}`,
			`{"choices":[{"index":1,"delta":{"content":"b"}}],"usage":{"completion_tokens":1}}`,
			`{"choices":[{"index":1,"delta":{"content":"c"}}],"usage":{"completion_tokens":4}}`,
			`{"choices":[{"index":0,"delta":{"content":"d"}}],"usage":{"completion_tokens":5}}`,
			`{"choices":[],"usage":{"completion_tokens":9}}`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindText | usage | choices, Usage: of(2), Tokens: 2},
			{Kind: tpot.KindText | usage | choices, Usage: of(1), Tokens: 1, Choice: 1},
			{Kind: tpot.KindText | usage | choices, Usage: of(4), Tokens: 3, Choice: 1},
			{Kind: tpot.KindText | usage | choices, Usage: of(5), Tokens: 3},
			{Kind: usage | marked, Usage: of(9)},
		}, got.events)
	})
	t.Run("usage at the end is not that of the last chunk", func(t *testing.T) {
		got := streamed(`{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{"delta":{"content":"b"}}],"usage":{"completion_tokens":9}}`)
		assert.Equal(t, tpot.Event{Kind: tpot.KindText | usage | choices, Usage: of(9)}, got.events[1])
	})
	t.Run("the ids of tokens", func(t *testing.T) {
		got := streamed(
			`{"object":"text_completion","choices":[{"index":0,"text":"a","token_ids":[5,6]}],"usage":{"completion_tokens":2}}`,
			`{"object":"text_completion","choices":[{"index":0,"text":"b","token_ids":[7]}],"usage":null}`,
			`{"object":"text_completion","choices":[{"index":0,"text":"c","prompt_token_ids":[1],"token_ids":null}],"usage":null}`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindText | usage | choices, Tokens: 2, Usage: of(2)}, {Kind: tpot.KindText | choices, Tokens: 1}, {Kind: tpot.KindText | choices},
		}, got.events)
	})
	t.Run("both names of reasoning are one chunk", func(t *testing.T) {
		got := streamed(`{"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]}`)
		assert.Equal(t, []tpot.Event{{Kind: reasoning | choices}}, got.events)
	})
	t.Run("metrics", func(t *testing.T) {
		got := streamed(`{"choices":[],"usage":{"completion_tokens":9},"metrics":{"time_to_first_token_ms":12.5,"generation_time_ms":100,`+
			`"queue_time_ms":0.25,"mean_itl_ms":11,"tokens_per_second":90.5,"speculative_decoding":{"draft_tokens":6,"accepted_tokens":4}}}`, `[DONE]`)
		assert.Equal(t, tpot.ServerTimings{
			Source: "vllm", TTFT: 12500 * time.Microsecond, Output: 100 * time.Millisecond, Queue: 250 * time.Microsecond,
			MeanITL: 11 * time.Millisecond, TokensPerSecond: 90.5, DraftTokens: 6, DraftAccepted: 4,
		}, got.facts.Server)
	})
	t.Run("an error before the end marker", func(t *testing.T) {
		for _, failure := range []string{
			`{"object":"error","message":"m","type":"InternalServerError","code":500}`,
			`{"error":{"message":"m","type":"InternalServerError","code":500}}`,
		} {
			got := streamed(`{"choices":[{"delta":{"content":"a"}}]}`, failure, `[DONE]`)
			assert.Equal(t, []tpot.Event{
				{Kind: tpot.KindText | choices}, {Kind: tpot.KindError | marked, ErrorType: "InternalServerError"}, doneEvent,
			}, got.events)
			assert.Equal(t, "openai", got.facts.Wire)
		}
	})
	t.Run("an error of Responses leaves the wire its name", func(t *testing.T) {
		for _, failure := range []string{`{"object":"error","code":500}`, `{"type":"error","code":"500","message":"m"}`} {
			got := streamed(`{"type":"response.output_text.delta","delta":"a"}`, failure)
			assert.Equal(t, []tpot.Event{{Kind: tpot.KindText | marked}, {Kind: tpot.KindError | marked, ErrorType: "500"}}, got.events)
			assert.Equal(t, "openai responses", got.facts.Wire)
		}
	})
}

func TestSGLang(t *testing.T) {
	event := func(text, meta string) string { return `{"text":"` + text + `","meta_info":{` + meta + `}}` }
	t.Run("text that grows", func(t *testing.T) {
		got := streamed(
			event("", `"prompt_tokens":5,"completion_tokens":0,"finish_reason":null`),
			event("a", `"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2`),
			event("a", `"prompt_tokens":5,"completion_tokens":2`), // half a character is held back
			event("a東", `"prompt_tokens":5,"completion_tokens":4,"reasoning_tokens":1`),
			event("a東!", `"prompt_tokens":5,"completion_tokens":5,"finish_reason":{"type":"length","length":5},"e2e_latency":1.5`), `[DONE]`)
		assert.Equal(t, []tpot.Event{
			{Kind: status | usage | marked, Usage: fromTo(5, 0)},
			{Kind: tpot.KindText | usage | marked, Usage: tpot.Usage{Input: 5, Output: 1, Cached: 2}, Tokens: 1},
			{Kind: status | usage | marked, Usage: fromTo(5, 2), Tokens: 1},
			{Kind: tpot.KindText | usage | marked, Usage: tpot.Usage{Input: 5, Output: 4, Reasoning: 1}, Tokens: 2},
			{Kind: tpot.KindText | finish | usage | marked, Usage: fromTo(5, 5), Tokens: 1, FinishReason: "length"},
			doneEvent,
		}, got.events)
		assert.Equal(t, tpot.ServerTimings{Source: "sglang", Total: 1500 * time.Millisecond}, got.facts.Server)
		assert.Equal(t, "sglang", got.facts.Wire)
	})
	t.Run("the end of text that did not grow", func(t *testing.T) {
		got := streamed(event("a", `"completion_tokens":1`), event("a", `"completion_tokens":2,"finish_reason":{"type":"stop","matched":2}`))
		assert.Equal(t, finish|usage|marked, got.events[1].Kind)
	})
	t.Run("pieces", func(t *testing.T) {
		got := streamed(event("ab", `"completion_tokens":1`), event("c", `"completion_tokens":2`),
			event("c", `"completion_tokens":3`), event("cd", `"completion_tokens":5`))
		for i, tokens := range []int{1, 1, 1, 2} {
			assert.Equal(t, tpot.KindText|usage|marked, got.events[i].Kind)
			assert.Equal(t, tokens, got.events[i].Tokens)
		}
	})
	t.Run("two choices that grow", func(t *testing.T) {
		got := streamed(
			`{"index":0,"text":"a","meta_info":{"completion_tokens":1}}`, `{"index":1,"text":"x","meta_info":{"completion_tokens":2}}`,
			`{"index":0,"text":"ab","meta_info":{"completion_tokens":2}}`, `{"index":1,"text":"x","meta_info":{"completion_tokens":2}}`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindText | usage | marked, Usage: of(1), Tokens: 1}, {Kind: tpot.KindText | usage | marked, Usage: of(2), Tokens: 2, Choice: 1},
			{Kind: tpot.KindText | usage | marked, Usage: of(2), Tokens: 1}, {Kind: status | usage | marked, Usage: of(2), Choice: 1},
		}, got.events)
	})
	t.Run("a thousand choices", func(t *testing.T) {
		var all []string
		for _, index := range []string{"127", "128", "999999999", "-1"} {
			all = append(all, `{"index":`+index+`,"text":"a","meta_info":{"completion_tokens":1}}`)
		}
		got := streamed(append(all, all...)...)
		assert.Len(t, got.events, 8)
		assert.Equal(t, 1, got.events[0].Tokens)
		assert.Zero(t, got.events[1].Tokens, "no more is followed")
	})
	t.Run("the wire of OpenAI", func(t *testing.T) {
		got := streamed(`{"choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":"a","tool_calls":null},"matched_stop":null}]}`,
			`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9,"prompt_tokens_details":null,"reasoning_tokens":4}}`)
		assert.Equal(t, []tpot.Event{
			{Kind: reasoning | choices}, {Kind: usage | marked, Usage: tpot.Usage{Input: 5, Output: 9, Reasoning: 4}},
		}, got.events)
	})
}

func TestTensorRTLLM(t *testing.T) {
	t.Run("trtllm-serve", func(t *testing.T) {
		got := streamed(
			`{"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null},"avg_decoded_tokens_per_iter":null}],"usage":null}`,
			`{"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a b"},"avg_decoded_tokens_per_iter":2.5}]}`, `[DONE]`)
		assert.Equal(t, []tpot.Event{
			{Kind: tpot.KindRole | choices, Model: "m"}, {Kind: tpot.KindText | choices, Model: "m"}, doneEvent,
		}, got.events)
	})
	event := func(text string) string {
		return `{"model_name":"ensemble","model_version":"1","sequence_end":false,"text_output":"` + text + `"}`
	}
	grown, same := tpot.Event{Kind: tpot.KindText, Model: "ensemble"}, tpot.Event{Kind: status, Model: "ensemble"}
	t.Run("pieces of Triton", func(t *testing.T) {
		got := streamed(event(""), event("a"), event(" b"), event(" b"), event(""))
		assert.Equal(t, []tpot.Event{same, grown, grown, grown, same}, got.events)
		assert.Equal(t, "triton", got.facts.Wire)
	})
	t.Run("text of Triton that grows", func(t *testing.T) {
		got := streamed(event("a"), event("a b"), event("a b"), event("a b\\nc"))
		assert.Equal(t, []tpot.Event{grown, grown, same, grown}, got.events)
	})
	t.Run("an error of Triton", func(t *testing.T) {
		got := streamed(event("a"), `{"error":"unable to process the request"}`)
		assert.Equal(t, []tpot.Event{grown, {Kind: tpot.KindError | marked, ErrorType: "error"}}, got.events)
		assert.Equal(t, "triton", got.facts.Wire)
	})
}
