package llmtest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestCohereEvents(t *testing.T) {
	co := llmtest.Cohere{Index: 2}
	message := func(name, m string) string {
		return `{"type":"` + name + `","index":2,"delta":{"message":` + m + `}}`
	}
	check(t, map[string]built{
		"start": {co.Start(), "", "message-start", `{"type":"message-start","id":"c-1","delta":{"message":` +
			`{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`},
		"text block": {co.OpenText(), "", "content-start",
			message("content-start", `{"content":{"type":"text","text":""}}`)},
		"reasoning block": {co.OpenReasoning(), "", "content-start",
			message("content-start", `{"content":{"type":"thinking","thinking":""}}`)},
		"reasoning": {co.Reasoning("hm"), llmtest.KindReasoning, "content-delta",
			message("content-delta", `{"content":{"thinking":"hm"}}`)},
		"text": {co.Text("Hi \"é\"\n"), llmtest.KindText, "content-delta",
			message("content-delta", `{"content":{"text":"Hi \"é\"\n"}}`)},
		"empty text": {co.Text(""), "", "content-delta", message("content-delta", `{"content":{"text":""}}`)},
		"close":      {co.Close(), "", "content-end", `{"type":"content-end","index":2}`},
		"tool plan": {co.ToolPlan("I look."), llmtest.KindReasoning, "tool-plan-delta",
			`{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I look."}}}`},
		"empty tool plan": {co.ToolPlan(""), "", "tool-plan-delta",
			`{"type":"tool-plan-delta","delta":{"message":{"tool_plan":""}}}`},
		"tool block": {co.OpenTool("t1", "f"), "", "tool-call-start", message("tool-call-start",
			`{"tool_calls":{"id":"t1","type":"function","function":{"name":"f","arguments":""}}}`)},
		"tool arguments": {co.ToolArguments(`{"a"`), llmtest.KindTool, "tool-call-delta",
			message("tool-call-delta", `{"tool_calls":{"function":{"arguments":"{\"a\""}}}`)},
		"close tool": {co.CloseTool(), "", "tool-call-end", `{"type":"tool-call-end","index":2}`},
		"finish": {co.Finish("COMPLETE", usage), "", "message-end", `{"type":"message-end","id":"c-1",` +
			`"delta":{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":9,"output_tokens":5},` +
			`"tokens":{"input_tokens":9,"output_tokens":5}}}}`},
		"error": {co.Error("oh"), "", "message-end",
			`{"type":"message-end","id":"c-1","delta":{"error":"oh","finish_reason":"ERROR"}}`},
	}, fromSSE)
	assert.Equal(t, "data: [DONE]\n\n", string(co.Done().Bytes))
	assert.Contains(t, string(llmtest.Cohere{}.Close().Bytes), `"index":0`)
}

// TestCohereRebuildsItsCapture takes the citations from the capture, and leaves out the tokens that are billed: fewer there
// than there are.
func TestCohereRebuildsItsCapture(t *testing.T) {
	want := captured(t, "cohere_v2_chat")
	from, to := strings.Index(want, "event: citation-start"), strings.Index(want, "event: content-delta\ndata: "+
		`{"type":"content-delta","index":1,"delta":{"message":{"content":{"text":"."}}}}`)
	thoughts, answer := llmtest.Cohere{}, llmtest.Cohere{Index: 1}
	got := events(
		thoughts.Start(),
		thoughts.OpenReasoning(), thoughts.Reasoning("Recall the source."), thoughts.Close(),
		answer.OpenText(), answer.Text("Owls"), answer.Text(" hunt at night"),
		llmtest.Raw(want[from:to]),
		answer.Text("."), answer.Close(),
		answer.Finish("COMPLETE", llmtest.Usage{Input: 74, Output: 13}), answer.Done(),
	)
	got = strings.Replace(got, `"billed_units":{"input_tokens":74,"output_tokens":13}`,
		`"billed_units":{"input_tokens":7,"output_tokens":11}`, 1)
	assert.Equal(t, want, got)
}
