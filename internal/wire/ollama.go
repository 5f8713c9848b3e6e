package wire

import "github.com/tokentiming/tokentiming/tpot"

func (env *envelope) readOllama(key string, c *cursor) {
	switch key {
	case "response":
		env.response = c.raw()
	case "thinking":
		env.thinking = c.raw()
	case "tool_calls":
		env.toolCalls = readToolCalls(c)
	case "done":
		env.done = c.raw()
	case "done_reason":
		env.doneReason = c.string()
	case "eval_count":
		env.evalCount = c.count()
	case "prompt_eval_count":
		env.promptEvalCount = c.count()
	}
}

// ollama is the shape of Ollama's own /api/chat, whose output is in message, and /api/generate, whose output is in the
// line itself. The last line has the counts and leaves out those that are zero.
func (env *envelope) ollama(e *tpot.Event) bool {
	done := env.done == "true"
	if !done && env.done != "false" || !env.message.isObject() && !env.response.isString() {
		return false
	}
	kind := messageOutput(env.message) | env.toolCalls |
		when(env.response.filled(), tpot.KindText) | when(env.thinking.filled(), tpot.KindReasoning)
	if done {
		kind |= tpot.KindFinish | tpot.KindUsage | tpot.KindDone
		e.FinishReason = env.doneReason
		e.Usage = tpot.Usage{Input: env.promptEvalCount, Output: env.evalCount}
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
