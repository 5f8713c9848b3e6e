package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// failure is an error inside the stream: an object, or only a message. The message is content and not kept.
type failure struct {
	present bool
	label   string // type, else code, of an object
}

// or is f, and what another says that f does not.
func (f failure) or(other failure) failure {
	return failure{present: f.present || other.present, label: cmp.Or(f.label, other.label)}
}

func readFailure(c *cursor) failure {
	if c.peek() != '{' {
		return failure{present: c.filled()}
	}
	var name, code string
	for key := range c.members {
		switch key {
		case "type":
			name = c.string()
		case "code":
			code = c.raw().label()
		}
	}
	return failure{present: true, label: cmp.Or(name, code)}
}

// onlyError is the shape of an event that is an error itself: the object of vLLM, and the type of Anthropic and of OpenAI's Responses.
func (env *envelope) onlyError(e *tpot.Event) bool {
	switch {
	case env.object == "error":
		env.failure = failure{label: cmp.Or(env.name, env.code)}.or(env.failure)
	case env.name == "error":
		env.failure = env.failure.or(failure{label: env.code})
	default:
		return false
	}
	env.describe(e, tpot.KindError)
	return true
}
