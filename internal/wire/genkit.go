package wire

import "github.com/tokentiming/tokentiming/tpot"

// genkitMembers are the members of what genkit streams that no other shape has.
type genkitMembers struct {
	done, chunk, response raw // of a value of a stream

	aggregated raw // of a chunk

	finishReason raw // of a response
	latency      raw // latencyMs
}

func (m *genkitMembers) member(key string, c *cursor) bool {
	switch key {
	case "Done":
		m.done = c.raw()
	case "Chunk":
		m.chunk = c.raw()
	case "Response":
		m.response = c.raw()
	case "aggregated":
		m.aggregated = c.raw()
	case "finishReason":
		m.finishReason = c.raw()
	case "latencyMs":
		m.latency = c.raw()
	default:
		return false
	}
	return true
}

// genkitValue is the shapes of genkit: the values of its streams, each with a chunk or at last the response, and the chunks and the
// response by themselves, of which a chunk does not promise the response. A value has all members at all times.
func (env *envelope) genkitValue(e *tpot.Event, all *libraryMembers, sofar *genkitMessage) bool {
	m := &all.genkit
	switch {
	case m.chunk == "" || m.response == "":
		return env.genkitAlone(e, all, sofar)
	case m.done == "false":
		return env.genkitChunk(e, readGenkitChunk(m.chunk), sofar)
	case m.done == "true":
		env.genkitResponse(e, readGenkitResponse(m.response))
		return true
	}
	return false
}

func (env *envelope) genkitAlone(e *tpot.Event, all *libraryMembers, sofar *genkitMessage) bool {
	m := &all.genkit
	switch {
	case env.genkitChunk(e, rawGenkitChunk{env.content, all.role, m.aggregated, all.number}, sofar):
		e.Kind &^= tpot.KindMarked
		return true
	case (m.finishReason.filled() || m.latency.isNumber()) && env.message.member("role").string() == "model":
		env.genkitResponse(e, genkitResponse{m.finishReason.string(), genkitUsage(env.usage)})
		return true
	}
	return false
}

// genkitChunk describes a chunk, if it is one. What a tool says was not generated.
func (env *envelope) genkitChunk(e *tpot.Event, chunk rawGenkitChunk, sofar *genkitMessage) bool {
	role := chunk.role.string()
	if !chunk.isOf(role) {
		return false
	}
	found := genkitChunk{index: chunk.index.count(), aggregated: chunk.aggregated == "true"}
	if role != "tool" {
		found.readParts(chunk.content)
	}
	env.describe(e, sofar.grow(&found).kind()|when(found.named, tpot.KindToolMeta))
	return true
}

// rawGenkitChunk is the members of a chunk.
type rawGenkitChunk struct{ content, role, aggregated, index raw }

// isOf is whether these are the members of a chunk: it has the number of its message and, unless it is empty, a list of parts; what
// comes out of genkit has a role too.
func (chunk *rawGenkitChunk) isOf(role string) bool {
	switch {
	case !chunk.index.isNumber():
		return false
	case role == "":
		return chunk.content.isArray()
	}
	return (role == "model" || role == "tool") && (chunk.content.isArray() || chunk.content == "")
}

func readGenkitChunk(object raw) (chunk rawGenkitChunk) {
	c := object.cursor()
	for key := range c.members {
		switch key {
		case "content":
			chunk.content = c.raw()
		case "role":
			chunk.role = c.raw()
		case "aggregated":
			chunk.aggregated = c.raw()
		case "index":
			chunk.index = c.raw()
		}
	}
	return chunk
}

// genkitChunk is what a chunk holds.
type genkitChunk struct {
	index      int  // of its message
	aggregated bool // its parts are all there is of the message so far
	parts      genkitParts
	named      bool // there is a call of a tool without arguments
}

func (chunk *genkitChunk) readParts(content raw) {
	c := content.cursor()
	for range c.elements {
		parts, named := readGenkitPart(c)
		chunk.parts = chunk.parts.plus(parts)
		chunk.named = chunk.named || named
	}
}

// genkitParts is how much the parts of a chunk hold of each kind, as written.
type genkitParts struct{ text, reasoning, calls, media int }

func readGenkitPart(c *cursor) (parts genkitParts, named bool) {
	var text, data int
	for key := range c.members {
		switch key {
		case "text":
			text = c.raw().written()
		case "data":
			data = c.raw().written()
		case "reasoning":
			parts.reasoning = c.raw().written()
		case "media":
			parts.media = c.raw().member("url").written()
		case "toolRequest":
			parts.calls, named = readToolRequest(c)
		}
	}
	parts.text = text + data
	return parts, named
}

// readToolRequest reads a call: its input, pieces of a string or a whole value, and whether there is a name or reference alone.
func readToolRequest(c *cursor) (input int, named bool) {
	var name, reference bool
	for key := range c.members {
		switch key {
		case "name":
			name = c.filled()
		case "ref":
			reference = c.filled()
		case "input":
			input = genkitInput(c.raw())
		}
	}
	return input, input == 0 && (name || reference)
}

func genkitInput(input raw) int {
	if input.isString() || input == "null" {
		return input.written()
	}
	return len(input)
}

func (p genkitParts) kind() tpot.Kind {
	return when(p.text > 0, tpot.KindText) | when(p.reasoning > 0, tpot.KindReasoning) |
		when(p.calls > 0, tpot.KindToolCall) | when(p.media > 0, tpot.KindMedia)
}

func (p genkitParts) plus(q genkitParts) genkitParts {
	return genkitParts{p.text + q.text, p.reasoning + q.reasoning, p.calls + q.calls, p.media + q.media}
}

func (p genkitParts) minus(q genkitParts) genkitParts {
	return genkitParts{p.text - q.text, p.reasoning - q.reasoning, p.calls - q.calls, p.media - q.media}
}

// genkitMessage is what the chunks of one message have come to.
type genkitMessage struct {
	index int
	parts genkitParts
}

// grow takes in a chunk and returns what was not there before.
func (m *genkitMessage) grow(chunk *genkitChunk) genkitParts {
	if chunk.index != m.index {
		*m = genkitMessage{index: chunk.index}
	}
	before := m.parts
	if !chunk.aggregated {
		m.parts = before.plus(chunk.parts)
		return chunk.parts
	}
	m.parts = chunk.parts
	return chunk.parts.minus(before)
}

// genkitResponse is what a response says of how it ended. Its message repeats the chunks.
type genkitResponse struct {
	reason string
	usage  tpot.Usage
}

func readGenkitResponse(object raw) (r genkitResponse) {
	c := object.cursor()
	for key := range c.members {
		switch key {
		case "finishReason":
			r.reason = c.string()
		case "usage":
			r.usage = genkitUsage(c.raw())
		}
	}
	return r
}

// genkitResponse describes a response. Genkit has one although its model broke off: without a finish reason, or with one that
// is unknown, but with the tokens so far. A model that says neither gives no more than its return.
func (env *envelope) genkitResponse(e *tpot.Event, r genkitResponse) {
	kind := when(r.usage != tpot.Usage{}, tpot.KindUsage)
	switch {
	case r.reason == "unknown":
	case r.reason != "":
		kind |= tpot.KindFinish
		e.FinishReason = r.reason
	case kind == 0:
		kind = tpot.KindDone
	}
	env.describe(e, kind)
	e.Usage = r.usage
}

func genkitUsage(usage raw) (u tpot.Usage) {
	var total int
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "inputTokens":
			u.Input = c.count()
		case "outputTokens":
			u.Output = c.count()
		case "thoughtsTokens":
			u.Reasoning = c.count()
		case "cachedContentTokens":
			u.Cached = c.count()
		case "totalTokens":
			total = c.count()
		}
	}
	return withReasoning(u, total)
}
