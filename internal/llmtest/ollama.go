package llmtest

import (
	"cmp"
	"encoding/json"
	"time"
)

// Ollama builds the lines of the stream of Ollama's /api/chat. Each method is one line. The zero value is ready.
type Ollama struct {
	Model string // zero: "tiny"
}

// Reasoning is a piece of reasoning, as thinking.
func (o Ollama) Reasoning(text string) Event {
	return generated(KindReasoning, text, o.line(ollamaLine{Message: ollamaMessage{Thinking: text}}))
}

// Text is a piece of the answer.
func (o Ollama) Text(text string) Event {
	return generated(KindText, text, o.line(ollamaLine{Message: ollamaMessage{Content: text}}))
}

// ToolCall is a whole tool call, arguments included, which must be JSON.
func (o Ollama) ToolCall(name, arguments string) Event {
	call := ollamaTool{Function: ollamaFunction{Name: name, Arguments: json.RawMessage(arguments)}}
	return generated(KindTool, arguments, o.line(ollamaLine{Message: ollamaMessage{ToolCalls: []ollamaTool{call}}}))
}

// Done is the last line: the reason why the answer ended and the token counts, of which Ollama has no Reasoning.
func (o Ollama) Done(reason string, u Usage) Event {
	return Event{Bytes: o.line(ollamaLine{
		Done:            true,
		DoneReason:      reason,
		PromptEvalCount: u.Input,
		EvalCount:       u.Output,
	})}
}

// Error is an error inside a stream whose status was 200.
func (o Ollama) Error(text string) Event {
	return Event{Bytes: append(encode(map[string]string{"error": text}), '\n')}
}

func (o Ollama) line(l ollamaLine) []byte {
	l.Model = cmp.Or(o.Model, "tiny")
	l.CreatedAt = time.Unix(1764500000, 0).UTC()
	l.Message.Role = "assistant"
	return append(encode(l), '\n')
}

// The wire's shapes, members in the order in which Ollama sends them.
type (
	ollamaLine struct {
		Model           string        `json:"model"`
		CreatedAt       time.Time     `json:"created_at"`
		Message         ollamaMessage `json:"message"`
		Done            bool          `json:"done"`
		DoneReason      string        `json:"done_reason,omitempty"`
		PromptEvalCount int           `json:"prompt_eval_count,omitempty"`
		EvalCount       int           `json:"eval_count,omitempty"`
	}
	ollamaMessage struct {
		Role      string       `json:"role"`
		Content   string       `json:"content"`
		Thinking  string       `json:"thinking,omitempty"`
		ToolCalls []ollamaTool `json:"tool_calls,omitempty"`
	}
	ollamaTool struct {
		Function ollamaFunction `json:"function"`
	}
	ollamaFunction struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
)
