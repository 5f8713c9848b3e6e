package llmtest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestGeminiEvents(t *testing.T) {
	chunk := func(part, finish, usage string) string {
		return `{"candidates":[{"content":{"parts":[` + part + `],"role":"model"},` + finish + `"index":0}],` +
			`"usageMetadata":{"promptTokenCount":9,` + usage + `},"modelVersion":"m","responseId":"g-1"}`
	}
	g := llmtest.Gemini{Model: "m", Usage: llmtest.Usage{Input: 9}}
	for _, step := range []struct { // in the order in which they count
		what string
		built
	}{
		{"nothing yet", built{g.Text(""), "", "", chunk(`{"text":""}`, "", `"totalTokenCount":9`)}},
		{"no thought", built{g.Reasoning(""), "", "", chunk(`{"text":"","thought":true}`, "", `"totalTokenCount":9`)}},
		{"reasoning", built{g.Reasoning("hm"), llmtest.KindReasoning, "",
			chunk(`{"text":"hm","thought":true}`, "", `"totalTokenCount":10,"thoughtsTokenCount":1`)}},
		{"text", built{g.Text("Hi \"é\"\n"), llmtest.KindText, "",
			chunk(`{"text":"Hi \"é\"\n"}`, "", `"candidatesTokenCount":1,"totalTokenCount":11,"thoughtsTokenCount":1`)}},
		{"tool call", built{g.ToolCall("f", `{"a":1}`), llmtest.KindTool, "",
			chunk(`{"functionCall":{"name":"f","args":{"a":1}}}`, "",
				`"candidatesTokenCount":2,"totalTokenCount":12,"thoughtsTokenCount":1`)}},
		{"finish", built{g.Finish("STOP", "."), llmtest.KindText, "",
			chunk(`{"text":"."}`, `"finishReason":"STOP",`,
				`"candidatesTokenCount":3,"totalTokenCount":13,"thoughtsTokenCount":1`)}},
		{"finish alone", built{g.Finish("STOP", ""), "", "",
			chunk(`{"text":""}`, `"finishReason":"STOP",`,
				`"candidatesTokenCount":3,"totalTokenCount":13,"thoughtsTokenCount":1`)}},
		{"error", built{g.Error(503, "UNAVAILABLE", "oh"), "", "",
			`{"error":{"code":503,"message":"oh","status":"UNAVAILABLE"}}`}},
	} {
		check(t, map[string]built{step.what: step.built}, fromCRLF)
	}
	assert.Equal(t, llmtest.Usage{Input: 9, Output: 4, Reasoning: 1}, g.Usage)
	assert.Panics(t, func() { g.ToolCall("f", `{`) })
	zero := llmtest.Gemini{}
	assert.Contains(t, string(zero.Text("x").Bytes), `"modelVersion":"ex-gemini-1"`)
}

// fromCRLF is fromSSE for lines that end with CRLF.
func fromCRLF(t *testing.T, frame string) (name, json string) {
	t.Helper()
	require.Equal(t, strings.Count(frame, "\n"), strings.Count(frame, "\r\n"))
	return fromSSE(t, strings.ReplaceAll(frame, "\r\n", "\n"))
}

func TestGeminiRebuildsItsCapture(t *testing.T) {
	g := llmtest.Gemini{Usage: llmtest.Usage{Input: 12}}
	more := func(output, reasoning int) *llmtest.Gemini { // for what stands for one token more than that
		g.Usage.Output += output
		g.Usage.Reasoning += reasoning
		return &g
	}
	assert.Equal(t, captured(t, "gemini_sse_thoughts"), events(
		more(23, 23).Reasoning("**Picking a colour**\n\n"),
		more(12, 12).Reasoning("Something calm."),
		more(2, 0).Text("Slate blue"),
		more(4, 0).Text(" suits a quiet room"),
		g.Finish("STOP", "."),
	))
}
