package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

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
		Closing:          func(u llmtest.Usage) []llmtest.Event { return []llmtest.Event{o.Done("stop", u)} },
		Error:            func() llmtest.Event { return o.Error("the model stopped") },
		Refusal:          refusal(map[string]string{"error": "no"}),
		NoReasoningCount: true,
		Request:          tpot.Request{Operation: "chat", Provider: "", ServerAddress: "llm.test", ServerPort: 80},
		Format:           "ollama",
		Model:            "tiny",
		FinishReason:     "stop",
		ErrorType:        "error",
	}
}
