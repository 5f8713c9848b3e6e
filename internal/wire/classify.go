package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// Classify says what the JSON of one event carries, looked at alone. ok is false when data is malformed, or not an object of a
// known shape; e is zero then. The strings of e are substrings of data, unless they had to be decoded.
func Classify(data string) (e tpot.Event, ok bool) {
	var env envelope
	var lib library
	ok = env.read(data) && env.classify(&e, &lib, data) != ""
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
	index   int

	choices choices

	message  raw // Anthropic: an object; Ollama: an object; vLLM: the text of an error
	delta    raw // Anthropic, Cohere: an object; Responses: mostly a string
	response raw // Ollama: a string; Responses: an object
	text     raw // SGLang
	content  raw // llama.cpp

	block raw // Anthropic: member "content_block"
	image raw // OpenAI's images: member "b64_json"
	audio raw // OpenAI's speech

	partialImage raw // Responses: member "partial_image_b64"

	gemini  geminiMembers
	ollama  ollamaMembers
	sglang  raw // member "meta_info"
	tgi     tgiMembers
	triton  tritonMembers
	llama   llamaMembers
	bedrock bedrockMembers
	metrics raw // vLLM
	groq    raw // member "x_groq"

	growing growing // of a shape that may repeat its text from the start in every event
}

// read reads the members and reports whether data is JSON.
func (env *envelope) read(data string) bool {
	c := newCursor(data)
	for key := range c.members {
		env.member(key, c)
	}
	return c.complete()
}

// member reads the value of a member that some shape asks for.
func (env *envelope) member(key string, c *cursor) {
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
	case "index":
		env.index = c.count()
	case "choices":
		env.choices.read(c)
	case "message":
		env.message = c.raw()
	case "delta":
		env.delta = c.raw()
	case "response":
		env.response = c.raw()
	case "text":
		env.text = c.raw()
	case "content":
		env.content = c.raw()
	case "content_block":
		env.block = c.raw()
	case "partial_image_b64":
		env.partialImage = c.raw()
	case "b64_json":
		env.image = c.raw()
	case "audio":
		env.audio = c.raw()
	case "meta_info":
		env.sglang = c.raw()
	case "metrics":
		env.metrics = c.raw()
	case "x_groq":
		env.groq = c.raw()
	case "id", "created", "created_at", "service_tier", "system_fingerprint", "obfuscation", "sequence_number", "item_id", "output_index":
		// the usual, not to be looked for below
	default:
		env.foreign(key, c)
	}
}

// foreign reads the value of a member that only one shape asks for, none of them OpenAI's or Anthropic's.
func (env *envelope) foreign(key string, c *cursor) {
	_ = env.gemini.member(key, c) || env.ollama.member(key, c) || env.tgi.member(key, c) ||
		env.triton.member(key, c) || env.llama.member(key, c) || env.bedrock.member(key, c)
}

// classify asks one shape after the other whether it knows the event that data holds, has the first that does describe it in e,
// and returns the name of that wire, or nothing. An error says enough without a shape.
func (env *envelope) classify(e *tpot.Event, lib *library, data string) (wire string) {
	switch {
	case env.onlyError(e):
		return "error"
	case env.openAI(e):
		return "openai"
	case env.responses(e):
		return "openai responses"
	case env.anthropic(e):
		return "anthropic"
	case env.cohere(e):
		return "cohere"
	case env.google(e):
		return "gemini"
	case env.ollamaLine(e):
		return "ollama"
	case env.sglangGenerate(e):
		return "sglang"
	case env.tgiToken(e):
		return "tgi"
	case env.tritonOutput(e):
		return "triton"
	case env.llamaCompletion(e):
		return "llama.cpp"
	case env.bedrockModel(e):
		return "bedrock"
	}
	if wire = lib.classify(e, env, data); wire == "" && env.failure.present {
		env.describe(e, 0)
		wire = "error"
	}
	return wire
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
