package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// aFewEvents has one or more of each shape.
var aFewEvents = []string{
	`{"choices":[{"delta":{"content":"a \"b\"\n\u00e9"}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"a\":"}}]}}]}`,
	`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}}]}`,
	`{"choices":[{"delta":{"reasoning":"a","images":[{"type":"image_url"}],"audio":{"data":"a"}},"error":{"code":502}}],"model":"m"}`,
	`{"choices":[],"usage":{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":1}}}`,
	`{"choices":[{"usage":{"completion_tokens":3}}],"x_groq":{"id":"a","error":"a","usage":{"total_time":1.5,"queue_time":0.25}}}`,
	`{"choices":[{"index":1.5}],"usage":{"prompt_tokens":1e3,"completion_tokens":99999999999999999999}}`,
	`{"choices":[],"metrics":{"time_to_first_token_ms":1.5,"speculative_decoding":{"draft_tokens":1}}}`,
	`{"choices":[],"timings":{"prompt_n":1,"prompt_ms":20.25,"predicted_ms":1}}`,
	`{"object":"text_completion","choices":[{"text":"a","token_ids":[1,2]}]}`,
	`{"object":"error","type":"BadRequest","code":400}`,
	`{"type":"response.output_text.delta","delta":"a"}`,
	`{"type":"response.created","response":{"model":"m","status":"in_progress"}}`,
	`{"type":"response.completed","response":{"model":"m","incomplete_details":{"reason":"a"},"usage":{"output_tokens":3}}}`,
	`{"type":"image_generation.partial_image","b64_json":"a"}`,
	`{"type":"message_start","message":{"model":"m","content":[],"usage":{"input_tokens":1}}}`,
	`{"type":"content_block_start","content_block":{"type":"text","text":"a"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n"}}`,
	`{"type":"ping"}`,
	`{"type":"content-delta","delta":{"message":{"content":{"text":"a"}}}}`,
	`{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"output_tokens":3}}}}`,
	`{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"functionCall":{}},{"inlineData":{"data":"a"}}]}}],"usageMetadata":{"candidatesTokenCount":3}}`,
	`{"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"m"}`,
	`{"model":"m","created_at":"t","message":{"role":"assistant","content":"a","tool_calls":[{"function":{"arguments":{}}}]},"done":false}`,
	`{"model":"m","response":"","done":true,"done_reason":"stop","context":[1,2],"eval_count":1,"total_duration":5}`,
	`{"text":"a","meta_info":{"completion_tokens":1,"finish_reason":{"type":"stop"},"e2e_latency":1.5}}`,
	`{"token":{"text":"a","special":false},"details":{"finish_reason":"length","generated_tokens":3}}`,
	`{"error":"a","error_type":"overloaded"}`,
	`{"model_name":"m","text_output":"a\n"}`,
	`{"content":"a","stop":false}`,
	`{"content":"","stop":true,"stop_type":"eos","tokens_predicted":3}`,
	`{"generation":"a","generation_token_count":3,"stop_reason":"stop"}`,
	`{"outputText":"a","totalOutputTextTokenCount":3,"completionReason":"FINISH"}`,
	`{"outputs":[{"text":"a","stop_reason":"stop"}],"amazon-bedrock-invocationMetrics":{"invocationLatency":5}}`,
	`{"contentBlockDelta":{"delta":{"text":"a","toolUse":{"input":"a"},"reasoningContent":{"text":"a"}}}}`,
	`{"metadata":{"usage":{"outputTokens":3}}}`,
	`{"role":"assistant","content":"a","reasoning_content":"a","tool_calls":[{"function":{"arguments":"a"}}],"response_meta":{"usage":{"completion_tokens":1}}}`,
	`{"Done":false,"Chunk":{"aggregated":true,"content":[{"text":"a"},{"toolRequest":{"input":{}}}],"index":1,"role":"model"},"Response":null}`,
	`{"content":[{"reasoning":"a"}],"index":0,"role":"model"}`,
	`{"Done":true,"Chunk":null,"Response":{"finishReason":"stop","usage":{"outputTokens":3}}}`,
	`{"type":"tool_call","tool_call_input":"a","delta":""}`,
	`{"type":"finish","tool_call_input":"","delta":"","finish_reason":"stop","usage":{"output_tokens":3}}`,
	`{"Choices":[{"StopReason":"stop","GenerationInfo":{"CompletionTokens":3}}]}`,
	`{"error":{"type":"overloaded_error","code":500,"message":"m \"q\""}}`,
	`{"a":[{"b":null}]}`,
	`{"choices":[{"delta":{"content":"a"}}`,
}

func TestNoShapeAllocates(t *testing.T) {
	for _, event := range aFewEvents {
		assert.Zero(t, testing.AllocsPerRun(100, func() { wire.Classify(event) }), event)
	}
}

// TestAWarmParserAllocatesNothing feeds the same events again and again.
func TestAWarmParserAllocatesNothing(t *testing.T) {
	for _, event := range aFewEvents {
		for contentType, body := range map[string]string{
			sse: "event: x\ndata: " + event + "\n\n", ndjson: event + "\n", "application/json": event + ",\n", eventStream: chunk(event),
		} {
			start := map[string]string{sse: ":\n", ndjson: "{}\n", "application/json": "["}[contentType]
			assert.Zero(t, allocsOfFeed(t, contentType, start, []byte(body)), "%s: %s", contentType, event)
		}
	}
	for _, frame := range []string{
		textFrame, converse("messageStop", `{"stopReason":"end_turn"}`), converse("metadata", `{"usage":{"outputTokens":3},"metrics":{"latencyMs":5}}`),
		frame(headers(":message-type", "exception", ":exception-type", "throttlingException"), "{}"),
	} {
		assert.Zero(t, allocsOfFeed(t, eventStream, "", []byte(frame)), "%q", frame)
	}
	longModel := `data: {"choices":[],"model":"` + strings.Repeat("m", 300) + "\"}\n\n"
	for _, lines := range []string{longModel, ": waiting\n", "\n", "data:\n\n", "data: [DONE]\r\n\r\n", "data: {\"a\":\ndata: 5}\n\n", "event: error\ndata: a\n\n", oneLine + "\n"} {
		assert.Zero(t, allocsOfFeed(t, sse, ":\n", []byte(lines)), lines)
	}
}

// allocsOfFeed is how often a Parser that has had an event allocates for the next ones, whole and in two pieces.
func allocsOfFeed(t *testing.T, contentType, start string, body []byte) float64 {
	p := wire.NewParser(contentType, func(tpot.Event) {})
	p.Feed([]byte(start))
	feed := func() {
		p.Feed(body)
		p.Feed(body[:len(body)/2])
		p.Feed(body[len(body)/2:])
	}
	require.True(t, p.Streams())
	return testing.AllocsPerRun(100, feed)
}
