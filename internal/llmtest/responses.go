package llmtest

import "cmp"

// OpenAIResponses builds the events of the stream of OpenAI's Responses. One value is one response: it numbers its events
// and keeps what they generate, which later ones repeat, so that its methods are called in the order of the stream. The
// zero value is ready. It is not safe for concurrent use.
//
//	ai := llmtest.OpenAIResponses{}
//	ai.Start(), ai.OpenText(), ai.Text("Hel"), ai.Text("lo"), ai.Close(), ai.Done(usage)
//
// Output belongs to the item that is open, of which there is one at a time. What starts the response and what opens or
// closes an item are several events of the wire, which come together, and one Event here.
type OpenAIResponses struct {
	Model string // zero: "ex-resp-1"

	sequence int              // number of the next event
	item     *responsesItem   // the one that is open
	output   []*responsesItem // those that were closed
}

// Start is response.created and response.in_progress.
func (o *OpenAIResponses) Start() Event {
	return o.events(
		responsesEvent{Type: "response.created", Response: o.response("in_progress")},
		responsesEvent{Type: "response.in_progress", Response: o.response("in_progress")},
	)
}

// OpenText opens a message.
func (o *OpenAIResponses) OpenText() Event {
	return o.open(newResponsesMessage())
}

// OpenReasoning opens reasoning that is streamed as it is.
func (o *OpenAIResponses) OpenReasoning() Event {
	return o.open(newResponsesReasoning())
}

// OpenSummary opens reasoning of which a summary is streamed.
func (o *OpenAIResponses) OpenSummary() Event {
	return o.open(newResponsesSummary())
}

// OpenTool opens the call of a tool. ID is what the result refers to.
func (o *OpenAIResponses) OpenTool(id, name string) Event {
	return o.open(newResponsesTool(id, name))
}

// Text is a response.output_text.delta.
func (o *OpenAIResponses) Text(text string) Event { return o.delta(KindText, text) }

// Reasoning is a response.reasoning_text.delta, or a response.reasoning_summary_text.delta in an item that OpenSummary
// opened.
func (o *OpenAIResponses) Reasoning(text string) Event { return o.delta(KindReasoning, text) }

// ToolArguments is a response.function_call_arguments.delta: a piece of the opened tool call's arguments.
func (o *OpenAIResponses) ToolArguments(piece string) Event { return o.delta(KindTool, piece) }

// Close closes the item: the events, whose types end in done, repeat all that it holds.
func (o *OpenAIResponses) Close() Event {
	item := o.item
	o.item, o.output = nil, append(o.output, item)
	return o.events(item.closing()...)
}

// Done is response.completed, the end marker. It repeats the items and has the usage.
func (o *OpenAIResponses) Done(u Usage) Event {
	r := o.response("completed")
	r.Usage = newResponsesUsage(u)
	return o.events(responsesEvent{Type: "response.completed", Response: r})
}

// Failed is response.failed, the end marker of a response that failed inside a stream whose status was 200.
func (o *OpenAIResponses) Failed(code, text string) Event {
	r := o.response("failed")
	r.Error = &responsesFailure{Code: code, Message: text}
	return o.events(responsesEvent{Type: "response.failed", Response: r})
}

// Error is the error event in its documented form, inside a stream whose status was 200. What clients have been sent has
// the members in an object called error instead, as [OpenAI.Error] does.
func (o *OpenAIResponses) Error(code, text string) Event {
	e := responsesError{Type: "error", Code: code, Message: text, SequenceNumber: o.sequence}
	o.sequence++
	return Event{Bytes: framed(e.Type, e)}
}

func (o *OpenAIResponses) open(item *responsesItem) Event {
	item.place(len(o.output))
	o.item = item
	return o.events(item.opening()...)
}

// delta is a piece of output in the open item, which must be one of kind k.
func (o *OpenAIResponses) delta(k Kind, piece string) Event {
	if o.item == nil || o.item.kind != k {
		panic("llmtest: no item of " + string(k) + " is open")
	}
	return generated(k, piece, o.events(o.item.delta(piece)).Bytes)
}

// events numbers events and puts them into one.
func (o *OpenAIResponses) events(events ...responsesEvent) Event {
	var b []byte
	for _, e := range events {
		e.SequenceNumber = o.sequence
		o.sequence++
		b = append(b, framed(e.Type, e)...)
	}
	return Event{Bytes: b}
}

func (o *OpenAIResponses) response(status string) *responsesObject {
	return &responsesObject{
		ID:        "resp_1",
		Object:    "response",
		CreatedAt: 1764500000,
		Status:    status,
		Model:     cmp.Or(o.Model, "ex-resp-1"),
		Output:    append([]*responsesItem{}, o.output...),
	}
}

// The wire's shapes, members in the order in which OpenAI sends them.
type (
	responsesEvent struct {
		Type           string           `json:"type"`
		SequenceNumber int              `json:"sequence_number"`
		Response       *responsesObject `json:"response,omitempty"`
		ItemID         string           `json:"item_id,omitempty"`
		OutputIndex    *int             `json:"output_index,omitempty"`
		ContentIndex   *int             `json:"content_index,omitempty"`
		SummaryIndex   *int             `json:"summary_index,omitempty"`
		Delta          *string          `json:"delta,omitempty"`
		Text           *string          `json:"text,omitempty"`
		Logprobs       []any            `json:"logprobs,omitzero"`
		Part           *responsesPart   `json:"part,omitempty"`
		Name           string           `json:"name,omitempty"`
		Arguments      *string          `json:"arguments,omitempty"`
		Item           *responsesItem   `json:"item,omitempty"`
	}
	responsesObject struct {
		ID                string            `json:"id"`
		Object            string            `json:"object"`
		CreatedAt         int64             `json:"created_at"`
		Status            string            `json:"status"`
		Error             *responsesFailure `json:"error"`
		IncompleteDetails *struct{}         `json:"incomplete_details"`
		Model             string            `json:"model"`
		Output            []*responsesItem  `json:"output"`
		Usage             *responsesUsage   `json:"usage"`
	}
	responsesFailure struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	responsesError struct {
		Type           string  `json:"type"`
		Code           string  `json:"code"`
		Message        string  `json:"message"`
		Param          *string `json:"param"`
		SequenceNumber int     `json:"sequence_number"`
	}
	responsesUsage struct {
		InputTokens        int `json:"input_tokens"`
		InputTokensDetails struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputTokens        int `json:"output_tokens"`
		OutputTokensDetails struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
		TotalTokens int `json:"total_tokens"`
	}
)

func newResponsesUsage(u Usage) *responsesUsage {
	usage := &responsesUsage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Input + u.Output}
	usage.OutputTokensDetails.ReasoningTokens = u.Reasoning
	return usage
}
