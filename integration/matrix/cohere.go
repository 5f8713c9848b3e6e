package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// CohereChat is Cohere's chat, version 2, with thinking first.
func CohereChat() Wire {
	thinking, answer := llmtest.Cohere{}, llmtest.Cohere{Index: 1}
	return Wire{
		Begin:   llmtest.SSE,
		Opening: func() []llmtest.Event { return []llmtest.Event{thinking.Start(), thinking.OpenReasoning()} },
		Turn:    func() []llmtest.Event { return []llmtest.Event{thinking.Close(), answer.OpenText()} },
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return thinking.Reasoning(text)
			}
			return answer.Text(text)
		},
		Closing: func(u llmtest.Usage) []llmtest.Event {
			return []llmtest.Event{answer.Close(), answer.Finish("COMPLETE", u), answer.Done()}
		},
		Error:            func() llmtest.Event { return answer.Error("the model stopped") },
		Refusal:          refusal(map[string]string{"message": "no"}),
		NoReasoningCount: true,
		Request:          tpot.Request{Operation: "chat", Provider: "cohere", ServerAddress: "api.cohere.com", ServerPort: 443},
		Comment:          comment,
		Format:           "cohere",
		FinishReason:     "COMPLETE",
		ErrorReason:      "ERROR",
		ErrorType:        "error",
	}
}
