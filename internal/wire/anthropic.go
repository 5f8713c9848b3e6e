package wire

import "github.com/tokentiming/tokentiming/tpot"

// anthropic is the shape of Anthropic's Messages.
func (env *envelope) anthropic() (tpot.Event, bool) {
	e := env.event()
	switch env.name {
	case "ping":
		return tpot.Event{Kind: tpot.KindPing}, true
	case "message_start":
		e.Kind |= tpot.KindStatus
		env.startMessage(&e)
	case "content_block_start", "content_block_stop":
		e.Kind |= tpot.KindStatus
	case "content_block_delta":
		e.Kind |= blockOutput(env.delta)
	case "message_delta":
		env.changeMessage(&e)
	case "message_stop":
		e.Kind |= tpot.KindDone
	case "error":
		e.Kind |= tpot.KindError
	default:
		return tpot.Event{}, false
	}
	return marked(e), true
}

// startMessage reads message_start. Its output tokens mean nothing: the model has not begun.
func (env *envelope) startMessage(e *tpot.Event) {
	c := env.message.cursor()
	for key := range c.members {
		switch key {
		case "model":
			e.Model = c.string()
		case "usage":
			setAnthropicUsage(e, c.raw())
		}
	}
	e.Usage.Output, e.Usage.Reasoning = 0, 0
}

// blockOutput is what the delta of a content block adds. Signatures and citations are not output.
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

func (env *envelope) changeMessage(e *tpot.Event) {
	c := env.delta.cursor()
	for key := range c.members {
		if key == "stop_reason" {
			e.FinishReason = c.string()
		}
	}
	e.Kind |= when(e.FinishReason != "", tpot.KindFinish)
	setAnthropicUsage(e, env.usage)
}

func setAnthropicUsage(e *tpot.Event, usage raw) {
	if !usage.isObject() {
		return
	}
	e.Kind |= tpot.KindUsage
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "input_tokens":
			e.Usage.Input = c.count()
		case "output_tokens":
			e.Usage.Output = c.count()
		case "output_tokens_details":
			e.Usage.Reasoning = readCount(&c, "thinking_tokens")
		case "cache_read_input_tokens":
			e.Usage.Cached = c.count()
		}
	}
}
