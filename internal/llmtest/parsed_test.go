package llmtest_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// TestWhatIsBuiltIsUnderstood has the parser of bodies read a response of each wire.
func TestWhatIsBuiltIsUnderstood(t *testing.T) {
	used := llmtest.Usage{Input: 9, Output: 4, Reasoning: 1}
	usage, usageWithoutReasoning := tpot.Usage{Input: 9, Output: 4, Reasoning: 1}, tpot.Usage{Input: 9, Output: 4}

	ai, an, ol := llmtest.OpenAI{}, llmtest.Anthropic{}, llmtest.Ollama{}
	re, reFailed, reError := llmtest.OpenAIResponses{}, llmtest.OpenAIResponses{}, llmtest.OpenAIResponses{}
	ge, geError := llmtest.Gemini{Usage: llmtest.Usage{Input: 9}}, llmtest.Gemini{Usage: llmtest.Usage{Input: 9}}
	co, br := llmtest.Cohere{}, llmtest.Converse{}

	for name, want := range map[string]struct {
		script llmtest.Script
		kinds  []string
		usage  tpot.Usage
		reason string
		failed string
	}{
		"openai": {
			script: llmtest.SSE().After(0, ai.Role(), ai.Reasoning("hm"), ai.Text("Hi"), ai.ToolCall("c1", "f"),
				ai.ToolArguments(`{`), ai.ToolArguments(`}`), ai.Finish("tool_calls"), ai.Usage(used), ai.Done()),
			kinds: []string{"role|choices", "reasoning|choices", "text|choices", "toolmeta|choices",
				"tool|choices", "tool|choices", "finish|choices", "usage", "done"},
			usage: usage, reason: "tool_calls",
		},
		"anthropic": {
			script: llmtest.SSE().After(0, an.Start(9), an.OpenReasoning(), an.Reasoning("hm"), an.Close(), an.OpenText(),
				an.Text("Hi"), an.Close(), an.OpenTool("t1", "f"), an.ToolArguments(`{`), an.ToolArguments(`}`), an.Close(),
				an.Finish("tool_use", used), an.Done()),
			kinds: []string{"usage|status", "status", "reasoning", "status", "status", "text", "status", "status",
				"tool", "tool", "status", "finish|usage", "done"},
			usage: usage, reason: "tool_use",
		},
		"ollama": {
			script: llmtest.NDJSON().After(0, ol.Reasoning("hm"), ol.Text("Hi"), ol.ToolCall("f", "{}"), ol.Done("stop", used)),
			kinds:  []string{"reasoning", "text", "tool", "finish|usage|done"},
			usage:  usageWithoutReasoning, reason: "stop",
		},
		"responses": {
			script: llmtest.SSE().After(0, re.Start(), re.OpenSummary(), re.Reasoning("Wait"), re.Close(),
				re.OpenReasoning(), re.Reasoning("hm"), re.Close(), re.OpenText(), re.Text(""), re.Text("Hi"), re.Close(),
				re.OpenTool("c1", "f"), re.ToolArguments(`{}`), re.Close(), re.Done(used)),
			kinds: []string{"status", "status",
				"status", "status", "reasoning|summary", "status", "status", "status",
				"status", "status", "reasoning", "status", "status", "status",
				"status", "status", "status", "text", "status", "status", "status",
				"status", "tool", "status", "status",
				"finish|usage|done"},
			usage: usage, reason: "completed",
		},
		"responses that failed": {
			script: llmtest.SSE().After(0, reFailed.Start(), reFailed.OpenText(), reFailed.Text("Hi"),
				reFailed.Failed("server_error", "oh")),
			kinds:  []string{"status", "status", "status", "status", "text", "finish|done|error"},
			reason: "failed", failed: "server_error",
		},
		"responses with an error": {
			script: llmtest.SSE().After(0, reError.Start(), reError.Error("server_error", "oh")),
			kinds:  []string{"status", "status", "error"},
			failed: "server_error",
		},
		"gemini": {
			script: llmtest.SSE().After(0, ge.Reasoning("hm"), ge.Text("Hi"), ge.ToolCall("f", `{"a":1}`), ge.Finish("STOP", ".")),
			kinds:  []string{"reasoning|usage|summary", "text|usage", "tool|usage", "text|finish|usage"},
			usage:  usage, reason: "STOP",
		},
		"gemini with an error": {
			script: llmtest.SSE().After(0, geError.Text("Hi"), geError.Finish("STOP", ""), geError.Error(503, "UNAVAILABLE", "oh")),
			kinds:  []string{"text|usage", "finish|usage", "error"},
			usage:  tpot.Usage{Input: 9, Output: 1}, reason: "STOP", failed: "503",
		},
		"cohere": {
			script: llmtest.SSE().After(0, co.Start(), co.OpenReasoning(), co.Reasoning("hm"), co.Close(), co.OpenText(),
				co.Text("Hi"), co.Close(), co.ToolPlan("I look."), co.OpenTool("t1", "f"), co.ToolArguments(`{}`), co.CloseTool(),
				co.Finish("TOOL_CALL", used), co.Done()),
			kinds: []string{"status", "status", "reasoning", "status", "status", "text", "status",
				"reasoning", "status", "tool", "status", "finish|usage|done", "done"},
			usage: usageWithoutReasoning, reason: "TOOL_CALL",
		},
		"cohere with an error": {
			script: llmtest.SSE().After(0, co.Start(), co.Error("oh"), co.Done()),
			kinds:  []string{"status", "finish|done|error", "done"},
			reason: "ERROR", failed: "error",
		},
		"converse": {
			script: llmtest.AWSEventStream().After(0, br.Start(), br.Reasoning("hm"), br.Close(), br.Text("Hi"), br.Close(),
				br.OpenTool("t1", "f"), br.ToolArguments(""), br.ToolArguments(`{}`), br.Close(),
				br.Finish("tool_use"), br.Usage(used, 40*time.Millisecond)),
			kinds: []string{"status", "reasoning", "status", "text", "status",
				"status", "status", "tool", "status", "finish", "usage"},
			usage: usageWithoutReasoning, reason: "tool_use",
		},
		"converse with an exception": {
			script: llmtest.AWSEventStream().After(0, br.Start(), br.Text("Hi"), br.Error("throttlingException", "oh")),
			kinds:  []string{"status", "text", "error"},
			failed: "throttlingException",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var kinds []string
			var usage tpot.Usage
			var reason, failed string
			var generated tpot.Kind
			p := wire.NewParser(want.script.Header.Get("Content-Type"), func(e tpot.Event) {
				kinds = append(kinds, (e.Kind &^ tpot.KindMarked).String())
				generated |= e.Kind & tpot.KindGenerated
				if e.Kind&tpot.KindUsage != 0 {
					usage = e.Usage
				}
				reason, failed = reason+e.FinishReason, failed+e.ErrorType
			})
			for _, e := range want.script.Writes[0].Events {
				generated = 0
				p.Feed(e.Bytes)
				assert.Equal(t, cmp.Or(string(e.Kind), "none"), generated.String(), "%s", e.Bytes)
			}
			assert.True(t, p.Finish())
			assert.Equal(t, want.kinds, kinds)
			assert.Equal(t, want.usage, usage)
			assert.Equal(t, want.reason, reason)
			assert.Equal(t, want.failed, failed)
		})
	}
}
