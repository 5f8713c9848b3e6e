package llmtest_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestOpenAIResponsesEvents(t *testing.T) {
	response := func(status, failure, output, usage string) string {
		return `"response":{"id":"resp_1","object":"response","created_at":1764500000,"status":"` + status + `","error":` + failure +
			`,"incomplete_details":null,"model":"m","output":` + output + `,"usage":` + usage + `}}`
	}
	const (
		summary = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Wait"}]}`
		thought = `{"id":"rs_2","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`
		answer  = `{"id":"msg_3","type":"message","status":"completed",` +
			`"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi \"é\"\n"}],"role":"assistant"}`
		call = `{"id":"fc_4","type":"function_call","status":"completed","arguments":"{\"a\":1}","call_id":"c1","name":"f"}`
	)
	ai := llmtest.OpenAIResponses{Model: "m"}
	for _, step := range []struct {
		what  string
		event llmtest.Event
		kind  llmtest.Kind
		want  []string // the events' JSON
	}{
		{"start", ai.Start(), "", []string{
			`{"type":"response.created","sequence_number":0,` + response("in_progress", "null", "[]", "null"),
			`{"type":"response.in_progress","sequence_number":1,` + response("in_progress", "null", "[]", "null"),
		}},
		{"open summary", ai.OpenSummary(), "", []string{
			`{"type":"response.output_item.added","sequence_number":2,"output_index":0,` +
				`"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
			`{"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_1","output_index":0,` +
				`"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		}},
		{"summary", ai.Reasoning("Wa"), llmtest.KindReasoning, []string{
			`{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_1","output_index":0,` +
				`"summary_index":0,"delta":"Wa"}`,
		}},
		{"more summary", ai.Reasoning("it"), llmtest.KindReasoning, []string{
			`{"type":"response.reasoning_summary_text.delta","sequence_number":5,"item_id":"rs_1","output_index":0,` +
				`"summary_index":0,"delta":"it"}`,
		}},
		{"close summary", ai.Close(), "", []string{
			`{"type":"response.reasoning_summary_text.done","sequence_number":6,"item_id":"rs_1","output_index":0,` +
				`"summary_index":0,"text":"Wait"}`,
			`{"type":"response.reasoning_summary_part.done","sequence_number":7,"item_id":"rs_1","output_index":0,` +
				`"summary_index":0,"part":{"type":"summary_text","text":"Wait"}}`,
			`{"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":` + summary + `}`,
		}},
		{"open reasoning", ai.OpenReasoning(), "", []string{
			`{"type":"response.output_item.added","sequence_number":9,"output_index":1,` +
				`"item":{"id":"rs_2","type":"reasoning","summary":[],"content":[]}}`,
			`{"type":"response.content_part.added","sequence_number":10,"item_id":"rs_2","output_index":1,` +
				`"content_index":0,"part":{"type":"reasoning_text","text":""}}`,
		}},
		{"reasoning", ai.Reasoning("hm"), llmtest.KindReasoning, []string{
			`{"type":"response.reasoning_text.delta","sequence_number":11,"item_id":"rs_2","output_index":1,` +
				`"content_index":0,"delta":"hm"}`,
		}},
		{"close reasoning", ai.Close(), "", []string{
			`{"type":"response.reasoning_text.done","sequence_number":12,"item_id":"rs_2","output_index":1,` +
				`"content_index":0,"text":"hm"}`,
			`{"type":"response.content_part.done","sequence_number":13,"item_id":"rs_2","output_index":1,` +
				`"content_index":0,"part":{"type":"reasoning_text","text":"hm"}}`,
			`{"type":"response.output_item.done","sequence_number":14,"output_index":1,"item":` + thought + `}`,
		}},
		{"open text", ai.OpenText(), "", []string{
			`{"type":"response.output_item.added","sequence_number":15,"output_index":2,` +
				`"item":{"id":"msg_3","type":"message","status":"in_progress","content":[],"role":"assistant"}}`,
			`{"type":"response.content_part.added","sequence_number":16,"item_id":"msg_3","output_index":2,"content_index":0,` +
				`"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}}`,
		}},
		{"empty text", ai.Text(""), "", []string{
			`{"type":"response.output_text.delta","sequence_number":17,"item_id":"msg_3","output_index":2,"content_index":0,` +
				`"delta":"","logprobs":[]}`,
		}},
		{"text", ai.Text("Hi \"é\"\n"), llmtest.KindText, []string{
			`{"type":"response.output_text.delta","sequence_number":18,"item_id":"msg_3","output_index":2,"content_index":0,` +
				`"delta":"Hi \"é\"\n","logprobs":[]}`,
		}},
		{"close text", ai.Close(), "", []string{
			`{"type":"response.output_text.done","sequence_number":19,"item_id":"msg_3","output_index":2,"content_index":0,` +
				`"text":"Hi \"é\"\n","logprobs":[]}`,
			`{"type":"response.content_part.done","sequence_number":20,"item_id":"msg_3","output_index":2,"content_index":0,` +
				`"part":{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi \"é\"\n"}}`,
			`{"type":"response.output_item.done","sequence_number":21,"output_index":2,"item":` + answer + `}`,
		}},
		{"open tool", ai.OpenTool("c1", "f"), "", []string{
			`{"type":"response.output_item.added","sequence_number":22,"output_index":3,"item":{"id":"fc_4",` +
				`"type":"function_call","status":"in_progress","arguments":"","call_id":"c1","name":"f"}}`,
		}},
		{"tool arguments", ai.ToolArguments(`{"a":1}`), llmtest.KindTool, []string{
			`{"type":"response.function_call_arguments.delta","sequence_number":23,"item_id":"fc_4","output_index":3,` +
				`"delta":"{\"a\":1}"}`,
		}},
		{"close tool", ai.Close(), "", []string{
			`{"type":"response.function_call_arguments.done","sequence_number":24,"item_id":"fc_4","output_index":3,` +
				`"name":"f","arguments":"{\"a\":1}"}`,
			`{"type":"response.output_item.done","sequence_number":25,"output_index":3,"item":` + call + `}`,
		}},
		{"done", ai.Done(usage), "", []string{
			`{"type":"response.completed","sequence_number":26,` +
				response("completed", "null", "["+summary+","+thought+","+answer+","+call+"]",
					`{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,`+
						`"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14}`),
		}},
		{"failed", ai.Failed("server_error", "oh"), "", []string{
			`{"type":"response.failed","sequence_number":27,` +
				response("failed", `{"code":"server_error","message":"oh"}`, "["+summary+","+thought+","+answer+","+call+"]", "null"),
		}},
		{"error", ai.Error("server_error", "oh"), "", []string{
			`{"type":"error","code":"server_error","message":"oh","param":null,"sequence_number":28}`,
		}},
		{"after an error", ai.Failed("server_error", "oh"), "", []string{
			`{"type":"response.failed","sequence_number":29,` +
				response("failed", `{"code":"server_error","message":"oh"}`, "["+summary+","+thought+","+answer+","+call+"]", "null"),
		}},
	} {
		t.Run(step.what, func(t *testing.T) {
			var got []string
			for frame := range strings.SplitAfterSeq(strings.TrimSuffix(string(step.event.Bytes), "\n\n"), "\n\n") {
				name, text := fromSSE(t, strings.TrimSuffix(frame, "\n\n")+"\n\n")
				assert.True(t, json.Valid([]byte(text)))
				assert.Contains(t, text, `{"type":"`+name+`",`)
				got = append(got, text)
			}
			assert.Equal(t, step.want, got)
			assert.Equal(t, step.kind, step.event.Kind)
			if step.kind == "" {
				assert.Zero(t, step.event.Tokens)
			} else {
				assert.Equal(t, 1, step.event.Tokens)
			}
		})
	}
}

// TestOpenAIResponsesFollowsItsCapture compares the types of the events and their numbers.
func TestOpenAIResponsesFollowsItsCapture(t *testing.T) {
	ai := llmtest.OpenAIResponses{}
	built := events(ai.Start(),
		ai.OpenSummary(), ai.Reasoning("Weighing two"), ai.Reasoning(" routes"), ai.Close(),
		ai.OpenText(), ai.Text("Checking"), ai.Text(" the map"), ai.Close(),
		ai.OpenTool("call_9", "route"), ai.ToolArguments(`{"via":`), ai.ToolArguments(`"coast"}`), ai.Close(),
		ai.Done(llmtest.Usage{Input: 40, Output: 29, Reasoning: 18}))
	heads := regexp.MustCompile(`event: .*\ndata: \{"type":"[^"]*","sequence_number":\d+`)
	want := heads.FindAllString(captured(t, "openai_responses"), -1)
	require.Len(t, want, 22)
	assert.Equal(t, want, heads.FindAllString(built, -1))
}

func TestOpenAIResponsesWithoutTheItem(t *testing.T) {
	ai := llmtest.OpenAIResponses{}
	assert.Panics(t, func() { ai.Text("none is open") })
	ai.OpenTool("c1", "f")
	assert.Panics(t, func() { ai.Text("another is open") })
	ai.Close()
	assert.Panics(t, func() { ai.ToolArguments("it was closed") })
	assert.Panics(t, func() { ai.Close() })
}

func TestOpenAIResponsesModel(t *testing.T) {
	ai := llmtest.OpenAIResponses{}
	assert.Contains(t, string(ai.Start().Bytes), `"model":"ex-resp-1"`)
}
