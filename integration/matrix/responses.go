package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// OpenAIResponses is OpenAI's Responses, with a summary of the reasoning first.
func OpenAIResponses() Wire {
	var ai llmtest.OpenAIResponses
	return Wire{
		Begin:   llmtest.SSE,
		Opening: func() []llmtest.Event { return []llmtest.Event{ai.Start(), ai.OpenSummary()} },
		Turn:    func() []llmtest.Event { return []llmtest.Event{ai.Close(), ai.OpenText()} },
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return ai.Reasoning(text)
			}
			return ai.Text(text)
		},
		Closing:      func(u llmtest.Usage) []llmtest.Event { return []llmtest.Event{ai.Close(), ai.Done(u)} },
		Error:        func() llmtest.Event { return ai.Failed("server_error", "The server had an error.") },
		Refusal:      refusal(openAIError("rate_limit_exceeded")),
		Summary:      true,
		Request:      tpot.Request{Operation: "chat", Provider: "openai", ServerAddress: "api.openai.com", ServerPort: 443},
		Comment:      comment,
		Format:       "openai responses",
		Model:        "ex-resp-1",
		FinishReason: "completed",
		ErrorReason:  "failed",
		ErrorType:    "server_error",
	}
}
