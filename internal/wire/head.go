package wire

import "strings"

// head is how the events of an OpenAI-shaped stream begin, all alike: an identifier, a time, the model, up to the list of choices.
// That is most of an event. It is read once and from then on recognised by its bytes, which say the same again.
type head struct {
	text          []byte // to the value of "choices"
	object, model string
}

// read is envelope.read for the events of one stream.
func (h *head) read(env *envelope, data string) bool {
	c := newCursor(data)
	if len(h.text) > 0 && strings.HasPrefix(data, view(h.text)) {
		env.object, env.model = h.object, h.model
		c.pos = len(h.text)
		env.choices.read(c)
		for key := range c.furtherMembers {
			env.member(key, c)
		}
		return c.complete()
	}
	plain := true
	for key := range c.members {
		if plain && key == "choices" {
			h.keep(env, data[:c.pos])
		}
		plain = plain && isPlain(key)
		env.member(key, c)
	}
	return c.complete()
}

// longestHead bounds what is kept, which is nothing of the answer.
const longestHead = 1024

// keep keeps a copy of the head of an event.
func (h *head) keep(env *envelope, text string) {
	h.text = h.text[:0]
	if len(text) > longestHead || len(env.object) > longestName || len(env.model) > longestName {
		return
	}
	h.text = append(h.text, text...)
	keepName(&h.object, env.object)
	keepName(&h.model, env.model)
}

func keepName(kept *string, name string) {
	if *kept != name {
		*kept = strings.Clone(name)
	}
}

// isPlain is whether a member of an event is none that the envelope keeps, or one of the two that a head does.
func isPlain(key string) bool {
	switch key {
	case "id", "object", "created", "model", "provider", "service_tier", "system_fingerprint":
		return true
	}
	return false
}
