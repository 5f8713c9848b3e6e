package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// openAI is the shape of OpenAI's chat and legacy completions and of the many servers that speak them.
func (env *envelope) openAI(e *tpot.Event) bool {
	if !env.choices.listed && env.object != "chat.completion.chunk" && env.object != "text_completion" {
		return false
	}
	kind := env.choices.kind
	if usage := env.openAIUsage(); usage != "" {
		kind |= tpot.KindUsage
		e.Usage = openAIUsage(usage)
	}
	if env.groq != "" {
		env.failure = readFailure(env.groq.member("error").cursor()).or(env.failure)
	}
	if env.choices.failure.present {
		env.failure = env.choices.failure.or(env.failure)
	}
	if kind&moreThanRole != 0 || env.failure.present {
		kind &^= tpot.KindRole
	}
	env.describe(e, kind)
	e.Choice, e.Tokens, e.FinishReason = env.choices.index, env.choices.tokens, env.choices.finish
	return true
}

// openAIUsage is the usage of the event, or where it has none that of a choice (Moonshot) or of Groq's own member.
func (env *envelope) openAIUsage() raw {
	switch {
	case env.usage.isObject():
		return env.usage
	case env.choices.usage.isObject():
		return env.choices.usage
	case env.groq != "":
		if usage := env.groq.member("usage"); usage.isObject() {
			return usage
		}
	}
	return ""
}

// moreThanRole is what a role counts for nothing beside: many servers repeat it in every chunk.
const moreThanRole = tpot.KindGenerated | tpot.KindToolMeta | tpot.KindFinish | tpot.KindError

// choices is what the list of choices says as a whole.
type choices struct {
	listed bool // there is a list, if only an empty one or null
	choice
}

// choice is what one choice says, or several of them together. Index is the lowest then.
type choice struct {
	kind    tpot.Kind
	index   int
	tokens  int
	finish  string
	usage   raw     // Moonshot
	failure failure // OpenRouter
}

func (all *choices) read(c *cursor) {
	*all = choices{listed: c.peek() == '[' || c.peek() == 'n'}
	for range c.elements {
		var one choice
		one.read(c)
		all.add(&one)
	}
}

func (all *choices) add(one *choice) {
	all.merge(one)
	all.kind |= tpot.KindChoices
}

// merge takes in another choice of the same list, so that it says what they say together. Those before it had a kind.
func (one *choice) merge(other *choice) {
	if one.kind == 0 || other.index < one.index {
		one.index = other.index
	}
	one.kind |= other.kind
	one.tokens += other.tokens
	one.finish = cmp.Or(one.finish, other.finish)
	one.failure = one.failure.or(other.failure)
	if other.usage.isObject() {
		one.usage = other.usage
	}
}

func (one *choice) read(c *cursor) {
	var delta tpot.Kind
	var text bool
	for key := range c.members {
		switch key {
		case "index":
			one.index = c.count()
		case "delta":
			delta = readDelta(c)
		case "text":
			text = c.filled()
		case "finish_reason":
			one.finish = c.string()
		case "token_ids":
			one.tokens = c.length()
		case "usage":
			one.usage = c.raw()
		case "error":
			one.failure = readFailure(c)
		}
	}
	one.kind = delta | when(text, tpot.KindText) |
		when(one.finish != "", tpot.KindFinish) | when(one.finish == "error" || one.failure.present, tpot.KindError)
}

// readDelta reads the delta of a choice. The two names of reasoning may both be there with the same text.
func readDelta(c *cursor) tpot.Kind {
	var content, calls, call, audio tpot.Kind
	var images int
	var role, refusal, reasoning, reasoningContent bool
	for key := range c.members {
		switch key {
		case "role":
			role = c.filled()
		case "content":
			content = readContent(c)
		case "reasoning":
			reasoning = readReasoning(c)
		case "reasoning_content":
			reasoningContent = c.filled()
		case "refusal":
			refusal = c.filled()
		case "tool_calls":
			calls = readToolCalls(c)
		case "function_call":
			call = readFunction(c)
		case "audio":
			audio = readAudio(c)
		case "images": // OpenRouter
			images = c.length()
		}
	}
	return when(images > 0, tpot.KindMedia) | content | calls | call | audio | when(role, tpot.KindRole) | when(refusal, tpot.KindRefusal) |
		when(reasoning || reasoningContent, tpot.KindReasoning)
}

// readReasoning reports whether there is text in a string, or in an object (any-llm-go).
func readReasoning(c *cursor) bool {
	if c.peek() == '{' {
		return c.raw().member("content").filled()
	}
	return c.filled()
}

// readContent reads a string or a list of parts (Mistral).
func readContent(c *cursor) (kind tpot.Kind) {
	if c.peek() != '[' {
		return when(c.filled(), tpot.KindText)
	}
	for range c.elements {
		kind |= readPart(c)
	}
	return kind
}

func readPart(c *cursor) tpot.Kind {
	var text, thinking bool
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "thinking":
			thinking = readThinking(c)
		}
	}
	return when(text, tpot.KindText) | when(thinking, tpot.KindReasoning)
}

// readThinking reports whether there is text in a list of text parts, or in a string.
func readThinking(c *cursor) (filled bool) {
	if c.peek() != '[' {
		return c.filled()
	}
	for range c.elements {
		filled = readThought(c) || filled
	}
	return filled
}

func readThought(c *cursor) (text bool) {
	for key := range c.members {
		if key == "text" {
			text = c.filled()
		}
	}
	return text
}

func readAudio(c *cursor) tpot.Kind {
	var data, transcript bool
	for key := range c.members {
		switch key {
		case "data":
			data = c.filled()
		case "transcript":
			transcript = c.filled()
		}
	}
	return when(data || transcript, tpot.KindMedia)
}

func openAIUsage(usage raw) (u tpot.Usage) {
	var reasoning int // SGLang has it outside of the details
	var hits int      // DeepSeek's name for what was cached
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "prompt_tokens":
			u.Input = c.count()
		case "completion_tokens":
			u.Output = c.count()
		case "reasoning_tokens":
			reasoning = c.count()
		case "completion_tokens_details":
			u.Reasoning = c.raw().member("reasoning_tokens").count()
		case "prompt_tokens_details":
			u.Cached = c.raw().member("cached_tokens").count()
		case "prompt_cache_hit_tokens":
			hits = c.count()
		}
	}
	u.Reasoning = max(u.Reasoning, reasoning)
	u.Cached = max(u.Cached, hits)
	return u
}
