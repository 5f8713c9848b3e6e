package tpot

import "math"

// Event is one stream event, as far as timing goes: what a classifier says of it. It holds no content.
// The zero Event is one that was not understood.
type Event struct {
	Kind         Kind   `json:"kind"`
	Tokens       int    `json:"tokens,omitempty"`        // tokens it carries; 0: unknown
	Choice       int    `json:"choice,omitempty"`        // index of its choice; several choices in one event: the lowest
	Usage        Usage  `json:"usage,omitzero"`          // cumulative; read only when Kind has KindUsage
	Model        string `json:"model,omitempty"`         // response model, if the event names it
	FinishReason string `json:"finish_reason,omitempty"` // as written on the wire
	ErrorType    string `json:"error_type,omitempty"`    // an in-band error's type or code, never its message
}

// Usage is the provider's own count of tokens, cumulative over the response. Output is what was generated, Reasoning
// included and the prompt not. Zero is "not stated".
type Usage struct {
	Input     int `json:"input,omitempty"`
	Output    int `json:"output,omitempty"`
	Reasoning int `json:"reasoning,omitempty"`
	Cached    int `json:"cached,omitempty"` // part of the input that came from the provider's cache
}

// merge keeps the larger of each count: usage is cumulative, so the last one stated is the largest, and a later event
// that leaves a count out does not clear it. It reports whether every count was believable.
func (u *Usage) merge(v Usage) bool {
	ok := keepLarger(&u.Input, v.Input)
	ok = keepLarger(&u.Output, v.Output) && ok
	ok = keepLarger(&u.Reasoning, v.Reasoning) && ok
	return keepLarger(&u.Cached, v.Cached) && ok
}

func keepLarger(have *int, count int) bool {
	if !believable(count) {
		return false
	}
	*have = max(*have, count)
	return true
}

// believable says that a token count can be one: responses of two billion tokens do not exist, and a sum of such counts
// would overflow.
func believable(count int) bool { return count >= 0 && count < math.MaxInt32 }
