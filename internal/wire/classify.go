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
	env.read(c)
	if c.complete() {
		ok = env.classify(&e)
	}
	return e, ok
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
			env.choices.read(c)
		case "message":
			env.message = c.raw()
		case "delta":
			env.delta = c.raw()
		default:
			env.readOllama(key, c)
		}
	}
}

// classify asks one shape after the other whether it knows the event, and has the first that does describe it in e. An
// error says enough without a shape.
func (env *envelope) classify(e *tpot.Event) bool {
	switch {
	case env.openAI(e), env.anthropic(e), env.ollama(e):
		return true
	case env.failure.present:
		env.describe(e, 0)
		return true
	}
	return false
}

// describe says in e what holds in any shape of a wire that ends with a finish reason or an end marker, beside the kind
// that the shape has found.
func (env *envelope) describe(e *tpot.Event, kind tpot.Kind) {
	kind |= when(env.failure.present, tpot.KindError)
	if kind == 0 {
		kind = tpot.KindStatus
	}
	if kind&tpot.KindError != 0 {
		e.ErrorType = cmp.Or(env.failure.label, "error")
	}
	e.Kind = kind | tpot.KindMarked
	e.Model = env.model
}

// when is kind if it is there, else nothing.
func when(there bool, kind tpot.Kind) tpot.Kind {
	if there {
		return kind
	}
	return 0
}
