package matrix

import (
	"strings"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// ollamaTimes are in Ollama's last line, in nanoseconds.
const ollamaTimes = `"total_duration":1250000000,"eval_duration":1100000000,`

// OllamaChat is Ollama's own chat.
func OllamaChat() Wire {
	var o llmtest.Ollama
	return Wire{
		Begin: llmtest.NDJSON,
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return o.Reasoning(text)
			}
			return o.Text(text)
		},
		Closing: func(u llmtest.Usage) []llmtest.Event {
			done := string(o.Done("stop", u).Bytes)
			return []llmtest.Event{llmtest.Raw(strings.Replace(done, "{", "{"+ollamaTimes, 1))}
		},
		Error:            func() llmtest.Event { return o.Error("the model stopped") },
		Refusal:          refusal(map[string]string{"error": "no"}),
		NoReasoningCount: true,
		Request:          tpot.Request{Operation: "chat", ServerAddress: "llm.test", ServerPort: 80},
		Format:           "ollama",
		Model:            "tiny",
		Server: tpot.ServerTimings{
			Source: "ollama", Total: closingAt, Output: 1100 * ms, PromptTokens: input, OutputTokens: usage(len(pieces)).Output,
		},
		FinishReason: "stop",
		ErrorType:    "error",
	}
}
