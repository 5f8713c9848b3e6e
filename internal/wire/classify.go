package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// Classify says what the JSON of one event carries. ok is false when data is malformed, or not an object of a known
// shape; e is zero then. The strings of e are substrings of data, unless they had to be decoded.
func Classify(data string) (e tpot.Event, ok bool) {
	c := newCursor(data)
	var env envelope
	env.read(&c)
	if !c.complete() {
		return tpot.Event{}, false
	}
	return env.classify()
}

// envelope is the members of an event that any shape looks at. What they mean depends on which others are there, and
// they come in any order, so that the shape is decided at the end.
type envelope struct {
	name    string // member "type"
	object  string
	model   string
	code    string
	failure failure // member "error"
	usage   raw

	choices choices // OpenAI

	message raw // Anthropic: an object; Ollama: an object; vLLM: the text of an error
	delta   raw

	response        raw // Ollama, from here on
	thinking        raw
	toolCalls       tpot.Kind
	done            raw
	doneReason      string
	evalCount       int
	promptEvalCount int
}

func (env *envelope) read(c *cursor) {
	for key := range c.members {
		switch key {
		case "type":
			env.name = c.string()
		case "object":
			env.object = c.string()
		case "model":
			env.model = c.string()
		case "code":
			env.code = c.raw().label()
		case "error":
			env.failure = readFailure(c)
		case "usage":
			env.usage = c.raw()
		case "choices":
			env.choices = readChoices(c)
		case "message":
			env.message = c.raw()
		case "delta":
			env.delta = c.raw()
		default:
			env.readOllama(key, c)
		}
	}
}

// classify asks one shape after the other. An error says enough without a shape.
func (env *envelope) classify() (tpot.Event, bool) {
	if e, ok := env.openAI(); ok {
		return e, true
	}
	if e, ok := env.anthropic(); ok {
		return e, true
	}
	if e, ok := env.ollama(); ok {
		return e, true
	}
	if env.failure.present {
		return marked(env.event()), true
	}
	return tpot.Event{}, false
}

// event is what an event says in any shape.
func (env *envelope) event() tpot.Event {
	e := tpot.Event{Model: env.model}
	if env.failure.present {
		e.Kind, e.ErrorType = tpot.KindError, env.failure.label
	}
	return e
}

// marked finishes an event of a wire that ends with a finish reason or an end marker.
func marked(e tpot.Event) tpot.Event {
	if e.Kind == 0 {
		e.Kind = tpot.KindStatus
	}
	if e.Kind&tpot.KindError != 0 {
		e.ErrorType = cmp.Or(e.ErrorType, "error")
	}
	e.Kind |= tpot.KindMarked
	return e
}

// when is kind if it is there, else nothing.
func when(there bool, kind tpot.Kind) tpot.Kind {
	if there {
		return kind
	}
	return 0
}
