package llmtest

import "fmt"

// responsesItem is an item of the output of a response, and what it takes to open it, to add to it and to close it.
type responsesItem struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Status    string          `json:"status,omitempty"`
	Summary   []responsesPart `json:"summary,omitzero"`
	Content   []responsesPart `json:"content,omitzero"`
	Arguments *string         `json:"arguments,omitempty"`
	CallID    string          `json:"call_id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Role      string          `json:"role,omitempty"`

	kind   Kind
	index  int
	text   string // what was generated so far
	output string // events that add to it, without delta or done
	parts  string // events of its one part, without added or done; zero: it has none
	part   string // type of the part
}

type responsesPart struct {
	Type        string `json:"type"`
	Annotations []any  `json:"annotations,omitzero"`
	Logprobs    []any  `json:"logprobs,omitzero"`
	Text        string `json:"text"`
}

const (
	contentPart = "response.content_part"
	summaryPart = "response.reasoning_summary_part"
	outputText  = "output_text"
)

func newResponsesMessage() *responsesItem {
	return &responsesItem{
		ID: "msg", Type: "message", Status: "in_progress", Content: []responsesPart{}, Role: "assistant",
		kind: KindText, output: "response.output_text", parts: contentPart, part: outputText,
	}
}

func newResponsesReasoning() *responsesItem {
	return &responsesItem{
		ID: "rs", Type: "reasoning", Summary: []responsesPart{}, Content: []responsesPart{},
		kind: KindReasoning, output: "response.reasoning_text", parts: contentPart, part: "reasoning_text",
	}
}

func newResponsesSummary() *responsesItem {
	return &responsesItem{
		ID: "rs", Type: "reasoning", Summary: []responsesPart{},
		kind: KindReasoning, output: "response.reasoning_summary_text", parts: summaryPart, part: "summary_text",
	}
}

func newResponsesTool(id, name string) *responsesItem {
	return &responsesItem{
		ID: "fc", Type: "function_call", Status: "in_progress", Arguments: new(string), CallID: id, Name: name,
		kind: KindTool, output: "response.function_call_arguments",
	}
}

// place makes i the item at an index of the output.
func (i *responsesItem) place(index int) {
	i.index = index
	i.ID = fmt.Sprintf("%s_%d", i.ID, index+1)
}

func (i *responsesItem) opening() []responsesEvent {
	events := []responsesEvent{i.whole("response.output_item.added")}
	if i.parts != "" {
		part := i.event(i.parts + ".added")
		part.Part = i.newPart()
		events = append(events, part)
	}
	return events
}

func (i *responsesItem) delta(piece string) responsesEvent {
	i.text += piece
	e := i.event(i.output + ".delta")
	e.Delta = &piece
	e.Logprobs = i.list()
	return e
}

func (i *responsesItem) closing() []responsesEvent {
	if i.Status != "" {
		i.Status = "completed"
	}
	done := i.event(i.output + ".done")
	if i.parts == "" {
		i.Arguments = &i.text
		done.Name, done.Arguments = i.Name, i.Arguments
		return []responsesEvent{done, i.whole("response.output_item.done")}
	}
	done.Text, done.Logprobs = &i.text, i.list()
	part := i.event(i.parts + ".done")
	part.Part = i.newPart()
	i.keep(*part.Part)
	return []responsesEvent{done, part, i.whole("response.output_item.done")}
}

func (i *responsesItem) keep(part responsesPart) {
	if i.parts == summaryPart {
		i.Summary = []responsesPart{part}
	} else {
		i.Content = []responsesPart{part}
	}
}

// whole is an event that has all of the item.
func (i *responsesItem) whole(name string) responsesEvent {
	return responsesEvent{Type: name, OutputIndex: &i.index, Item: i}
}

// event is one that says which item it belongs to, and which part of it.
func (i *responsesItem) event(name string) responsesEvent {
	e := responsesEvent{Type: name, ItemID: i.ID, OutputIndex: &i.index}
	switch i.parts {
	case contentPart:
		e.ContentIndex = new(int)
	case summaryPart:
		e.SummaryIndex = new(int)
	}
	return e
}

// newPart is the part as far as it was generated.
func (i *responsesItem) newPart() *responsesPart {
	return &responsesPart{Type: i.part, Annotations: i.list(), Logprobs: i.list(), Text: i.text}
}

// list is an empty list where there are some beside the text of an answer, else nothing.
func (i *responsesItem) list() []any {
	if i.part == outputText {
		return []any{}
	}
	return nil
}
