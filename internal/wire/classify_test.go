package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

const (
	marked  = tpot.KindMarked
	choices = tpot.KindChoices | tpot.KindMarked
)

func delta(members string) string {
	return `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  tpot.Kind
	}{
		"openai: text":                        {delta(`"content":"Hi"`), tpot.KindText | choices},
		"openai: white space is output":       {delta(`"content":" "`), tpot.KindText | choices},
		"openai: empty text":                  {delta(`"content":""`), choices},
		"openai: null text":                   {delta(`"content":null`), choices},
		"openai: text of another type":        {delta(`"content":5`), choices},
		"openai: role alone":                  {delta(`"role":"assistant","content":""`), tpot.KindRole | choices},
		"openai: role beside text":            {delta(`"role":"assistant","content":"Hi"`), tpot.KindText | choices},
		"openai: refusal":                     {delta(`"refusal":"No"`), tpot.KindRefusal | choices},
		"openai: reasoning":                   {delta(`"reasoning":"hm"`), tpot.KindReasoning | choices},
		"openai: reasoning_content":           {delta(`"reasoning_content":"hm","content":null`), tpot.KindReasoning | choices},
		"openai: empty reasoning beside text": {delta(`"reasoning_content":"","content":"Hi"`), tpot.KindText | choices},
		"openai: name of a tool":              {delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]`), tpot.KindToolMeta | choices},
		"openai: arguments of a tool":         {delta(`"tool_calls":[{"index":0,"function":{"arguments":"{"}}]`), tpot.KindToolCall | choices},
		"openai: function_call":               {delta(`"function_call":{"name":"f","arguments":"{"}`), tpot.KindToolCall | choices},
		"openai: id of a tool":                {delta(`"tool_calls":[{"index":0,"id":"c"}]`), tpot.KindToolMeta | choices},
		"openai: nothing of a tool":           {delta(`"tool_calls":[{"index":0,"function":{"arguments":""}}]`), choices},
		"openai: a name and other arguments":  {delta(`"tool_calls":[{"id":"c"},{"function":{"arguments":"1"}}]`), tpot.KindToolMeta | tpot.KindToolCall | choices},
		"openai: name of a function_call":     {delta(`"role":"assistant","function_call":{"name":"f"}`), tpot.KindToolMeta | choices},
		"openai: both names of reasoning":     {delta(`"reasoning":"hm","reasoning_content":""`), tpot.KindReasoning | choices},
		"openai: role beside usage":           {`{"choices":[{"delta":{"role":"assistant"}}],"usage":{}}`, tpot.KindRole | tpot.KindUsage | choices},
		"openai: id of audio":                 {delta(`"audio":{"id":"a","expires_at":1}`), choices},
		"mistral: a part of text":             {delta(`"content":[{"type":"text","text":"Hi"}]`), tpot.KindText | choices},
		"mistral: a part of thinking":         {delta(`"content":[{"type":"thinking","thinking":[{"text":""},{"text":"hm"}]}]`), tpot.KindReasoning | choices},
		"mistral: thinking as a string":       {delta(`"content":[{"type":"thinking","thinking":"hm"}]`), tpot.KindReasoning | choices},
		"mistral: several parts":              {delta(`"content":[{"thinking":[{"text":"hm"}]},{"text":"Hi"},{"type":"reference"}]`), tpot.KindText | tpot.KindReasoning | choices},
		"mistral: empty parts":                {delta(`"content":[{"text":""},{"thinking":[]}]`), choices},
		"openai: audio":                       {delta(`"audio":{"transcript":"Hi"}`), tpot.KindMedia | choices},
		"openai: key with an escape":          {delta(`"\u0063ontent":"Hi"`), tpot.KindText | choices},
		"openai: a value that is an escape":   {delta(`"content":"\u0000"`), tpot.KindText | choices},
		"openai: the last of two":             {delta(`"content":"Hi","content":""`), choices},
		"openai: finish with text":            {`{"choices":[{"delta":{"content":"!"},"finish_reason":"stop"}]}`, tpot.KindText | tpot.KindFinish | choices},
		"openai: empty finish reason":         {`{"choices":[{"delta":{"content":"!"},"finish_reason":""}]}`, tpot.KindText | choices},
		"openai: finish reason error":         {`{"choices":[{"delta":{},"finish_reason":"error"}]}`, tpot.KindFinish | tpot.KindError | choices},
		"openai: usage alone":                 {`{"object":"chat.completion.chunk","choices":[],"usage":{"completion_tokens":3}}`, tpot.KindUsage | marked},
		"openai: usage of zeros":              {`{"object":"chat.completion.chunk","choices":[],"usage":{}}`, tpot.KindUsage | marked},
		"openai: no usage yet":                {`{"choices":[{"delta":{"content":"Hi"}}],"usage":null}`, tpot.KindText | choices},
		"openai: nothing":                     {`{"object":"chat.completion.chunk","choices":[]}`, tpot.KindStatus | marked},
		"openai: choices are null":            {`{"object":"chat.completion.chunk","choices":null}`, tpot.KindStatus | marked},
		"openai: legacy completion":           {`{"object":"text_completion","choices":[{"text":"Hi"}]}`, tpot.KindText | choices},
		"openai: error":                       {`{"error":{"message":"m"}}`, tpot.KindError | marked},
		"openai: no error":                    {`{"choices":[{"delta":{"content":"Hi"}}],"error":null}`, tpot.KindText | choices},
		"vllm: error":                         {`{"object":"error","message":"m","type":"BadRequest"}`, tpot.KindError | marked},
		"anthropic: text":                     {`{"delta":{"text":"Hi","type":"text_delta"},"index":1,"type":"content_block_delta"}`, tpot.KindText | marked},
		"anthropic: thinking":                 {`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}`, tpot.KindReasoning | marked},
		"anthropic: input":                    {`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`, tpot.KindToolCall | marked},
		"anthropic: empty input":              {`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":""}}`, tpot.KindStatus | marked},
		"anthropic: signature":                {`{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"c2ln"}}`, tpot.KindStatus | marked},
		"anthropic: ping":                     {`{"type":"ping"}`, tpot.KindPing},
		"anthropic: start":                    {`{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}`, tpot.KindStatus | tpot.KindUsage | marked},
		"anthropic: finish":                   {`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`, tpot.KindFinish | tpot.KindUsage | marked},
		"anthropic: start without usage":      {`{"type":"message_start","message":{}}`, tpot.KindStatus | marked},
		"anthropic: start of a block":         {`{"type":"content_block_start","content_block":{"type":"text","text":""}}`, tpot.KindStatus | marked},
		"anthropic: start with text in it":    {`{"type":"content_block_start","content_block":{"type":"text","text":"Hi"}}`, tpot.KindText | marked},
		"anthropic: start of a tool":          {`{"type":"content_block_start","content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`, tpot.KindStatus | marked},
		"anthropic: usage before the finish":  {`{"type":"message_delta","delta":{"stop_reason":null},"usage":{}}`, tpot.KindUsage | marked},
		"anthropic: nothing changed":          {`{"type":"message_delta","usage":null}`, tpot.KindStatus | marked},
		"anthropic: citation":                 {`{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"text":"no"}}}`, tpot.KindStatus | marked},
		"anthropic: stop":                     {`{"type":"message_stop"}`, tpot.KindDone | marked},
		"anthropic: error":                    {`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, tpot.KindError | marked},
		"ollama: text":                        {`{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}`, tpot.KindText | marked},
		"ollama: empty text":                  {`{"model":"m","message":{"role":"assistant","content":""},"done":false}`, tpot.KindStatus | marked},
		"ollama: thinking":                    {`{"message":{"content":"","thinking":"hm"},"done":false}`, tpot.KindReasoning | marked},
		"ollama: tool call":                   {`{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}`, tpot.KindToolCall | marked},
		"ollama: name of a tool":              {`{"message":{"tool_calls":[{"function":{"name":"f"}}]},"done":false}`, tpot.KindToolMeta | marked},
		"ollama: generate":                    {`{"response":"Hi","done":false}`, tpot.KindText | marked},
		"ollama: the last line":               {`{"message":{"content":""},"done":true,"done_reason":"stop","eval_count":3}`, tpot.KindFinish | tpot.KindUsage | tpot.KindDone | marked},
		"ollama: the last line with text":     {`{"response":"!","done":true}`, tpot.KindText | tpot.KindFinish | tpot.KindUsage | tpot.KindDone | marked},
		"ollama: error":                       {`{"error":"out of memory"}`, tpot.KindError | marked},
		"white space around":                  {"\t\r\n {\"type\" :\n\"ping\" } ", tpot.KindPing},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := wire.Classify(c.event)
			assert.True(t, ok)
			assert.Equal(t, c.want.String(), got.Kind.String())
		})
	}
}

func TestFacts(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  tpot.Event
	}{
		"the lowest of several choices": {
			`{"model":"m","choices":[{"index":2,"delta":{"content":"a"}},{"index":1,"delta":{"reasoning":"b"}}]}`,
			tpot.Event{Kind: tpot.KindText | tpot.KindReasoning | choices, Choice: 1, Model: "m"},
		},
		"the first finish reason": {
			`{"choices":[{"index":0,"finish_reason":null},{"index":1,"finish_reason":"length"},{"index":2,"finish_reason":"stop"}]}`,
			tpot.Event{Kind: tpot.KindFinish | choices, FinishReason: "length"},
		},
		"the tokens of vllm": {
			`{"choices":[{"index":0,"text":"a","token_ids":[1,2]},{"index":1,"text":"","token_ids":[3]},{"index":2,"token_ids":null}]}`,
			tpot.Event{Kind: tpot.KindText | choices, Tokens: 3},
		},
		"usage of anthropic's end": {
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}}`,
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindUsage | marked, FinishReason: "end_turn",
				Usage: tpot.Usage{Output: 9, Reasoning: 4},
			},
		},
		"usage of openai": {
			`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":4},"prompt_tokens_details":{"cached_tokens":2}}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 5, Output: 9, Reasoning: 4, Cached: 2}},
		},
		"usage of sglang": {
			`{"object":"chat.completion.chunk","choices":[],"usage":{"reasoning_tokens":4,"completion_tokens":9,"completion_tokens_details":null}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Output: 9, Reasoning: 4}},
		},
		"usage of anthropic's start": {
			`{"type":"message_start","message":{"model":"c","usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":7}}}`,
			tpot.Event{Kind: tpot.KindStatus | tpot.KindUsage | marked, Model: "c", Usage: tpot.Usage{Input: 3, Cached: 2}},
		},
		"a model with an escape": {
			`{"model":"ex\/m\u00e9","choices":[{"delta":{"content":"a"},"finish_reason":"st\u006fp"}]}`,
			tpot.Event{Kind: tpot.KindText | tpot.KindFinish | choices, Model: "ex/mé", FinishReason: "stop"},
		},
		"usage of gemini": {
			`{"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":5,"thoughtsTokenCount":4,"cachedContentTokenCount":2,"totalTokenCount":17}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 8, Output: 9, Reasoning: 4, Cached: 2}},
		},
		"usage of cohere": {
			`{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":1,"output_tokens":1},"tokens":{"input_tokens":8,"output_tokens":9},"cached_tokens":2}}}`,
			tpot.Event{Kind: tpot.KindFinish | tpot.KindDone | tpot.KindUsage | marked, FinishReason: "COMPLETE", Usage: tpot.Usage{Input: 8, Output: 9, Cached: 2}},
		},
		"the end of an image": {
			`{"type":"image_generation.completed","b64_json":"a","usage":{"input_tokens":8,"output_tokens":9}}`,
			tpot.Event{Kind: tpot.KindMedia | tpot.KindDone | tpot.KindUsage | marked, Usage: tpot.Usage{Input: 8, Output: 9}},
		},
		"an error with a code alone":    {`{"error":{"code":429,"message":"m"}}`, tpot.Event{Kind: tpot.KindError | marked, ErrorType: "429"}},
		"an error with a message alone": {`{"error":"m"}`, tpot.Event{Kind: tpot.KindError | marked, ErrorType: "error"}},
		"counts that are none": {
			`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":99999999999999999999,"total_tokens":"x"}}`,
			tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: -5, Output: 1<<31 - 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := wire.Classify(c.event)
			assert.True(t, ok)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestWhatIsNoEvent(t *testing.T) {
	for _, data := range []string{
		"", " ", "null", "5", `"text"`, "[]", "{}", "[DONE]", `{"foo":1}`, `{"type":"unknown"}`, `{"text":"Hi"}`, `{"message":"m"}`,
		`{"done":true}`, delta(`"content":"Hi"`) + "x", delta(`"content":"Hi"`)[1:], `{"choices":[{"delta":{"content":"Hi"`,
		`{"choices":[{"delta":{"content":"Hi"}}}`, `{"type":"ping",}`, `{"type":"ping" "a":1}`, `{type:"ping"}`, "{\"type\":\"pi\nng\"}",
		`{"type":"ping","x":01}`, `{"type":"ping","x":+1}`, `{"type":"ping","x":.5}`, `{"type":"ping","x":tru}`, `{"type":"ping","x":"\x"}`,
		`{"type":"ping","x":"\u12"}`, `{"type":"ping","x":[1,]}`, `{"type":"ping","x":{"a"}}`,
	} {
		got, ok := wire.Classify(data)
		assert.False(t, ok, data)
		assert.Zero(t, got, data)
	}
}

func TestNestingCostsNoStack(t *testing.T) {
	const deep = 1 << 20
	for name, x := range map[string]string{
		"unterminated": strings.Repeat("[", deep), "objects": strings.Repeat(`{"a":`, deep),
		"terminated": strings.Repeat("[", deep) + strings.Repeat("]", deep), "closers": strings.Repeat("]", deep),
	} {
		_, ok := wire.Classify(`{"type":"ping","x":` + x + `}`)
		assert.False(t, ok, name)
	}
	_, ok := wire.Classify(`{"type":"ping","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`)
	assert.True(t, ok, "within the limit")
}

func TestClassifyAllocatesNothing(t *testing.T) {
	for name, event := range map[string]string{
		"openai":    `{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a \"quoted\" text"},"finish_reason":"stop"}],"usage":{"completion_tokens":3}}`,
		"anthropic": `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`,
		"ollama":    `{"model":"m","message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop","eval_count":9}`,
		"unknown":   `{"a":[1,2,{"b":"c"}]}`,
	} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { wire.Classify(event) }), name)
	}
}

func TestALongLine(t *testing.T) {
	got, ok := wire.Classify(delta(`"content":"` + strings.Repeat("long ", 1<<18) + `"`))
	assert.True(t, ok)
	assert.Equal(t, tpot.KindText|choices, got.Kind)
}
