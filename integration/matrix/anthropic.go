package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// AnthropicMessages is Anthropic's messages, with thinking first.
func AnthropicMessages() Wire {
	thinking, answer := llmtest.Anthropic{}, llmtest.Anthropic{Block: 1}
	return Wire{
		Begin: llmtest.SSE,
		Opening: func() []llmtest.Event {
			return []llmtest.Event{thinking.Start(input), thinking.Ping(), thinking.OpenReasoning()}
		},
		Turn: func() []llmtest.Event { return []llmtest.Event{thinking.Close(), answer.OpenText()} },
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return thinking.Reasoning(text)
			}
			return answer.Text(text)
		},
		Closing: func(u llmtest.Usage) []llmtest.Event {
			return []llmtest.Event{answer.Close(), answer.Finish("end_turn", u), answer.Done()}
		},
		Error:        func() llmtest.Event { return answer.Error("overloaded_error", "Overloaded") },
		Refusal:      refusal(map[string]any{"type": "error", "error": map[string]any{"type": "rate_limit_error", "message": "no"}}),
		Request:      tpot.Request{Operation: "chat", Provider: "anthropic", ServerAddress: "api.anthropic.com", ServerPort: 443},
		Comment:      comment,
		InputFirst:   true,
		Format:       "anthropic",
		Model:        "ex-claude-1",
		FinishReason: "end_turn",
		ErrorType:    "overloaded_error",
	}
}
