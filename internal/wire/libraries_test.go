package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// The events here are what encoding/json makes of the values of Go libraries that have types of their own for all providers.

// TestEncodedMessagesOfEino has messages as different models fill them.
func TestEncodedMessagesOfEino(t *testing.T) {
	assistant := func(rest string) string { return `{"role":"assistant","content":"",` + rest + `}` }
	for name, c := range map[string]struct {
		event string
		want  tpot.Event
	}{
		"role":    {`{"role":"assistant","content":""}`, tpot.Event{Kind: tpot.KindStatus}},
		"nothing": {`{"role":"","content":""}`, tpot.Event{Kind: tpot.KindStatus}},
		"text":    {`{"role":"assistant","content":"a"}`, tpot.Event{Kind: tpot.KindText}},
		"text of a model that says more": {
			`{"role":"assistant","content":"a","response_meta":{}}`, tpot.Event{Kind: tpot.KindText | marked},
		},
		"reasoning": {assistant(`"reasoning_content":"a","extra":{"reasoning-content":"a"}`), tpot.Event{Kind: tpot.KindReasoning}},
		"the start of a call": {
			assistant(`"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f"}}]`), tpot.Event{Kind: tpot.KindToolMeta},
		},
		"arguments": {
			assistant(`"tool_calls":[{"index":0,"id":"","type":"","function":{"arguments":"{"}}]`), tpot.Event{Kind: tpot.KindToolCall},
		},
		"an image": {
			assistant(`"assistant_output_multi_content":[{"type":"image_url","image":{"base64data":"a"}},{"type":"text","text":"b"}]`),
			tpot.Event{Kind: tpot.KindMedia | tpot.KindText},
		},
		"a video": {assistant(`"assistant_output_multi_content":[{"type":"video_url","video":{"url":"a"}}]`), tpot.Event{Kind: tpot.KindMedia}},
		"several texts of Gemini": {
			assistant(`"multi_content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), tpot.Event{Kind: tpot.KindText},
		},
		"an image, linked": {
			assistant(`"multi_content":[{"type":"image_url","image_url":{"url":"a"}}]`), tpot.Event{Kind: tpot.KindMedia},
		},
		"the finish": {
			assistant(`"response_meta":{"finish_reason":"stop"}`), tpot.Event{Kind: tpot.KindFinish | marked, FinishReason: "stop"},
		},
		"no finish": {assistant(`"response_meta":{"finish_reason":"null"}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"usage": {
			assistant(`"response_meta":{"usage":{"prompt_tokens":5,"prompt_token_details":{"cached_tokens":2},"completion_tokens":4,` +
				`"total_tokens":9,"completion_token_details":{"reasoning_tokens":1}}}`),
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 5, Output: 4, Cached: 2, Reasoning: 1}},
		},
		"the result of a tool": {
			`{"role":"tool","content":"a","tool_call_id":"x","tool_name":"f"}`, tpot.Event{Kind: tpot.KindStatus},
		},
	} {
		t.Run(name, func(t *testing.T) { assertClassified(t, c.want, c.event) })
	}
	for _, other := range []string{`{"role":"critic","content":"a"}`, `{"content":"a"}`, `{"role":"assistant"}`, `{"role":"assistant","content":null}`} {
		_, ok := wire.Classify(other)
		assert.False(t, ok, other)
	}
}

func assertClassified(t *testing.T, want tpot.Event, event string) {
	t.Helper()
	got, ok := wire.Classify(event)
	assert.True(t, ok)
	assert.Equal(t, want, got)
}

// TestEncodedValuesOfGenkit has chunks as a callback gets them, and as they are in the values of a stream.
func TestEncodedValuesOfGenkit(t *testing.T) {
	for name, c := range map[string]struct {
		chunk string
		want  tpot.Kind
	}{
		"text":                {`{"content":[{"text":"a"}],"index":0,"role":"model"}`, tpot.KindText},
		"text without a role": {`{"content":[{"text":"a"}],"index":0}`, tpot.KindText},
		"empty text":          {`{"content":[{}],"index":0,"role":"model"}`, tpot.KindStatus},
		"nothing":             {`{"index":0,"role":"model"}`, tpot.KindStatus},
		"reasoning":           {`{"content":[{"metadata":{"signature":null},"reasoning":"a"}],"index":0,"role":"model"}`, tpot.KindReasoning},
		"a call": {
			`{"content":[{"toolRequest":{"input":{"a":1},"name":"f","ref":"x"}}],"index":0,"role":"model"}`, tpot.KindToolCall,
		},
		"a piece of a call": {
			`{"content":[{"toolRequest":{"input":"{\"a","name":"f","partial":true,"ref":"x"}}],"index":0,"role":"model"}`, tpot.KindToolCall,
		},
		"the start of a call": {`{"content":[{"toolRequest":{"input":"","name":"f","ref":"x"}}],"index":0,"role":"model"}`, tpot.KindToolMeta},
		"the result of a tool": {
			`{"content":[{"toolResponse":{"name":"f","output":"x"}},{"text":"a"}],"index":1,"role":"tool"}`, tpot.KindStatus,
		},
		"an image": {`{"content":[{"media":{"contentType":"image/png","url":"data:image/png;base64,aa"}}],"index":0,"role":"model"}`, tpot.KindMedia},
		"data":     {`{"content":[{"data":"aa"}],"index":0,"role":"model"}`, tpot.KindText},
		"custom":   {`{"content":[{"custom":{"a":1}}],"index":0,"role":"model"}`, tpot.KindStatus},
		"all there is": {
			`{"aggregated":true,"content":[{"reasoning":"a"},{"text":"ab"},{"text":"c"}],"index":0,"role":"model"}`, tpot.KindReasoning | tpot.KindText,
		},
	} {
		t.Run(name, func(t *testing.T) {
			assertClassified(t, tpot.Event{Kind: c.want}, c.chunk)
			assertClassified(t, tpot.Event{Kind: c.want | marked}, `{"Done":false,"Chunk":`+c.chunk+`,"Output":{},"Response":null}`)
		})
	}
	for _, other := range []string{
		`{"Done":false,"Chunk":{"Word":"a"},"Output":{"Word":""},"Response":null}`, `{"Done":false,"Chunk":null,"Output":{},"Response":null}`,
		`{"content":[{"text":"a"}],"role":"model"}`, `{"content":"a","index":0,"role":"model"}`, `{"index":0,"role":"critic"}`, `{"index":0}`,
	} {
		_, ok := wire.Classify(other)
		assert.False(t, ok, other)
	}
}

// TestEncodedResponsesOfGenkit has what a stream ends with, which is also what a call returns.
func TestEncodedResponsesOfGenkit(t *testing.T) {
	const message = `"message":{"content":[{"text":"abc"}],"role":"model"},"request":{"messages":[{"content":[{"text":"q"}],"role":"user"}]}`
	for name, c := range map[string]struct {
		response string
		want     tpot.Event
	}{
		"a stop": {
			`{"finishReason":"stop","latencyMs":12,` + message + `,"usage":{"inputCharacters":1,"inputTokens":5,"outputTokens":4,"totalTokens":9}}`,
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "stop", Usage: tpot.Usage{Input: 5, Output: 4}},
		},
		"thoughts beside the output": {
			`{"finishReason":"stop","latencyMs":12,` + message + `,"usage":{"cachedContentTokens":1,"inputTokens":5,"outputTokens":4,"thoughtsTokens":3,"totalTokens":12}}`,
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "stop", Usage: tpot.Usage{Input: 5, Output: 7, Reasoning: 3, Cached: 1}},
		},
		"thoughts in the output": {
			`{"finishReason":"length","latencyMs":12,` + message + `,"usage":{"inputTokens":5,"outputTokens":4,"thoughtsTokens":3,"totalTokens":9}}`,
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "length", Usage: tpot.Usage{Input: 5, Output: 4, Reasoning: 3}},
		},
		"a stream of Gemini that broke off": {
			`{"latencyMs":12,` + message + `,"usage":{"inputTokens":5,"outputTokens":4,"totalTokens":9}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 5, Output: 4}},
		},
		"a stream of OpenAI that broke off": {
			`{"finishReason":"unknown","latencyMs":12,` + message + `,"usage":{"inputCharacters":1}}`,
			tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"a model that says nothing": {
			`{"latencyMs":0.25,` + message + `,"usage":{"inputCharacters":1,"outputCharacters":3}}`, tpot.Event{Kind: tpot.KindDone | marked},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assertClassified(t, c.want, c.response)
			assertClassified(t, c.want, `{"Done":true,"Chunk":null,"Output":{},"Response":`+c.response+`}`)
		})
	}
	for _, other := range []string{
		`{"Name":"job","Done":true}`, `{"Done":true,"Output":"a","Stream":null}`, `{"Done":true,"Response":{"finishReason":"stop"}}`,
		`{"Done":null,"Chunk":null,"Response":{"finishReason":"stop"}}`,
		`{"message":{"role":"assistant","content":"a"},"finishReason":"stop"}`, `{"message":{"text":"a"},"latencyMs":5}`,
		`{"message":{"role":"model"}}`, `{"message":{"role":"model"},"finishReason":""}`,
	} {
		_, ok := wire.Classify(other)
		assert.False(t, ok, other)
	}
}

func TestEncodedPartsOfFantasy(t *testing.T) {
	part := func(name, call, input, delta, usage, reason string) string {
		return `{"type":"` + name + `","id":"0","tool_call_name":"` + call + `","tool_call_input":"` + input + `","delta":"` + delta +
			`","provider_executed":false,"usage":` + usage + `,"finish_reason":"` + reason + `","warnings":null,"source_type":"","url":"","title":"","provider_metadata":null}`
	}
	const none = `{"input_tokens":0,"output_tokens":0,"total_tokens":0,"reasoning_tokens":0,"cache_creation_tokens":0,"cache_read_tokens":0}`
	nothing := tpot.Event{Kind: tpot.KindStatus | marked}
	for _, name := range []string{"warnings", "text_start", "text_end", "reasoning_start", "reasoning_end", "tool_input_end", "tool_result", "source"} {
		assertClassified(t, nothing, part(name, "", "", "", none, ""))
	}
	for _, c := range []struct {
		event string
		want  tpot.Event
	}{
		{part("text_delta", "", "", "a", none, ""), tpot.Event{Kind: tpot.KindText | marked}},
		{part("text_delta", "", "", "", none, ""), nothing},
		{part("reasoning_delta", "", "", "a", none, ""), tpot.Event{Kind: tpot.KindReasoning | marked}},
		{part("reasoning_start", "", "", "a", none, ""), tpot.Event{Kind: tpot.KindReasoning | marked}}, // OpenRouter
		{part("tool_input_start", "f", "", "", none, ""), tpot.Event{Kind: tpot.KindToolMeta | marked}},
		{part("tool_input_delta", "", "", "{", none, ""), tpot.Event{Kind: tpot.KindToolCall | marked}},
		{part("tool_input_delta", "", "{", "", none, ""), tpot.Event{Kind: tpot.KindToolCall | marked}}, // Anthropic
		{part("tool_input_delta", "", "", "", none, ""), nothing},
		{part("tool_call", "f", "{}", "", none, ""), tpot.Event{Kind: tpot.KindToolCall | marked}},
		{part("tool_call", "web_search", "", "", none, ""), tpot.Event{Kind: tpot.KindToolMeta | marked}},
		{
			part("finish", "", "", "", `{"input_tokens":3,"output_tokens":4,"total_tokens":12,"reasoning_tokens":2,"cache_creation_tokens":0,"cache_read_tokens":5}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 3, Output: 4, Reasoning: 2, Cached: 5},
			},
		},
		{ // Google counts thoughts beside the output
			part("finish", "", "", "", `{"input_tokens":8,"output_tokens":4,"total_tokens":14,"reasoning_tokens":2,"cache_creation_tokens":0,"cache_read_tokens":5}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 8, Output: 6, Reasoning: 2, Cached: 5},
			},
		},
		{ // Google with tools, whose prompts are in the total alone
			part("finish", "", "", "", `{"input_tokens":8,"output_tokens":4,"total_tokens":23,"reasoning_tokens":2}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 8, Output: 6, Reasoning: 2},
			},
		},
		{ // a total that nobody told
			part("finish", "", "", "", `{"input_tokens":8,"output_tokens":4,"total_tokens":0,"reasoning_tokens":2}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 8, Output: 4, Reasoning: 2},
			},
		},
		{ // Google's provider, of two events with 2 and 4 tokens so far, each with 3 of thought
			part("finish", "", "", "", `{"input_tokens":5,"output_tokens":6,"total_tokens":10,"reasoning_tokens":6,"cache_creation_tokens":0,"cache_read_tokens":0}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 5},
			},
		},
		{ // the same with 0 and 10 tokens so far, each with 100 of thought
			part("finish", "", "", "", `{"input_tokens":5,"output_tokens":10,"total_tokens":105,"reasoning_tokens":200}`, "stop"),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 5},
			},
		},
		{part("finish", "", "", "", none, "unknown"), tpot.Event{Kind: tpot.KindFinish | tpot.KindDone | marked, FinishReason: "unknown"}},
		{part("error", "", "", "", none, ""), tpot.Event{Kind: tpot.KindError | marked, ErrorType: "error"}},
	} {
		assertClassified(t, c.want, c.event)
	}
	for _, other := range []string{part("sources", "", "", "a", none, ""), `{"type":"finish","finish_reason":"stop"}`, `{"type":"text_delta","delta":"a"}`} {
		_, ok := wire.Classify(other)
		assert.False(t, ok, other)
	}
}

// TestReasoningOfFantasyThatIsASummary has what fantasy makes of the reasoning of OpenAI's Responses.
func TestReasoningOfFantasyThatIsASummary(t *testing.T) {
	part := func(delta, kind, summary string) string {
		return `{"type":"reasoning_delta","id":"rs","tool_call_input":"","delta":"` + delta +
			`","provider_metadata":{"openai":{"type":"` + kind + `","data":{"item_id":"rs","encrypted_content":null,"summary":` + summary + `}}}}`
	}
	const metadata = "openai.responses.reasoning_metadata"
	for event, want := range map[string]tpot.Kind{
		part(`hm`, metadata, `["a","hm"]`):       tpot.KindReasoning | tpot.KindSummary,
		part(`\n`, metadata, `["a",""]`):         tpot.KindStatus,
		part(`\n`, metadata, `["a\n"]`):          tpot.KindReasoning | tpot.KindSummary,
		part(`\n`, metadata, `[]`):               tpot.KindReasoning | tpot.KindSummary,
		part(`hm`, metadata, `["a",""]`):         tpot.KindReasoning | tpot.KindSummary,
		part(``, metadata, `["a"]`):              tpot.KindStatus,
		part(`\n`, "openai.options", `["a",""]`): tpot.KindReasoning,
	} {
		assertClassified(t, tpot.Event{Kind: want | marked}, event)
	}
}

// TestEncodedResponsesOfLangchain has what langchaingo's providers make of a response. Its text was streamed before.
func TestEncodedResponsesOfLangchain(t *testing.T) {
	response := func(reason, info string) string {
		return `{"Choices":[{"Content":"abc","StopReason":"` + reason + `","GenerationInfo":` + info +
			`,"FuncCall":null,"ToolCalls":null,"ReasoningContent":"a"}]}`
	}
	for name, c := range map[string]struct {
		event string
		want  tpot.Event
	}{
		"OpenAI": {
			response("stop", `{"CompletionTokens":4,"PromptCachedTokens":2,"PromptTokens":3,"ReasoningTokens":1,"ThinkingContent":"zz","ThinkingTokens":1}`),
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "stop",
				Usage: tpot.Usage{Input: 3, Output: 4, Reasoning: 1, Cached: 2},
			},
		},
		"OpenAI, broken off": {
			response("", `{"CompletionTokens":0,"PromptTokens":0,"ReasoningTokens":0,"ThinkingContent":""}`), tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"OpenAI, broken off where the server counts as it goes": {
			response("", `{"CompletionTokens":4,"PromptTokens":3,"ReasoningTokens":0,"ThinkingContent":""}`),
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 3, Output: 4}},
		},
		"Ollama": {
			response("", `{"CompletionTokens":4,"PromptTokens":3,"ThinkingContent":"","ThinkingTokens":0,"TotalTokens":7}`),
			tpot.Event{Kind: tpot.KindUsage | tpot.KindDone | marked, Usage: tpot.Usage{Input: 3, Output: 4}},
		},
		"Ollama, broken off": {
			response("", `{"CompletionTokens":0,"PromptTokens":0,"ThinkingContent":"","ThinkingTokens":0,"TotalTokens":0}`),
			tpot.Event{Kind: tpot.KindStatus | marked},
		},
		"Anthropic": {
			response("end_turn", `{"CacheCreationInputTokens":0,"CacheReadInputTokens":6,"InputTokens":3,"OutputTokens":4}`),
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "end_turn", Usage: tpot.Usage{Input: 3, Output: 4, Cached: 6}},
		},
		"Anthropic, broken off": {
			response("", `{"CacheReadInputTokens":0,"InputTokens":3,"OutputTokens":1}`),
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 3, Output: 1}},
		},
		"Bedrock": {
			response("end_turn", `{"input_tokens":3,"output_tokens":4}`),
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "end_turn", Usage: tpot.Usage{Input: 3, Output: 4}},
		},
		"Google": {
			response("FinishReasonStop", `{"CachedTokens":2,"CompletionTokens":4,"PromptTokens":3,"input_tokens":3,"output_tokens":4,"total_tokens":7}`),
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "FinishReasonStop", Usage: tpot.Usage{Input: 3, Output: 4, Cached: 2}},
		},
		"Google, broken off": {
			response("FinishReasonUnspecified", `{"CompletionTokens":4,"PromptTokens":3,"input_tokens":3,"output_tokens":4,"total_tokens":7}`),
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 3, Output: 4}},
		},
		"Mistral": {
			response("stop", `{"created":1,"model":"m","usage":{"prompt_tokens":3,"total_tokens":7,"completion_tokens":4}}`),
			tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "stop", Model: "m", Usage: tpot.Usage{Input: 3, Output: 4}},
		},
		"a provider that says nothing": {response("", `null`), tpot.Event{Kind: tpot.KindStatus}},
	} {
		t.Run(name, func(t *testing.T) { assertClassified(t, c.want, c.event) })
	}
	for _, other := range []string{`{"Choices":null}`, `{"Choices":[]}`, `{"Choices":[{"Text":"a"}]}`} {
		_, ok := wire.Classify(other)
		assert.False(t, ok, other)
	}
}

// TestGoLibrariesThatRepeat has streams in which a value repeats what was in those before it.
func TestGoLibrariesThatRepeat(t *testing.T) {
	const tool, meta = tpot.KindToolCall | marked, tpot.KindToolMeta | marked
	part := func(name, input string) string {
		return `{"type":"` + name + `","tool_call_input":"` + input + `","delta":""}`
	}
	whole := func(content string) string {
		return `{"aggregated":true,"content":[` + content + `],"index":0,"role":"model"}`
	}
	for name, c := range map[string]struct {
		events []string
		want   []tpot.Kind
	}{
		"fantasy: calls after their pieces": {
			[]string{part("tool_input_delta", "{"), part("tool_input_delta", "}"), part("tool_call", "{}"), part("tool_call", "{}")},
			[]tpot.Kind{tool, tool, meta, meta},
		},
		"fantasy: a call whose only piece is empty": {
			[]string{part("tool_input_delta", ""), part("tool_call", "{}")}, []tpot.Kind{tpot.KindStatus | marked, tool},
		},
		"fantasy: calls without pieces": {
			[]string{part("tool_call", "{}"), part("tool_call", "{}")}, []tpot.Kind{tool, tool},
		},
		"genkit: all there is so far": {
			[]string{
				whole(`{"reasoning":"a"}`), whole(`{"reasoning":"ab"}`), whole(`{"reasoning":"ab"},{"text":"c"}`), whole(`{"reasoning":"ab"},{"text":"c"}`),
				whole(`{"reasoning":"ab"},{"text":"c"},{"text":"d"}`), whole(`{"reasoning":"ab"},{"text":"cd"},{"toolRequest":{"name":"f","input":{}}}`),
			},
			[]tpot.Kind{tpot.KindReasoning, tpot.KindReasoning, tpot.KindText, tpot.KindStatus, tpot.KindText, tpot.KindToolCall},
		},
		"genkit: pieces, then all there is": {
			[]string{
				`{"content":[{"text":"a"}],"index":0,"role":"model"}`, `{"content":[{"text":"b"}],"index":0,"role":"model"}`,
				whole(`{"text":"ab"}`), whole(`{"text":"abc"}`), `{"content":[{"text":"d"}],"index":0,"role":"model"}`, whole(`{"text":"abcd"}`),
			},
			[]tpot.Kind{tpot.KindText, tpot.KindText, tpot.KindStatus, tpot.KindText, tpot.KindText, tpot.KindStatus},
		},
		"genkit: another message": {
			[]string{whole(`{"text":"abc"}`), `{"aggregated":true,"content":[{"text":"a"}],"index":2,"role":"model"}`},
			[]tpot.Kind{tpot.KindText, tpot.KindText},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var classifier wire.Classifier
			for i, event := range c.events {
				got, ok := classifier.Classify(event)
				assert.True(t, ok)
				assert.Equal(t, c.want[i], got.Kind, "event %d", i)
			}
		})
	}
}
