package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
)

// FuzzClassify compares Classify with encoding/json: what that refuses is refused, and what it accepts carries what the
// reference finds in its decoded values, however it is written.
func FuzzClassify(f *testing.F) {
	seed := func(event string) { f.Add(event) }
	for _, f := range fixtures(f) {
		for line := range strings.Lines(f.body) {
			if line = strings.TrimSpace(strings.TrimPrefix(line, "data:")); strings.HasPrefix(line, "{") && len(line) < 4096 {
				seed(line)
			}
		}
	}
	for _, event := range []string{
		whole,
		`{"\u0063hoices":[{"delta":{"content":"\ud800"}}]}`,
		`{"type":"content_block_delta","":{0":""}}`,
		`{"choices":[{"index":-1.5e3,"delta":{"content":"a"}},null,[],7]}`,
		`{"choices":[{"delta":{"content":[{"text":"a","thinking":[{"text":"b"},{"thinking":"c"}]},[],null]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"id":"a"},{"function":{"name":"f","arguments":{}}}],"function_call":{"name":"f"}}}]}`,
		`{"choices":null,"usage":{"prompt_tokens":-0,"completion_tokens":1e2,"reasoning_tokens":4294967296}}`,
		`{"object":"error","type":"","code":-1.50E+3,"error":"\/"}`,
		"{\"model\":\"\x8d\",\"choices\":[]}",
		`{"type":"error","error":{"code":"\u0000"},"model":"\u00e9"}`,
		`{"message":{"thinking":"a","tool_calls":[{"function":{"name":"f"}}]},"done":false,"eval_count":1}`,
		`{"response":"","thinking":"a","done":true,"done_reason":"stop","eval_count":7,"prompt_eval_count":2}`,
		`{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"a"},"usage":{},"error":null}}`,
		`{"type":"response.image_generation_call.partial_image","partial_image_b64":"","b64_json":"a"}`,
		`{"type":"image_edit.completed","partial_image_b64":"a","b64_json":"","usage":{"input_tokens_details":{"cached_tokens":1}}}`,
		`{"type":"message-end","delta":{"finish_reason":"ERROR","error":null,"usage":{"tokens":{"output_tokens":1}}},"error":"a"}`,
		`{"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":"a"}},"tool_plan":"a"}}}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"functionCall":{}},{"inlineData":{"data":"a"}}]}},{}]}`,
		`{"text":"a","meta_info":{"finish_reason":{"type":"stop"},"completion_tokens":1},"index":-1}`,
		`{"token":{"text":"a","special":true},"details":{"generated_tokens":1,"finish_reason":"a"},"error_type":"a"}`,
		`{"error":"a","error_type":"b","text_output":""}`,
		`{"content":"","stop":true,"stop_type":"eos","tokens_predicted":1,"index":2}`,
		`{"generation":"a","outputText":"b","outputs":[{"text":"","stop_reason":"a"}],"prompt_token_count":1}`,
		`{"outputs":[{"text":"a","text":""},[],{"stop_reason":"b"}]}`,
		`{"":{}}`,
		`{"metadata":{"usage":{"outputTokens":3}},"error":{"type":"a"},"model":"b"}`,
		`{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"a"},"toolUse":{"input":"b"},"image":{}}}}`,
		`{"choices":[{"usage":{"completion_tokens":1},"error":{}},{"usage":null,"error":{"code":"a"}}],"error":{"type":"b"}}`,
		`{"role":"\u0061ssistant","content":"","reasoning_content":"a","response_meta":{"finish_reason":"null","usage":{"prompt_tokens":1}}}`,
		`{"role":"tool","content":"a","assistant_output_multi_content":[{"text":"a"},{"image":{}}]}`,
		`{"Done":false,"Chunk":{"aggregated":true,"content":[{"text":"a"},{"toolRequest":{"input":null,"ref":"a"}}],"index":1,"role":"model"},"Response":null}`,
		`{"Done":true,"Chunk":null,"Response":{"finishReason":"unknown","usage":{"outputTokens":1,"thoughtsTokens":2,"totalTokens":3}}}`,
		`{"content":[{"data":"a"},{"media":{"url":"a"}}],"index":-1}`,
		`{"message":{"role":"model"},"latencyMs":1.5,"usage":{"inputTokens":1}}`,
		`{"type":"tool_call","tool_call_input":"\u007b","delta":"","usage":{}}`,
		`{"type":"finish","tool_call_input":"","finish_reason":"a","usage":{"output_tokens":1,"reasoning_tokens":2,"total_tokens":3}}`,
		`{"type":"reasoning_delta","tool_call_input":"","delta":"\n","provider_metadata":{"openai":{"type":"openai.responses.reasoning_metadata","data":{"summary":["a",""]}}}}`,
		`{"Choices":[7,{"StopReason":"FinishReasonUnspecified","GenerationInfo":{"CompletionTokens":1,"usage":{}}},{"GenerationInfo":null}]}`,
		`{"choices":[{"delta":{"reasoning":{"content":"a"}}}]}`,
		`{"choices":[],"x_groq":{"usage":{"prompt_cache_hit_tokens":1}},"usage":null}`,
	} {
		f.Add(event)
	}
	f.Fuzz(func(t *testing.T, data string) {
		got, ok := wire.Classify(data)
		if !ok {
			require.Zero(t, got)
		}
		again(t, data)
		if !json.Valid([]byte(data)) {
			require.False(t, ok, "malformed")
			return
		}
		if object, comparable := decode(data); comparable {
			compare(t, data, object)
		}
	})
}

// FuzzShapes does the same for objects made of the names and values that the shapes know. Chance alone writes few of
// them.
func FuzzShapes(f *testing.F) {
	f.Add([]byte("BA9000B0000000a0"))
	for seed := range byte(40) {
		f.Add(bytes.Repeat([]byte{seed, 7 * seed, 31 * seed, 101 * seed}, 60))
	}
	f.Fuzz(func(t *testing.T, dice []byte) {
		data, err := json.Marshal(randomEvent(&dice))
		require.NoError(t, err)
		object, comparable := decode(string(data))
		require.True(t, comparable || unions(object) > 1)
		compare(t, string(data), object) // encoding/json writes the members of a map in the order that the reference expects
	})
}

// again classifies an event after one that says the same, and begins the same or not.
func again(t *testing.T, event string) {
	var alike, unlike wire.Classifier
	alike.Classify(event)
	unlike.Classify(" " + event)
	want, known := unlike.Classify(event)
	got, ok := alike.Classify(event)
	require.Equal(t, known, ok, event)
	require.Equal(t, want, got, event)
}

// compare has Classify and the reference look at the same object, which is data and is written in two other ways.
func compare(t *testing.T, data string, object map[string]any) {
	want, known := reference(object)
	for _, form := range []string{data, indented(t, data), sorted(t, object)} {
		got, ok := wire.Classify(form)
		require.Equal(t, known, ok, form)
		require.Equal(t, want, got, form)
	}
}

// decode returns the object that data holds. Not comparable is what the two may read in different ways: invalid UTF-8, nesting
// that could reach the limit, and several events in one whose order says which of them counts.
func decode(data string) (object map[string]any, comparable bool) {
	if !utf8.ValidString(data) || strings.Count(data, "[")+strings.Count(data, "{") > 1000 {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || object == nil {
		return nil, false
	}
	return object, unions(object) < 2
}

// unions counts the events of ConverseStream in an event.
func unions(object map[string]any) (n int) {
	for _, event := range converseEvents {
		if _, there := object[event]; there {
			n++
		}
	}
	return n
}

func indented(t *testing.T, data string) string {
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, []byte(data), "\r\n", "\t"))
	return b.String()
}

// sorted writes the object anew: its keys in the order of the alphabet, its escapes as encoding/json chooses.
func sorted(t *testing.T, object map[string]any) string {
	data, err := json.Marshal(object)
	require.NoError(t, err)
	return string(data)
}
