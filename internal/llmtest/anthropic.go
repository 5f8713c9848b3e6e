package llmtest

import "cmp"

// Anthropic builds the events of Anthropic's messages stream. Each method is one event. The zero value is ready; the
// events of a later content block come from a value with that Block.
//
//	an := llmtest.Anthropic{}
//	an.Start(9), an.OpenText(), an.Text("Hel"), an.Text("lo"), an.Close(), an.Finish("end_turn", usage), an.Done()
type Anthropic struct {
	Model string // zero: "ex-claude-1"
	Block int    // index of the content block that the events belong to
}

// Start is message_start. Input is in tokens. The output tokens that it claims, one, mean nothing, as on the real wire.
func (a Anthropic) Start(input int) Event {
	return a.event("message_start", anthropicEvent{Message: &anthropicMessage{
		ID:      "msg_1",
		Type:    "message",
		Role:    "assistant",
		Model:   cmp.Or(a.Model, "ex-claude-1"),
		Content: []any{},
		Usage:   anthropicUsage{InputTokens: input, OutputTokens: 1},
	}})
}

// OpenText is the content_block_start of a block of text.
func (a Anthropic) OpenText() Event {
	return a.open(map[string]any{"type": "text", "text": ""})
}

// OpenReasoning is the content_block_start of a block of thinking.
func (a Anthropic) OpenReasoning() Event {
	return a.open(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
}

// OpenTool is the content_block_start of a tool call.
func (a Anthropic) OpenTool(id, name string) Event {
	return a.open(map[string]any{"type": "tool_use", "id": id, "name": name, "input": struct{}{}})
}

// Reasoning is a thinking_delta.
func (a Anthropic) Reasoning(text string) Event {
	return a.delta(KindReasoning, text, map[string]any{"type": "thinking_delta", "thinking": text})
}

// Text is a text_delta.
func (a Anthropic) Text(text string) Event {
	return a.delta(KindText, text, map[string]any{"type": "text_delta", "text": text})
}

// ToolArguments is an input_json_delta: a piece of the opened tool call's arguments.
func (a Anthropic) ToolArguments(piece string) Event {
	return a.delta(KindTool, piece, map[string]any{"type": "input_json_delta", "partial_json": piece})
}

// Close is content_block_stop.
func (a Anthropic) Close() Event {
	return a.event("content_block_stop", anthropicEvent{Index: &a.Block})
}

// Finish is message_delta: the reason why the message ended, and its usage.
func (a Anthropic) Finish(reason string, u Usage) Event {
	return a.event("message_delta", anthropicEvent{
		Delta: map[string]any{"stop_reason": reason, "stop_sequence": nil},
		Usage: newAnthropicUsage(u),
	})
}

// Done is message_stop, the end marker.
func (a Anthropic) Done() Event { return a.event("message_stop", anthropicEvent{}) }

// Ping is the keep-alive event.
func (a Anthropic) Ping() Event { return a.event("ping", anthropicEvent{}) }

// Error is an error inside a stream whose status was 200.
func (a Anthropic) Error(kind, text string) Event {
	return a.event("error", anthropicEvent{Error: &failure{Type: kind, Message: text}})
}

func (a Anthropic) open(block map[string]any) Event {
	return a.event("content_block_start", anthropicEvent{Index: &a.Block, ContentBlock: block})
}

func (a Anthropic) delta(k Kind, output string, delta map[string]any) Event {
	e := a.event("content_block_delta", anthropicEvent{Index: &a.Block, Delta: delta})
	return generated(k, output, e.Bytes)
}

func (a Anthropic) event(name string, e anthropicEvent) Event {
	e.Type = name
	return Event{Bytes: framed(name, e)}
}

// The wire's shapes, members in the order in which Anthropic sends them.
type (
	anthropicEvent struct {
		Type         string            `json:"type"`
		Index        *int              `json:"index,omitempty"`
		Message      *anthropicMessage `json:"message,omitempty"`
		ContentBlock map[string]any    `json:"content_block,omitempty"`
		Delta        map[string]any    `json:"delta,omitempty"`
		Usage        *anthropicUsage   `json:"usage,omitempty"`
		Error        *failure          `json:"error,omitempty"`
	}
	anthropicMessage struct {
		ID           string         `json:"id"`
		Type         string         `json:"type"`
		Role         string         `json:"role"`
		Model        string         `json:"model"`
		Content      []any          `json:"content"`
		StopReason   *string        `json:"stop_reason"`
		StopSequence *string        `json:"stop_sequence"`
		Usage        anthropicUsage `json:"usage"`
	}
	anthropicUsage struct {
		InputTokens         int               `json:"input_tokens"`
		OutputTokens        int               `json:"output_tokens"`
		OutputTokensDetails *anthropicDetails `json:"output_tokens_details,omitempty"`
	}
	anthropicDetails struct {
		ThinkingTokens int `json:"thinking_tokens"`
	}
)

func newAnthropicUsage(u Usage) *anthropicUsage {
	usage := &anthropicUsage{InputTokens: u.Input, OutputTokens: u.Output}
	if u.Reasoning > 0 {
		usage.OutputTokensDetails = &anthropicDetails{ThinkingTokens: u.Reasoning}
	}
	return usage
}
