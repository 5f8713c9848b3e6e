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
		`{"type":"error","error":{"code":"\u0000"},"model":"\u00e9"}`,
		`{"message":{"thinking":"a","tool_calls":[{"function":{"name":"f"}}]},"done":false,"eval_count":1}`,
		`{"response":"","thinking":"a","done":true,"done_reason":"stop","eval_count":7,"prompt_eval_count":2}`,
	} {
		f.Add(event)
	}
	f.Fuzz(func(t *testing.T, data string) {
		got, ok := wire.Classify(data)
		if !ok {
			require.Zero(t, got)
		}
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
	for seed := range byte(40) {
		f.Add(bytes.Repeat([]byte{seed, 7 * seed, 31 * seed, 101 * seed}, 60))
	}
	f.Fuzz(func(t *testing.T, dice []byte) {
		data, err := json.Marshal(randomObject(&dice, "", 0))
		require.NoError(t, err)
		object, comparable := decode(string(data))
		require.True(t, comparable)
		compare(t, string(data), object)
	})
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

// grammar has the members of each object that the shapes know, by its name: "" is the event. A name that is no key here
// is that of a scalar.
var grammar = map[string][]string{
	"": strings.Fields(`choices choices choices choices usage usage delta delta message message error type type object
		model code response thinking tool_calls done done done_reason eval_count prompt_eval_count other`),
	"choices": strings.Fields("delta delta delta index text finish_reason token_ids other"),
	"delta": strings.Fields(`content content role reasoning reasoning_content refusal tool_calls function_call audio text
		thinking partial_json stop_reason other`),
	"message":    strings.Fields("content thinking tool_calls usage model role other"),
	"content":    strings.Fields("text thinking type"),
	"thinking":   strings.Fields("text type"),
	"tool_calls": strings.Fields("id index function function"),
	"function":   strings.Fields("name arguments"), "function_call": strings.Fields("name arguments"),
	"audio": strings.Fields("id data transcript"),
	"error": strings.Fields("type code message other"),
	"usage": strings.Fields(`prompt_tokens completion_tokens reasoning_tokens completion_tokens_details
		prompt_tokens_details input_tokens output_tokens output_tokens_details cache_read_input_tokens other`),
	"completion_tokens_details": {"reasoning_tokens"}, "output_tokens_details": {"thinking_tokens"},
	"prompt_tokens_details": {"cached_tokens"}, "token_ids": {"other"}, "arguments": {"other"}, "other": {"choices"},
}

// words are the strings that mean something, and some that do not.
var words = []any{
	"", "", "a", "error", "stop", "null", "a \"b\"\n", "東🚲", "chat.completion.chunk", "text_completion", "ping",
	"message_start", "message_delta", "message_stop", "content_block_start", "content_block_stop", "content_block_delta", true, false, nil,
	0, 1, -2, 1.5, 1e30, int64(99999999999), json.Number("1e2"), json.Number("-0"), json.Number("12.0"),
}

func randomObject(dice *[]byte, name string, depth int) map[string]any {
	object := make(map[string]any)
	for range 1 + draw(dice, 7) {
		member := pick(dice, grammar[name])
		object[member] = randomValue(dice, member, depth+1)
	}
	return object
}

// randomValue is a list or an object when there is one of that name, and a word else, or when chance wants it.
func randomValue(dice *[]byte, name string, depth int) any {
	form := draw(dice, 8)
	if grammar[name] == nil || form == 0 || depth > 8 {
		return pick(dice, words)
	}
	if form < 4 {
		return randomObject(dice, name, depth)
	}
	list := make([]any, draw(dice, 4))
	for i := range list {
		list[i] = randomObject(dice, name, depth)
		if draw(dice, 8) == 0 {
			list[i] = pick(dice, words)
		}
	}
	return list
}

func pick[T any](dice *[]byte, from []T) T { return from[draw(dice, len(from))] }

// draw takes one byte of dice and makes a number below n of it; 0 when they are used up.
func draw(dice *[]byte, n int) int {
	if len(*dice) == 0 {
		return 0
	}
	b := (*dice)[0]
	*dice = (*dice)[1:]
	return int(b) % n
}

// decode returns the object that data holds. Not comparable is what the two may read in different ways: members of the
// same name, invalid UTF-8, and nesting that could reach the limit.
func decode(data string) (object map[string]any, comparable bool) {
	if !utf8.ValidString(data) || strings.Count(data, "[")+strings.Count(data, "{") > 1000 {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(data))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || object == nil {
		return nil, false
	}
	return object, countMembers(object) == writtenMembers(data)
}

// countMembers counts the members of v and of all that is in it.
func countMembers(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += 1 + countMembers(member)
		}
	case []any:
		for _, element := range v {
			n += countMembers(element)
		}
	}
	return n
}

// writtenMembers counts the members as they are written: the colons outside of strings.
func writtenMembers(data string) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch {
		case inside && data[i] == '\\':
			i++
		case data[i] == '"':
			inside = !inside
		case data[i] == ':' && !inside:
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
