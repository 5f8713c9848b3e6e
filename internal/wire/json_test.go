package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// whole has every mark of JSON and is known.
const whole = `{"model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"x":[1,{"y":"z"}]}`

func TestJSONInAnyForm(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  tpot.Event
	}{
		"white space everywhere": {
			" \t\r\n{ \"choices\" :\n[ { \"delta\" : { \"content\" : \"a\" } , \"index\" : 3 } ] , \"model\" : \"m\" } \r\n",
			tpot.Event{Kind: tpot.KindText | choices, Choice: 3, Model: "m"},
		},
		"keys with escapes": {
			`{"\u0063hoices":[{"d\u0065lta":{"\u0063ontent":"a"},"index":1}]}`,
			tpot.Event{Kind: tpot.KindText | choices, Choice: 1},
		},
		"strings with escapes": {
			`{"model":"a\/b \"c\" \u00e9 \ud83d\udeb2","choices":[{"finish_reason":"\u0073top"}],"error":{"type":"\u006cate"}}`,
			tpot.Event{
				Kind: tpot.KindFinish | tpot.KindError | choices, Model: `a/b "c" é 🚲`, FinishReason: "stop", ErrorType: "late",
			},
		},
		"a type with escapes": {
			`{"type":"mess\u0061ge_stop"}`,
			tpot.Event{Kind: tpot.KindDone | marked},
		},
		"the last of each member that is there twice": {
			`{"model":"a","model":"b","choices":[{"index":1,"index":2,"finish_reason":"stop","finish_reason":null,` +
				`"delta":{"content":"x","content":"","reasoning":"","reasoning":"y"}}]}`,
			tpot.Event{Kind: tpot.KindReasoning | choices, Choice: 2, Model: "b"},
		},
		"unknown members of every type": {
			`{"a":{"b":[{"c":null},[[]],{}]},"choices":[{"d":[1,-2.5e+3,true],"delta":{"e":{"content":"no"}},"f":false}],` +
				`"g":"\"}]","h":0}`,
			tpot.Event{Kind: choices},
		},
		"known members of other types": {
			`{"model":1,"usage":[],"error":false,"object":{},"type":[],"code":{},"choices":[{"index":"1","delta":"text",` +
				`"finish_reason":{},"text":1,"token_ids":2},{"delta":{"content":{"text":"no"},"role":1,"tool_calls":{},` +
				`"reasoning":["no"],"audio":"no","function_call":1,"refusal":true}},null]}`,
			tpot.Event{Kind: choices},
		},
		"names in other letters": {
			`{"choices":[{"Delta":{"content":"a"},"delta":{"Content":"a"}}],"Model":"m"}`,
			tpot.Event{Kind: choices},
		},
		"invalid UTF-8": {
			"{\"model\":\"a\xffb\",\"choices\":[]}",
			tpot.Event{Kind: tpot.KindStatus | marked, Model: "a\xffb"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := wire.Classify(c.event)
			assert.True(t, ok)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestMalformedJSON(t *testing.T) {
	_, ok := wire.Classify(whole)
	require.True(t, ok)

	t.Run("cut anywhere", func(t *testing.T) {
		for i := range len(whole) {
			refused(t, whole[:i])
		}
	})
	t.Run("without one of its marks", func(t *testing.T) {
		for i := range len(whole) {
			if strings.IndexByte(`{}[]":`, whole[i]) >= 0 {
				refused(t, whole[:i]+whole[i+1:])
			}
		}
	})
	t.Run("with more after it", func(t *testing.T) {
		for _, rest := range []string{"}", "]", ",", "x", "0", "{}", " {}", "\x00", "\v", "\u00a0"} {
			refused(t, whole+rest)
		}
	})
	t.Run("with more before it", func(t *testing.T) {
		for _, start := range []string{"\ufeff", "x", "data: ", "\x00", "\v", "["} {
			refused(t, start+whole)
		}
	})
	t.Run("that nothing closes, on a path that is read", func(t *testing.T) {
		for _, start := range []string{"[", `{"a":`, `[{"a":`, `[{"delta":{"content":`, `[{"delta":{"tool_calls":`} {
			refused(t, `{"choices":`+strings.Repeat(start, 1e6))
			refused(t, strings.Repeat(start, 1e6))
		}
		refused(t, `{"choices":[{"delta":{"content":[`+strings.Repeat(`{"thinking":[`, 4e6))
	})
}

func TestUnknownShapes(t *testing.T) {
	for _, data := range []string{
		`{"model":"m","created":1}`,
		`{"type":"responses.output_text.delta","delta":"a"}`, `{"type":"response","delta":"a"}`, `{"type":"content_delta"}`,
		`{"candidates":{"content":{"parts":[{"text":"a"}]}}}`, `{"usageMetadata":null}`, `{"promptFeedback":[]}`,
		`{"text_output":["a"]}`, `{"text":"a","meta_info":null}`, `{"token":1,"details":{}}`, `{"error_type":"a"}`,
		`{"content":"a"}`, `{"content":"a","stop":null}`, `{"content":null,"stop":false}`, `{"stop":true}`,
		`{"generation":null}`, `{"outputText":null}`, `{"outputs":{}}`, `{"outputs":null}`,
		`{"metadata":{}}`, `{"metadata":{"usage":[]}}`, `{"contentBlockDelta":"a"}`, `{"messageStop":null}`,
		`{"timings":{}}`, `{"metrics":{}}`, `{"x_groq":{}}`, `{"amazon-bedrock-invocationMetrics":{}}`,
		`{"model":"m","usage":{"prompt_tokens":1}}`,
		`{"choices":1}`, `{"choices":{}}`,
		`{"message":{"content":"a"}}`, `{"message":"a","done":true}`, `{"message":{},"done":null}`, `{"message":{},"done":"true"}`,
		`{"response":"a"}`, `{"response":{},"done":true}`,
		`{"error":null}`, `{"error":""}`, `{"error":false}`, `{"error":[]}`,
	} {
		refused(t, data)
	}
}

func refused(t *testing.T, data string) {
	t.Helper()
	got, ok := wire.Classify(data)
	assert.False(t, ok, "%.200q", data)
	assert.Zero(t, got, "%.200q", data)
}

func TestErrors(t *testing.T) {
	for event, want := range map[string]string{
		`{"error":{"message":"m","type":"server_error","code":"busy"}}`:                   "server_error",
		`{"error":{"message":"m","type":null,"code":"busy"}}`:                             "busy",
		`{"error":{"code":"busy","type":""}}`:                                             "busy",
		`{"error":{"code":502,"message":"m"}}`:                                            "502",
		`{"error":{"message":"m"}}`:                                                       "error",
		`{"error":{}}`:                                                                    "error",
		`{"error":"model not found"}`:                                                     "error",
		`{"object":"error","message":"m","type":"BadRequest","code":400}`:                 "BadRequest",
		`{"code":400,"message":"m","type":null,"object":"error"}`:                         "400",
		`{"object":"error","message":"m"}`:                                                "error",
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:              "overloaded_error",
		`{"type":"error"}`:                                                                "error",
		`{"choices":[{"delta":{"role":"assistant"},"finish_reason":"error"}]}`:            "error",
		`{"choices":[{"finish_reason":"error"}],"error":{"code":"upstream"}}`:             "upstream",
		`{"choices":[{"delta":{"role":"assistant"}}],"error":{"code":408}}`:               "408",
		`{"choices":[],"error":{"code":408}}`:                                             "408",
		`{"model":"m","message":{"content":"a"},"done":false,"error":"the runner broke"}`: "error",
	} {
		got, ok := wire.Classify(event)
		assert.True(t, ok, event)
		assert.Equal(t, want, got.ErrorType, event)
		assert.Equal(t, tpot.KindError|marked, got.Kind&(tpot.KindError|marked), event)
		assert.Zero(t, got.Kind&tpot.KindRole, "no role beside an error: %s", event)
	}
}

func TestEveryDeltaOfResponses(t *testing.T) {
	for name, want := range responseOutputs {
		for payload, want := range map[string]tpot.Kind{"a": want, "": 0} {
			event := strings.ReplaceAll(`{"type":"`+name+`","delta":"*","audio":"*","b64_json":"*","partial_image_b64":"*"}`, "*", payload)
			got, ok := wire.Classify(event)
			assert.True(t, ok)
			assert.Equal(t, want, got.Kind&(tpot.KindGenerated|tpot.KindSummary), event)
		}
	}
}
