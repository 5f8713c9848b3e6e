package llmtest

// Cohere builds the events of the stream of Cohere's v2 chat. Each method is one event. The zero value is ready; the events
// of a later content block or tool call come from a value with that Index.
//
//	co := llmtest.Cohere{}
//	co.Start(), co.OpenText(), co.Text("Hel"), co.Text("lo"), co.Close(), co.Finish("COMPLETE", usage), co.Done()
type Cohere struct {
	Index int // of the content block or the tool call that the events belong to
}

// Start is message-start.
func (c Cohere) Start() Event {
	message := &cohereMessage{
		Role:      "assistant",
		Content:   []any{},
		ToolPlan:  new(string),
		ToolCalls: []any{},
		Citations: []any{},
	}
	return c.event("message-start", cohereEvent{ID: cohereID, Delta: &cohereDelta{Message: message}})
}

// OpenText is the content-start of a block of text.
func (c Cohere) OpenText() Event {
	return c.content("content-start", cohereContent{Type: "text", Text: new(string)})
}

// OpenReasoning is the content-start of a block of thinking.
func (c Cohere) OpenReasoning() Event {
	return c.content("content-start", cohereContent{Type: "thinking", Thinking: new(string)})
}

// Reasoning is a content-delta of thinking.
func (c Cohere) Reasoning(text string) Event {
	return generated(KindReasoning, text, c.content("content-delta", cohereContent{Thinking: &text}).Bytes)
}

// Text is a content-delta of text.
func (c Cohere) Text(text string) Event {
	return generated(KindText, text, c.content("content-delta", cohereContent{Text: &text}).Bytes)
}

// Close is content-end.
func (c Cohere) Close() Event { return c.event("content-end", cohereEvent{Index: &c.Index}) }

// ToolPlan is a tool-plan-delta: a piece of what the model means to do with the tools that it will call. It is reasoning.
func (c Cohere) ToolPlan(text string) Event {
	e := c.event("tool-plan-delta", cohereEvent{Delta: &cohereDelta{Message: &cohereMessage{ToolPlan: &text}}})
	return generated(KindReasoning, text, e.Bytes)
}

// OpenTool is tool-call-start. The call has no arguments yet and generates nothing.
func (c Cohere) OpenTool(id, name string) Event {
	return c.tool("tool-call-start", cohereTool{ID: id, Type: "function", Function: cohereFunction{Name: name}})
}

// ToolArguments is a tool-call-delta: a piece of the opened tool call's arguments.
func (c Cohere) ToolArguments(piece string) Event {
	e := c.tool("tool-call-delta", cohereTool{Function: cohereFunction{Arguments: piece}})
	return generated(KindTool, piece, e.Bytes)
}

// CloseTool is tool-call-end.
func (c Cohere) CloseTool() Event { return c.event("tool-call-end", cohereEvent{Index: &c.Index}) }

// Finish is message-end: the reason why the message ended, and its token counts, of which Cohere has no Reasoning. All of
// them are billed.
func (c Cohere) Finish(reason string, u Usage) Event {
	tokens := cohereTokens{InputTokens: u.Input, OutputTokens: u.Output}
	return c.end(cohereDelta{FinishReason: reason, Usage: &cohereUsage{BilledUnits: tokens, Tokens: tokens}})
}

// Error is the message-end of an error inside a stream whose status was 200.
func (c Cohere) Error(text string) Event {
	return c.end(cohereDelta{Error: text, FinishReason: "ERROR"})
}

// Done is the end marker, behind message-end.
func (c Cohere) Done() Event { return Raw("data: [DONE]\n\n") }

func (c Cohere) content(name string, content cohereContent) Event {
	return c.event(name, cohereEvent{Index: &c.Index, Delta: &cohereDelta{Message: &cohereMessage{Content: content}}})
}

func (c Cohere) tool(name string, call cohereTool) Event {
	return c.event(name, cohereEvent{Index: &c.Index, Delta: &cohereDelta{Message: &cohereMessage{ToolCalls: call}}})
}

func (c Cohere) end(delta cohereDelta) Event {
	return c.event("message-end", cohereEvent{ID: cohereID, Delta: &delta})
}

func (c Cohere) event(name string, e cohereEvent) Event {
	e.Type = name
	return Event{Bytes: framed(name, e)}
}

const cohereID = "c-1"

// The wire's shapes, members in the order in which Cohere sends them.
type (
	cohereEvent struct {
		Type  string       `json:"type"`
		ID    string       `json:"id,omitempty"`
		Index *int         `json:"index,omitempty"`
		Delta *cohereDelta `json:"delta,omitempty"`
	}
	cohereDelta struct {
		Message      *cohereMessage `json:"message,omitempty"`
		Error        string         `json:"error,omitempty"`
		FinishReason string         `json:"finish_reason,omitempty"`
		Usage        *cohereUsage   `json:"usage,omitempty"`
	}
	cohereMessage struct { // Content and ToolCalls are lists at the start, and then one of their elements
		Role      string  `json:"role,omitempty"`
		Content   any     `json:"content,omitempty"`
		ToolPlan  *string `json:"tool_plan,omitempty"`
		ToolCalls any     `json:"tool_calls,omitempty"`
		Citations []any   `json:"citations,omitzero"`
	}
	cohereContent struct {
		Type     string  `json:"type,omitempty"`
		Thinking *string `json:"thinking,omitempty"`
		Text     *string `json:"text,omitempty"`
	}
	cohereTool struct {
		ID       string         `json:"id,omitempty"`
		Type     string         `json:"type,omitempty"`
		Function cohereFunction `json:"function"`
	}
	cohereFunction struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	cohereUsage struct {
		BilledUnits cohereTokens `json:"billed_units"`
		Tokens      cohereTokens `json:"tokens"`
	}
	cohereTokens struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
)
