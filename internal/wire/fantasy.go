package wire

import "github.com/tokentiming/tokentiming/tpot"

// fantasyMembers are the members of fantasy's parts that no other shape has.
type fantasyMembers struct {
	input    raw // tool_call_input
	reason   raw // finish_reason
	metadata raw // provider_metadata
}

func (m *fantasyMembers) member(key string, c *cursor) bool {
	switch key {
	case "tool_call_input":
		m.input = c.raw()
	case "finish_reason":
		m.reason = c.raw()
	case "provider_metadata":
		m.metadata = c.raw()
	default:
		return false
	}
	return true
}

// fantasyPart is the shape of fantasy, whose parts have all members at all times. A call that came in pieces is repeated as
// a whole.
func (env *envelope) fantasyPart(e *tpot.Event, m *fantasyMembers, pieces *bool) bool {
	if !m.input.isString() {
		return false
	}
	var kind tpot.Kind
	switch env.name {
	case "text_delta":
		kind = when(env.delta.filled(), tpot.KindText)
	case "reasoning_delta", "reasoning_start":
		kind = when(env.delta.filled(), m.reasoning(env.delta))
	case "tool_input_delta":
		kind = when(env.delta.filled() || m.input.filled(), tpot.KindToolCall)
		*pieces = *pieces || kind != 0
	case "tool_call":
		kind = tpot.KindToolMeta
		if m.input.filled() && !*pieces {
			kind = tpot.KindToolCall
		}
	case "tool_input_start":
		kind = tpot.KindToolMeta
	case "finish":
		env.finishPart(e, m.reason.string())
		return true
	case "text_start", "text_end", "reasoning_end", "tool_input_end", "tool_result", "source", "warnings":
	default:
		return false
	}
	env.describe(e, kind)
	return true
}

// reasoning is what a piece of reasoning is. Of OpenAI's Responses there is only a summary, between whose parts is a line end that is
// fantasy's own.
func (m *fantasyMembers) reasoning(delta raw) tpot.Kind {
	openAI := m.metadata.member("openai")
	switch {
	case openAI.member("type").string() != "openai.responses.reasoning_metadata":
		return tpot.KindReasoning
	case delta == `"\n"` && openAI.member("data").member("summary").lastElement() == `""`:
		return 0
	}
	return tpot.KindReasoning | tpot.KindSummary
}

func (env *envelope) finishPart(e *tpot.Event, reason string) {
	u := fantasyUsage(env.usage)
	env.describe(e, tpot.KindFinish|tpot.KindDone|when(u != tpot.Usage{}, tpot.KindUsage))
	e.Usage, e.FinishReason = u, reason
}

func fantasyUsage(usage raw) (u tpot.Usage) {
	var total int
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "input_tokens":
			u.Input = c.count()
		case "output_tokens":
			u.Output = c.count()
		case "reasoning_tokens":
			u.Reasoning = c.count()
		case "cache_read_tokens":
			u.Cached = c.count()
		case "total_tokens":
			total = c.count()
		}
	}
	if addedUp(u, total) {
		return tpot.Usage{Input: u.Input}
	}
	return withReasoning(u, total)
}

// addedUp is whether there are counts beyond the total. Google's provider adds up what each event says of all before it, but for
// the input and the total, which are those of the first.
func addedUp(u tpot.Usage, total int) bool {
	return total > 0 && !countsReasoning(u, total) && total-u.Input-u.Output < u.Reasoning
}
