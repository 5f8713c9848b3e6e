package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// OpenAIChat is OpenAI's chat completions.
func OpenAIChat() Wire {
	var ai llmtest.OpenAI
	return Wire{
		Begin:   llmtest.SSE,
		Opening: func() []llmtest.Event { return []llmtest.Event{ai.Role()} },
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return ai.Reasoning(text)
			}
			return ai.Text(text)
		},
		Closing: func(u llmtest.Usage) []llmtest.Event {
			return []llmtest.Event{ai.Finish("stop"), ai.Usage(u), ai.Done()}
		},
		Error:        func() llmtest.Event { return ai.Error("server_error", "The server had an error.") },
		Refusal:      refusal(openAIError("rate_limit_exceeded")),
		Request:      tpot.Request{Operation: "chat", Provider: "openai", ServerAddress: "api.openai.com", ServerPort: 443},
		Comment:      comment,
		Asks:         `"include_usage":true`,
		Format:       "openai",
		Model:        "ex-mini-1",
		FinishReason: "stop",
		ErrorType:    "server_error",
	}
}

// OpenAIChatUnasked is OpenAI's chat completions for a request that does not ask for usage.
func OpenAIChatUnasked() Wire {
	var ai llmtest.OpenAI
	w := OpenAIChat()
	w.Unasked = true
	w.Closing = func(llmtest.Usage) []llmtest.Event { return []llmtest.Event{ai.Finish("stop"), ai.Done()} }
	return w
}

func openAIError(kind string) any {
	return map[string]any{"error": map[string]any{"message": "no", "type": kind, "param": nil, "code": kind}}
}
