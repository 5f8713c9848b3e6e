package llmtest

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// Gemini builds the events of Gemini's streamGenerateContent with alt=sse. Each method is one event. The zero value is
// ready. There is no end marker: the last event is [Gemini.Finish].
//
// One value is one response, whose token counts so far are on every event: one that generates output adds a token to them
// first. When it stands for several, the others are to be added to Usage before. It is not safe for concurrent use.
type Gemini struct {
	Model string // zero: "ex-gemini-1"
	Usage Usage  // as the last event had it
}

// Reasoning is a piece of a thought.
func (g *Gemini) Reasoning(text string) Event {
	if text != "" {
		g.Usage.Reasoning++
	}
	return g.event(KindReasoning, text, geminiPart{Text: &text, Thought: true}, "")
}

// Text is a piece of the answer.
func (g *Gemini) Text(text string) Event { return g.Finish("", text) }

// ToolCall is a whole tool call, arguments included, which must be JSON.
func (g *Gemini) ToolCall(name, arguments string) Event {
	call := &geminiCall{Name: name, Args: json.RawMessage(arguments)}
	return g.event(KindTool, arguments, geminiPart{FunctionCall: call}, "")
}

// Finish is the last piece of the answer, which may be empty, with the reason why it ended.
func (g *Gemini) Finish(reason, text string) Event {
	return g.event(KindText, text, geminiPart{Text: &text}, reason)
}

// Error is an error inside a stream whose status was 200. Code is what the status should have been, kind its name: 503 and
// UNAVAILABLE.
func (g *Gemini) Error(code int, kind, text string) Event {
	failure := geminiFailure{Code: code, Message: text, Status: kind}
	return Event{Bytes: crlf(framed("", map[string]any{"error": failure}))}
}

func (g *Gemini) event(k Kind, output string, part geminiPart, finish string) Event {
	if output != "" {
		g.Usage.Output++
	}
	chunk := geminiChunk{
		Candidates:    []geminiCandidate{{Content: geminiContent{Parts: []geminiPart{part}, Role: "model"}, FinishReason: finish}},
		UsageMetadata: newGeminiUsage(g.Usage),
		ModelVersion:  cmp.Or(g.Model, "ex-gemini-1"),
		ResponseID:    "g-1",
	}
	return generated(k, output, crlf(framed("", chunk)))
}

// crlf is an event with the line ends that Gemini has.
func crlf(event []byte) []byte { return bytes.ReplaceAll(event, []byte("\n"), []byte("\r\n")) }

// The wire's shapes, members in the order in which Gemini sends them.
type (
	geminiChunk struct {
		Candidates    []geminiCandidate `json:"candidates"`
		UsageMetadata geminiUsage       `json:"usageMetadata"`
		ModelVersion  string            `json:"modelVersion"`
		ResponseID    string            `json:"responseId"`
	}
	geminiCandidate struct {
		Content      geminiContent `json:"content"`
		FinishReason string        `json:"finishReason,omitempty"`
		Index        int           `json:"index"`
	}
	geminiContent struct {
		Parts []geminiPart `json:"parts"`
		Role  string       `json:"role"`
	}
	geminiPart struct {
		Text         *string     `json:"text,omitempty"`
		Thought      bool        `json:"thought,omitempty"`
		FunctionCall *geminiCall `json:"functionCall,omitempty"`
	}
	geminiCall struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	geminiUsage struct {
		PromptTokenCount     int `json:"promptTokenCount"`
		CandidatesTokenCount int `json:"candidatesTokenCount,omitempty"`
		TotalTokenCount      int `json:"totalTokenCount"`
		ThoughtsTokenCount   int `json:"thoughtsTokenCount,omitempty"`
	}
	geminiFailure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
	}
)

// newGeminiUsage counts the thoughts apart from the answer, as Gemini does.
func newGeminiUsage(u Usage) geminiUsage {
	return geminiUsage{
		PromptTokenCount:     u.Input,
		CandidatesTokenCount: u.Output - u.Reasoning,
		TotalTokenCount:      u.Input + u.Output,
		ThoughtsTokenCount:   u.Reasoning,
	}
}
