package wire

import "github.com/tokentiming/tokentiming/tpot"

// einoMembers are the members of eino's messages that no other shape has.
type einoMembers struct {
	reasoning raw // reasoning_content
	parts     raw // assistant_output_multi_content
	oldParts  raw // multi_content, which it was called before
	meta      raw // response_meta
}

func (m *einoMembers) member(key string, c *cursor) bool {
	switch key {
	case "reasoning_content":
		m.reasoning = c.raw()
	case "assistant_output_multi_content":
		m.parts = c.raw()
	case "multi_content":
		m.oldParts = c.raw()
	case "response_meta":
		m.meta = c.raw()
	default:
		return false
	}
	return true
}

// einoMessage is the shape of eino, which streams messages. Only those of the model were generated. A message promises a finish
// reason if it says anything of the response: not every model does.
func (env *envelope) einoMessage(e *tpot.Event, m *libraryMembers) bool {
	if !m.role.isString() || !env.content.isString() {
		return false
	}
	var kind tpot.Kind
	switch m.role.string() {
	case "assistant", "":
		kind = env.ollama.toolCalls | readEinoParts(m.eino.parts) | readEinoParts(m.eino.oldParts) |
			when(env.content.filled(), tpot.KindText) | when(m.eino.reasoning.filled(), tpot.KindReasoning)
	case "tool", "user", "system":
	default:
		return false
	}
	u, reason := readEinoMeta(m.eino.meta)
	kind |= when(u != tpot.Usage{}, tpot.KindUsage) | when(reason != "", tpot.KindFinish)
	env.describe(e, kind)
	e.Kind &^= when(!m.eino.meta.isObject(), tpot.KindMarked)
	e.Usage, e.FinishReason = u, reason
	return true
}

func readEinoParts(parts raw) (kind tpot.Kind) {
	c := parts.cursor()
	for range c.elements {
		kind |= readEinoPart(c)
	}
	return kind
}

func readEinoPart(c *cursor) tpot.Kind {
	var text, image, audio, video, link bool
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "image":
			image = c.raw().isObject()
		case "audio":
			audio = c.raw().isObject()
		case "video":
			video = c.raw().isObject()
		case "image_url":
			link = c.raw().isObject()
		}
	}
	return when(text, tpot.KindText) | when(image || audio || video || link, tpot.KindMedia)
}

// readEinoMeta reads what a message says of the response. Some models write "null" where they have no finish reason.
func readEinoMeta(meta raw) (u tpot.Usage, reason string) {
	c := meta.cursor()
	for key := range c.members {
		switch key {
		case "finish_reason":
			reason = c.string()
		case "usage":
			u = readEinoUsage(c)
		}
	}
	if reason == "null" {
		reason = ""
	}
	return u, reason
}

func readEinoUsage(c *cursor) (u tpot.Usage) {
	for key := range c.members {
		switch key {
		case "prompt_tokens":
			u.Input = c.count()
		case "completion_tokens":
			u.Output = c.count()
		case "prompt_token_details":
			u.Cached = c.raw().member("cached_tokens").count()
		case "completion_token_details":
			u.Reasoning = c.raw().member("reasoning_tokens").count()
		}
	}
	return u
}
