package llmtest

import "encoding/json"

// Kind is what an event generates. The zero Kind is an event that generates nothing: a role, a ping, a finish.
type Kind string

// The kinds of output that the builders of events know.
const (
	KindText      Kind = "text"
	KindReasoning Kind = "reasoning"
	KindTool      Kind = "tool" // arguments of a tool call
)

// Event is one event of a wire: its bytes, framing included, and what the log is to say of it.
type Event struct {
	Bytes  []byte
	Kind   Kind // what it generates; zero: nothing, it is no chunk
	Tokens int  // tokens it stands for; the builders say one for each event that generates output
}

// Raw is an event of any bytes: half of another event, a wire that has no builder here, rubbish. It generates nothing,
// unless its Kind is set.
func Raw(bytes string) Event { return Event{Bytes: []byte(bytes)} }

// WithTokens is e with its token count set.
func (e Event) WithTokens(n int) Event {
	e.Tokens = n
	return e
}

// Usage is the token counts that a builder's usage event reports. Output includes Reasoning.
type Usage struct{ Input, Output, Reasoning int }

// generated marks bytes that carry output as one token of kind k. Empty output is nothing generated.
func generated(k Kind, output string, bytes []byte) Event {
	if output == "" {
		return Event{Bytes: bytes}
	}
	return Event{Bytes: bytes, Kind: k, Tokens: 1}
}

// encode is v as JSON. It panics when v has no JSON form: the scripts are written by the test's author.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return b
}
