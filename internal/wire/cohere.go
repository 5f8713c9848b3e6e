package wire

import (
	"strings"

	"github.com/tokentiming/tokentiming/tpot"
)

// cohere is the shape of Cohere's v2 chat. Its tool plan is reasoning.
func (env *envelope) cohere(e *tpot.Event) bool {
	switch env.name {
	case "content-delta", "tool-plan-delta", "tool-call-delta":
		env.describe(e, cohereOutput(env.delta.member("message")))
	case "message-start", "content-start", "content-end", "tool-call-start", "tool-call-end", "citation-start", "citation-end", "debug":
		env.describe(e, tpot.KindStatus)
	case "message-end":
		env.endMessage(e)
	default:
		return false
	}
	return true
}

// cohereOutput is what the message in a delta adds. Of tool calls it names no more than one.
func cohereOutput(message raw) tpot.Kind {
	var content, call tpot.Kind
	var plan bool
	c := message.cursor()
	for key := range c.members {
		switch key {
		case "content":
			content = readCohereContent(c)
		case "tool_plan":
			plan = c.filled()
		case "tool_calls":
			call = readFunction(c.raw().member("function").cursor())
		}
	}
	return content | call | when(plan, tpot.KindReasoning)
}

func readCohereContent(c *cursor) tpot.Kind {
	var text, thinking bool
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "thinking":
			thinking = c.filled()
		}
	}
	return when(text, tpot.KindText) | when(thinking, tpot.KindReasoning)
}

func (env *envelope) endMessage(e *tpot.Event) {
	var reason string
	var usage raw
	var own failure
	c := env.delta.cursor()
	for key := range c.members {
		switch key {
		case "finish_reason":
			reason = c.string()
		case "usage":
			usage = c.raw()
		case "error":
			own = readFailure(c)
		}
	}
	kind := tpot.KindDone | when(reason != "", tpot.KindFinish) | when(strings.HasPrefix(reason, "ERROR"), tpot.KindError)
	if usage.isObject() {
		kind |= tpot.KindUsage
		e.Usage = cohereUsage(usage)
	}
	env.failure = own.or(env.failure)
	env.describe(e, kind)
	e.FinishReason = reason
}

// cohereUsage is the tokens that the model read and made, not those that are billed.
func cohereUsage(usage raw) (u tpot.Usage) {
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "tokens":
			u.Input, u.Output = readCohereTokens(c)
		case "cached_tokens":
			u.Cached = c.count()
		}
	}
	return u
}

func readCohereTokens(c *cursor) (input, output int) {
	for key := range c.members {
		switch key {
		case "input_tokens":
			input = c.count()
		case "output_tokens":
			output = c.count()
		}
	}
	return input, output
}
