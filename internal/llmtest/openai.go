package llmtest

import "cmp"

// OpenAI builds the events of OpenAI's chat completions stream. Each method is one event. The zero value is ready; a
// response of several choices interleaves the events of several values.
type OpenAI struct {
	Model  string // zero: "ex-mini-1"
	Choice int    // index of the choice that the events belong to
}

// Role is the event that a choice opens with.
func (o OpenAI) Role() Event {
	empty := ""
	return Event{Bytes: o.chunk(openAIDelta{Role: "assistant", Content: &empty}, nil)}
}

// Reasoning is a piece of reasoning, as reasoning_content.
func (o OpenAI) Reasoning(text string) Event {
	return generated(KindReasoning, text, o.chunk(openAIDelta{ReasoningContent: text}, nil))
}

// Text is a piece of the answer.
func (o OpenAI) Text(text string) Event {
	return generated(KindText, text, o.chunk(openAIDelta{Content: &text}, nil))
}

// ToolCall opens the call of a tool. It has no arguments yet and generates nothing.
func (o OpenAI) ToolCall(id, name string) Event {
	return Event{Bytes: o.tool(openAITool{ID: id, Type: "function", Function: openAIFunction{Name: name}})}
}

// ToolArguments is a piece of the opened tool call's arguments.
func (o OpenAI) ToolArguments(piece string) Event {
	return generated(KindTool, piece, o.tool(openAITool{Function: openAIFunction{Arguments: piece}}))
}

// Finish gives the reason why the choice ended.
func (o OpenAI) Finish(reason string) Event { return Event{Bytes: o.chunk(openAIDelta{}, &reason)} }

// Usage is the event that reports the token counts of the whole response. It has no choices.
func (o OpenAI) Usage(u Usage) Event {
	usage := openAIUsage{PromptTokens: u.Input, CompletionTokens: u.Output, TotalTokens: u.Input + u.Output}
	usage.CompletionTokensDetails.ReasoningTokens = u.Reasoning
	return Event{Bytes: o.event([]openAIChoice{}, &usage)}
}

// Error is an error inside a stream whose status was 200.
func (o OpenAI) Error(kind, text string) Event {
	return Event{Bytes: framed("", map[string]any{"error": failure{Type: kind, Message: text}})}
}

// Done is the end marker.
func (o OpenAI) Done() Event { return Raw("data: [DONE]\n\n") }

func (o OpenAI) tool(call openAITool) []byte {
	return o.chunk(openAIDelta{ToolCalls: []openAITool{call}}, nil)
}

func (o OpenAI) chunk(delta openAIDelta, finish *string) []byte {
	return o.event([]openAIChoice{{Index: o.Choice, Delta: delta, FinishReason: finish}}, nil)
}

func (o OpenAI) event(choices []openAIChoice, usage *openAIUsage) []byte {
	return framed("", openAIChunk{
		ID:      "chatcmpl-1",
		Object:  "chat.completion.chunk",
		Created: 1764500000,
		Model:   cmp.Or(o.Model, "ex-mini-1"),
		Choices: choices,
		Usage:   usage,
	})
}

// The wire's shapes, members in the order in which OpenAI sends them.
type (
	openAIChunk struct {
		ID      string         `json:"id"`
		Object  string         `json:"object"`
		Created int64          `json:"created"`
		Model   string         `json:"model"`
		Choices []openAIChoice `json:"choices"`
		Usage   *openAIUsage   `json:"usage,omitempty"`
	}
	openAIChoice struct {
		Index        int         `json:"index"`
		Delta        openAIDelta `json:"delta"`
		FinishReason *string     `json:"finish_reason"`
	}
	openAIDelta struct {
		Role             string       `json:"role,omitempty"`
		ReasoningContent string       `json:"reasoning_content,omitempty"`
		Content          *string      `json:"content,omitempty"`
		ToolCalls        []openAITool `json:"tool_calls,omitempty"`
	}
	openAITool struct {
		Index    int            `json:"index"`
		ID       string         `json:"id,omitempty"`
		Type     string         `json:"type,omitempty"`
		Function openAIFunction `json:"function"`
	}
	openAIFunction struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	openAIUsage struct {
		PromptTokens            int `json:"prompt_tokens"`
		CompletionTokens        int `json:"completion_tokens"`
		TotalTokens             int `json:"total_tokens"`
		CompletionTokensDetails struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
)

// failure is an error object, the same on the wires of OpenAI and Anthropic.
type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}
