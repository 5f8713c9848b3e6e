package llmtest

import "time"

// Converse builds the frames of Amazon Bedrock's ConverseStream, for an [AWSEventStream]. Each method is one frame. The zero
// value is ready; the frames of a later content block come from a value with that Block. There is no end marker: the last
// frame is [Converse.Usage].
//
//	br := llmtest.Converse{}
//	br.Start(), br.Text("Hel"), br.Text("lo"), br.Close(), br.Finish("end_turn"), br.Usage(usage, 400*time.Millisecond)
type Converse struct {
	Block int // index of the content block that the frames belong to
}

// Start is messageStart.
func (c Converse) Start() Event { return c.event("messageStart", converseEvent{Role: "assistant"}) }

// OpenTool is the contentBlockStart of a tool call. Blocks of text and of reasoning have none.
func (c Converse) OpenTool(id, name string) Event {
	start := &converseStart{ToolUse: converseTool{Name: name, ToolUseID: id}}
	return c.event("contentBlockStart", converseEvent{Block: &c.Block, Start: start})
}

// Reasoning is a contentBlockDelta of reasoning.
func (c Converse) Reasoning(text string) Event {
	return c.delta(KindReasoning, text, converseDelta{ReasoningContent: &converseReasoning{Text: text}})
}

// Text is a contentBlockDelta of text.
func (c Converse) Text(text string) Event {
	return c.delta(KindText, text, converseDelta{Text: &text})
}

// ToolArguments is a contentBlockDelta of a tool call: a piece of its arguments.
func (c Converse) ToolArguments(piece string) Event {
	return c.delta(KindTool, piece, converseDelta{ToolUse: &converseInput{Input: piece}})
}

// Close is contentBlockStop.
func (c Converse) Close() Event {
	return c.event("contentBlockStop", converseEvent{Block: &c.Block})
}

// Finish is messageStop: the reason why the message ended.
func (c Converse) Finish(reason string) Event {
	return c.event("messageStop", converseEvent{StopReason: reason})
}

// Usage is metadata, behind messageStop: the token counts, of which Converse has no Reasoning, and how long Bedrock says
// that it took, in whole milliseconds.
func (c Converse) Usage(u Usage, latency time.Duration) Event {
	return c.event("metadata", converseEvent{
		Metrics: &converseMetrics{LatencyMs: latency.Milliseconds()},
		Usage:   &converseUsage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Input + u.Output},
	})
}

// Error is the frame of an exception inside a stream whose status was 200. Kind is its name: throttlingException.
func (c Converse) Error(kind, text string) Event {
	payload := encode(map[string]string{"message": text})
	return Event{Bytes: frame(converseHeaders("exception", ":exception-type", kind), payload)}
}

func (c Converse) delta(k Kind, output string, delta converseDelta) Event {
	e := c.event("contentBlockDelta", converseEvent{Block: &c.Block, Delta: &delta})
	return generated(k, output, e.Bytes)
}

func (c Converse) event(name string, e converseEvent) Event {
	return Event{Bytes: frame(converseHeaders("event", ":event-type", name), encode(e))}
}

func converseHeaders(message, nameOf, name string) []header {
	return []header{{nameOf, name}, {":content-type", "application/json"}, {":message-type", message}}
}

// The wire's shapes, members in the order in which Bedrock sends them.
type (
	converseEvent struct {
		Role       string           `json:"role,omitempty"`
		Block      *int             `json:"contentBlockIndex,omitempty"`
		Start      *converseStart   `json:"start,omitempty"`
		Delta      *converseDelta   `json:"delta,omitempty"`
		StopReason string           `json:"stopReason,omitempty"`
		Metrics    *converseMetrics `json:"metrics,omitempty"`
		Usage      *converseUsage   `json:"usage,omitempty"`
	}
	converseStart struct {
		ToolUse converseTool `json:"toolUse"`
	}
	converseTool struct {
		Name      string `json:"name"`
		ToolUseID string `json:"toolUseId"`
	}
	converseDelta struct {
		ReasoningContent *converseReasoning `json:"reasoningContent,omitempty"`
		Text             *string            `json:"text,omitempty"`
		ToolUse          *converseInput     `json:"toolUse,omitempty"`
	}
	converseReasoning struct {
		Text string `json:"text"`
	}
	converseInput struct {
		Input string `json:"input"`
	}
	converseMetrics struct {
		LatencyMs int64 `json:"latencyMs"`
	}
	converseUsage struct {
		InputTokens  int `json:"inputTokens"`
		OutputTokens int `json:"outputTokens"`
		TotalTokens  int `json:"totalTokens"`
	}
)
