package wire

import "github.com/tokentiming/tokentiming/tpot"

// ollamaMembers are the members of Ollama's own /api/chat and /api/generate that no other shape has. The last line has the
// counts, and leaves out those that are zero.
type ollamaMembers struct {
	thinking   raw
	toolCalls  tpot.Kind
	done       raw
	doneReason string

	evalCount, promptEvalCount                    int
	total, load, promptEvalDuration, evalDuration raw // nanoseconds
}

func (m *ollamaMembers) member(key string, c *cursor) bool {
	switch key {
	case "thinking":
		m.thinking = c.raw()
	case "tool_calls":
		m.toolCalls = readToolCalls(c)
	case "done":
		m.done = c.raw()
	case "done_reason":
		m.doneReason = c.string()
	case "eval_count":
		m.evalCount = c.count()
	case "prompt_eval_count":
		m.promptEvalCount = c.count()
	case "total_duration":
		m.total = c.raw()
	case "load_duration":
		m.load = c.raw()
	case "prompt_eval_duration":
		m.promptEvalDuration = c.raw()
	case "eval_duration":
		m.evalDuration = c.raw()
	default:
		return false
	}
	return true
}

// ollamaLine is the shape of /api/chat, whose output is in message, and /api/generate, whose output is in the line itself.
func (env *envelope) ollamaLine(e *tpot.Event) bool {
	m := &env.ollama
	done := m.done == "true"
	if !done && m.done != "false" || !env.message.isObject() && !env.response.isString() {
		return false
	}
	kind := messageOutput(env.message) | m.toolCalls |
		when(env.response.filled(), tpot.KindText) | when(m.thinking.filled(), tpot.KindReasoning)
	if done {
		kind |= tpot.KindFinish | tpot.KindUsage | tpot.KindDone
		e.FinishReason = m.doneReason
		e.Usage = tpot.Usage{Input: m.promptEvalCount, Output: m.evalCount}
	}
	env.describe(e, kind)
	return true
}

func messageOutput(message raw) tpot.Kind {
	var content, thinking bool
	var calls tpot.Kind
	c := message.cursor()
	for key := range c.members {
		switch key {
		case "content":
			content = c.filled()
		case "thinking":
			thinking = c.filled()
		case "tool_calls":
			calls = readToolCalls(c)
		}
	}
	return calls | when(content, tpot.KindText) | when(thinking, tpot.KindReasoning)
}

// report is what the last line says of the server's work.
func (m *ollamaMembers) report(t *tpot.ServerTimings) {
	*t = tpot.ServerTimings{
		Source: "ollama", Total: m.total.nanoseconds(), Load: m.load.nanoseconds(),
		Prompt: m.promptEvalDuration.nanoseconds(), Output: m.evalDuration.nanoseconds(),
		PromptTokens: m.promptEvalCount, OutputTokens: m.evalCount,
	}
}
