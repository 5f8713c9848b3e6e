package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// Gemini is Gemini's streamGenerateContent, with a summary of its thoughts first. Usage is on every event.
func Gemini() Wire {
	ai := llmtest.Gemini{Usage: llmtest.Usage{Input: input}}
	return Wire{
		Begin: llmtest.SSE,
		Piece: func(kind llmtest.Kind, text string, soFar llmtest.Usage) llmtest.Event {
			ai.Usage = soFar
			ai.Usage.Output-- // which the builder adds
			if kind == llmtest.KindReasoning {
				ai.Usage.Reasoning--
				return ai.Reasoning(text)
			}
			return ai.Text(text)
		},
		Closing: func(llmtest.Usage) []llmtest.Event { return []llmtest.Event{ai.Finish("STOP", "")} },
		Error:   func() llmtest.Event { return ai.Error(503, "UNAVAILABLE", "The model is overloaded.") },
		Refusal: refusal(map[string]any{"error": map[string]any{"code": 429, "message": "no", "status": "RESOURCE_EXHAUSTED"}}),

		Running:      true,
		Summary:      true,
		Request:      tpot.Request{Operation: "generate_content", Provider: "gcp.gemini", ServerAddress: "generativelanguage.googleapis.com", ServerPort: 443},
		Comment:      comment,
		Format:       "gemini",
		Model:        "ex-gemini-1",
		FinishReason: "STOP",
		ErrorType:    "503",
	}
}
