package matrix

import (
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// Converse is Amazon Bedrock's ConverseStream, with reasoning first.
func Converse() Wire {
	thinking, answer := llmtest.Converse{}, llmtest.Converse{Block: 1}
	return Wire{
		Begin:   llmtest.AWSEventStream,
		Opening: func() []llmtest.Event { return []llmtest.Event{thinking.Start()} },
		Turn:    func() []llmtest.Event { return []llmtest.Event{thinking.Close()} },
		Piece: func(kind llmtest.Kind, text string, _ llmtest.Usage) llmtest.Event {
			if kind == llmtest.KindReasoning {
				return thinking.Reasoning(text)
			}
			return answer.Text(text)
		},
		Closing: func(u llmtest.Usage) []llmtest.Event {
			return []llmtest.Event{answer.Close(), answer.Finish("end_turn"), answer.Usage(u, closingAt)}
		},
		Error:            func() llmtest.Event { return answer.Error("throttlingException", "Too many tokens.") },
		Refusal:          refusal(map[string]string{"message": "Too many requests."}),
		NoReasoningCount: true,
		Request:          tpot.Request{Operation: "chat", Provider: "aws.bedrock", ServerAddress: "bedrock-runtime.us-east-1.amazonaws.com", ServerPort: 443},
		Format:           "bedrock",
		Server:           tpot.ServerTimings{Source: "bedrock", Total: closingAt},
		FinishReason:     "end_turn",
		ErrorType:        "throttlingException",
	}
}
