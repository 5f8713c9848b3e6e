package wire

import "github.com/tokentiming/tokentiming/tpot"

// anthropic is the shape of Anthropic's Messages. Its pings do not tell it from other shapes and promise no marker.
func (env *envelope) anthropic(e *tpot.Event) bool {
	switch env.name {
	case "ping":
		e.Kind = tpot.KindPing
	case "message_start":
		env.startMessage(e)
	case "message_delta":
		env.changeMessage(e)
	case "content_block_delta":
		env.describe(e, blockOutput(env.delta))
	case "content_block_start":
		env.describe(e, blockOutput(env.block))
	case "content_block_stop":
		env.describe(e, tpot.KindStatus)
	case "message_stop":
		env.describe(e, tpot.KindDone)
	default:
		return false
	}
	return true
}

// startMessage describes message_start. Its output tokens mean nothing: the model has not begun.
func (env *envelope) startMessage(e *tpot.Event) {
	var usage raw
	c := env.message.cursor()
	for key := range c.members {
		switch key {
		case "model":
			env.model = c.string()
		case "usage":
			usage = c.raw()
		}
	}
	env.describe(e, tpot.KindStatus|when(usage.isObject(), tpot.KindUsage))
	e.Usage = anthropicUsage(usage)
	e.Usage.Output, e.Usage.Reasoning = 0, 0
}

// changeMessage describes message_delta.
func (env *envelope) changeMessage(e *tpot.Event) {
	reason := env.delta.member("stop_reason").string()
	env.describe(e, when(reason != "", tpot.KindFinish)|when(env.usage.isObject(), tpot.KindUsage))
	e.FinishReason = reason
	e.Usage = anthropicUsage(env.usage)
}

// blockOutput is what the start of a content block or its delta adds. Signatures and citations are not output.
func blockOutput(delta raw) tpot.Kind {
	var text, thinking, input bool
	c := delta.cursor()
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "thinking":
			thinking = c.filled()
		case "partial_json":
			input = c.filled()
		}
	}
	return when(text, tpot.KindText) | when(thinking, tpot.KindReasoning) | when(input, tpot.KindToolCall)
}

func anthropicUsage(usage raw) (u tpot.Usage) {
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "input_tokens":
			u.Input = c.count()
		case "output_tokens":
			u.Output = c.count()
		case "output_tokens_details":
			u.Reasoning = c.raw().member("thinking_tokens").count()
		case "cache_read_input_tokens":
			u.Cached = c.count()
		}
	}
	return u
}
