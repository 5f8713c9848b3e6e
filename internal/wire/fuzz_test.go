package wire_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// FuzzClassify compares Classify with encoding/json: what that refuses is refused, and of what it accepts, the facts are those that a plain
// look at its decoded values finds.
func FuzzClassify(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.bin")
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		for _, event := range split(string(body), strings.Contains(string(body), "data:")) {
			f.Add(event)
		}
	}
	f.Add(`{"\u0063hoices":[{"delta":{"content":"\ud800"}}]}`)
	f.Add(`{"type":"content_block_delta","":{0":""}}`)
	f.Add(`{"choices":[{"index":-1.5e3,"delta":{"content":"a"}},null,[],7]}`)
	f.Fuzz(func(t *testing.T, data string) {
		got, ok := wire.Classify(data)
		if !ok {
			require.Zero(t, got)
		}
		if !json.Valid([]byte(data)) {
			require.False(t, ok, "malformed")
			return
		}
		object, plain := decode(data)
		if !plain {
			return
		}
		if depth(data) < 1024 {
			compare(t, object, got, ok)
		}
	})
}

// decode returns the object, unless it is none or has a key twice somewhere, in which case the two may differ.
func decode(data string) (object map[string]any, plain bool) {
	if json.Unmarshal([]byte(data), &object) != nil || object == nil {
		return nil, false
	}
	again, err := json.Marshal(object)
	if err != nil {
		return nil, false
	}
	// Written back, an object with a key twice has fewer keys.
	return object, bytes.Count(again, []byte{':'}) >= strings.Count(data, ":")-colonsInStrings(data)+colonsInStrings(string(again))
}

func colonsInStrings(data string) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == '\\':
			i++
		case data[i] == '"':
			inside = !inside
		case data[i] == ':' && inside:
			n++
		}
	}
	return n
}

func depth(data string) int { return strings.Count(data, "[") + strings.Count(data, "{") }

// compare looks at the facts of an OpenAI-shaped event.
func compare(t *testing.T, object map[string]any, got tpot.Event, ok bool) {
	list, isList := object["choices"].([]any)
	if !isList || object["object"] == "error" {
		return
	}
	require.True(t, ok)
	var text, refusal, finish bool
	for _, element := range list {
		choice, _ := element.(map[string]any)
		delta, _ := choice["delta"].(map[string]any)
		text = text || filled(delta["content"]) || filled(choice["text"]) || anyPart(delta["content"], "text")
		refusal = refusal || filled(delta["refusal"])
		finish = finish || filled(choice["finish_reason"])
	}
	require.Equal(t, text, got.Kind&tpot.KindText != 0, "text")
	require.Equal(t, refusal, got.Kind&tpot.KindRefusal != 0, "refusal")
	require.Equal(t, finish, got.Kind&tpot.KindFinish != 0, "finish")
	require.Equal(t, len(list) > 0, got.Kind&tpot.KindChoices != 0, "choices")
	usage, hasUsage := object["usage"].(map[string]any)
	require.Equal(t, hasUsage, got.Kind&tpot.KindUsage != 0, "usage")
	if n, isNumber := usage["completion_tokens"].(float64); isNumber && n >= 0 && n < 1e6 && n == float64(int(n)) && hasUsage {
		if got.Usage.Output != 0 { // 5e2 is no count that any server writes
			require.Equal(t, int(n), got.Usage.Output)
		}
	}
	if model, isString := object["model"].(string); isString && !strings.ContainsRune(model, '\ufffd') {
		require.Equal(t, model, got.Model)
	}
}

func filled(v any) bool {
	s, isString := v.(string)
	return isString && s != ""
}

func anyPart(v any, member string) bool {
	parts, _ := v.([]any)
	for _, part := range parts {
		if p, isObject := part.(map[string]any); isObject && filled(p[member]) {
			return true
		}
	}
	return false
}
