package llmtest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// built is an event and what it should be: its name, if it has one, and its JSON.
type built struct {
	event llmtest.Event
	kind  llmtest.Kind
	name  string
	json  string
}

var usage = llmtest.Usage{Input: 9, Output: 5, Reasoning: 2}

func TestOpenAIEvents(t *testing.T) {
	ai := llmtest.OpenAI{Model: "m", Choice: 1}
	chunk := func(choices string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764500000,"model":"m","choices":` + choices
	}
	choice := func(delta, finish string) string {
		return chunk(`[{"index":1,"delta":` + delta + `,"finish_reason":` + finish + `}]}`)
	}
	check(t, map[string]built{
		"role":       {ai.Role(), "", "", choice(`{"role":"assistant","content":""}`, `null`)},
		"reasoning":  {ai.Reasoning("hm"), llmtest.KindReasoning, "", choice(`{"reasoning_content":"hm"}`, `null`)},
		"text":       {ai.Text("Hi \"é\"\n"), llmtest.KindText, "", choice(`{"content":"Hi \"é\"\n"}`, `null`)},
		"empty text": {ai.Text(""), "", "", choice(`{"content":""}`, `null`)},
		"tool call": {ai.ToolCall("c1", "f"), "", "", choice(
			`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}`, `null`)},
		"tool arguments": {ai.ToolArguments(`{"a"`), llmtest.KindTool, "", choice(
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, `null`)},
		"finish": {ai.Finish("stop"), "", "", choice(`{}`, `"stop"`)},
		"usage": {ai.Usage(usage), "", "", chunk(`[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,` +
			`"completion_tokens_details":{"reasoning_tokens":2}}}`)},
		"error": {ai.Error("server_error", "oh"), "", "", `{"error":{"type":"server_error","message":"oh"}}`},
	}, fromSSE)
	assert.Equal(t, "data: [DONE]\n\n", string(ai.Done().Bytes))
	assert.Contains(t, string(llmtest.OpenAI{}.Text("x").Bytes), `"model":"ex-mini-1"`)
}

func TestAnthropicEvents(t *testing.T) {
	an := llmtest.Anthropic{Model: "m", Block: 2}
	delta := func(d string) string { return `{"type":"content_block_delta","index":2,"delta":` + d + `}` }
	open := func(b string) string { return `{"type":"content_block_start","index":2,"content_block":` + b + `}` }
	check(t, map[string]built{
		"start": {an.Start(9), "", "message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message",` +
			`"role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,` +
			`"usage":{"input_tokens":9,"output_tokens":1}}}`},
		"open text": {an.OpenText(), "", "content_block_start", open(`{"type":"text","text":""}`)},
		"open reasoning": {an.OpenReasoning(), "", "content_block_start",
			open(`{"type":"thinking","thinking":"","signature":""}`)},
		"open tool": {an.OpenTool("t1", "f"), "", "content_block_start",
			open(`{"type":"tool_use","id":"t1","name":"f","input":{}}`)},
		"reasoning": {an.Reasoning("hm"), llmtest.KindReasoning, "content_block_delta",
			delta(`{"type":"thinking_delta","thinking":"hm"}`)},
		"text":       {an.Text("Hi"), llmtest.KindText, "content_block_delta", delta(`{"type":"text_delta","text":"Hi"}`)},
		"empty text": {an.Text(""), "", "content_block_delta", delta(`{"type":"text_delta","text":""}`)},
		"tool arguments": {an.ToolArguments(`{"a"`), llmtest.KindTool, "content_block_delta",
			delta(`{"type":"input_json_delta","partial_json":"{\"a\""}`)},
		"close": {an.Close(), "", "content_block_stop", `{"type":"content_block_stop","index":2}`},
		"finish": {an.Finish("end_turn", usage), "", "message_delta", `{"type":"message_delta",` +
			`"delta":{"stop_reason":"end_turn","stop_sequence":null},` +
			`"usage":{"input_tokens":9,"output_tokens":5,"output_tokens_details":{"thinking_tokens":2}}}`},
		"done": {an.Done(), "", "message_stop", `{"type":"message_stop"}`},
		"ping": {an.Ping(), "", "ping", `{"type":"ping"}`},
		"error": {an.Error("overloaded_error", "oh"), "", "error",
			`{"type":"error","error":{"type":"overloaded_error","message":"oh"}}`},
	}, fromSSE)
	assert.Contains(t, string(llmtest.Anthropic{}.Start(1).Bytes), `"model":"ex-claude-1"`)
	assert.Contains(t, string(llmtest.Anthropic{}.Close().Bytes), `"index":0`)
}

func TestOllamaEvents(t *testing.T) {
	ol := llmtest.Ollama{Model: "m"}
	line := func(message, rest string) string {
		return `{"model":"m","created_at":"2025-11-30T10:53:20Z","message":{"role":"assistant",` + message + `},` + rest + `}`
	}
	check(t, map[string]built{
		"reasoning":  {ol.Reasoning("hm"), llmtest.KindReasoning, "", line(`"content":"","thinking":"hm"`, `"done":false`)},
		"text":       {ol.Text("Hi"), llmtest.KindText, "", line(`"content":"Hi"`, `"done":false`)},
		"empty text": {ol.Text(""), "", "", line(`"content":""`, `"done":false`)},
		"tool call": {ol.ToolCall("f", `{"a":1}`), llmtest.KindTool, "",
			line(`"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]`, `"done":false`)},
		"done": {ol.Done("stop", usage), "", "",
			line(`"content":""`, `"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":5`)},
		"error": {ol.Error("oh"), "", "", `{"error":"oh"}`},
	}, fromNDJSON)
	assert.Contains(t, string(llmtest.Ollama{}.Text("x").Bytes), `"model":"tiny"`)
	assert.Panics(t, func() { ol.ToolCall("f", `{`) })
}

// check takes each event's frame off and compares what is inside, the order of members included.
func check(t *testing.T, events map[string]built, unframe func(*testing.T, string) (name, json string)) {
	t.Helper()
	for what, want := range events {
		t.Run(what, func(t *testing.T) {
			name, got := unframe(t, string(want.event.Bytes))
			assert.Equal(t, want.name, name)
			assert.True(t, json.Valid([]byte(got)))
			if strings.Contains(what, "open") || strings.Contains(want.json, "_delta") { // built from maps: members sorted
				assert.JSONEq(t, want.json, got)
			} else {
				assert.Equal(t, want.json, got)
			}
			assert.Equal(t, want.kind, want.event.Kind)
			if want.kind == "" {
				assert.Zero(t, want.event.Tokens)
			} else {
				assert.Equal(t, 1, want.event.Tokens)
			}
		})
	}
}

func fromSSE(t *testing.T, frame string) (name, json string) {
	t.Helper()
	frame, ok := strings.CutSuffix(frame, "\n\n")
	require.True(t, ok)
	if head, data, ok := strings.Cut(frame, "\n"); ok {
		name, frame = strings.TrimPrefix(head, "event: "), data
	}
	json, ok = strings.CutPrefix(frame, "data: ")
	require.True(t, ok)
	require.NotContains(t, json, "\n")
	return name, json
}

func fromNDJSON(t *testing.T, frame string) (name, json string) {
	t.Helper()
	json, ok := strings.CutSuffix(frame, "\n")
	require.True(t, ok)
	require.NotContains(t, json, "\n")
	return "", json
}

// captured is the body of a wire capture.
func captured(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("../wire/testdata/" + name + ".bin")
	require.NoError(t, err)
	return string(body)
}

// events is the bytes of a list of events.
func events(list ...llmtest.Event) string { return string(llmtest.Write{Events: list}.Bytes()) }

func TestEventsWithoutABuilder(t *testing.T) {
	assert.Equal(t, llmtest.Event{Bytes: []byte(": keep-alive\n\n")}, llmtest.Comment("keep-alive"))
	assert.Equal(t, llmtest.Event{Bytes: []byte("half")}, llmtest.Raw("half"))
	assert.Equal(t, 3, llmtest.Raw("three").WithTokens(3).Tokens)
}

func TestChunksAreTheEventsThatGenerate(t *testing.T) {
	ai := llmtest.OpenAI{}
	x := llmtest.Exchange{}
	for _, w := range llmtest.SSE().Every(ms, ai.Role(), ai.Reasoning("a"), ai.Text("")).
		After(ms, ai.Text("b"), ai.Text("c").WithTokens(4), ai.Finish("stop")).Writes {
		x.Writes = append(x.Writes, llmtest.Sent{Write: w, Began: w.At, Returned: w.At})
	}

	var at []string
	tokens := 0
	for sent, chunk := range x.Chunks() {
		at = append(at, sent.Began.String()+" "+string(chunk.Kind))
		tokens += chunk.Tokens
	}
	assert.Equal(t, []string{"2ms reasoning", "4ms text", "4ms text"}, at)
	assert.Equal(t, 6, tokens)
	for range x.Chunks() {
		break // an early end is fine
	}
}
