package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// converseEvent describes an event of Bedrock's ConverseStream, whose name is in its frame. ok is false when data is malformed
// or no such event is known.
func converseEvent(name, data string) (e tpot.Event, server tpot.ServerTimings, ok bool) {
	c := newCursor(data)
	payload := c.raw()
	if !c.complete() || !payload.isObject() {
		return e, server, false
	}
	ok = describeConverse(&e, name, payload)
	if name == "metadata" {
		server = converseMetrics(payload)
	}
	return e, server, ok
}

func describeConverse(e *tpot.Event, name string, payload raw) bool {
	kind := tpot.KindStatus
	switch name {
	case "messageStart", "contentBlockStart", "contentBlockStop":
	case "contentBlockDelta":
		kind = cmp.Or(converseOutput(payload), kind)
	case "messageStop":
		kind, e.FinishReason = tpot.KindFinish, payload.member("stopReason").label()
	case "metadata":
		kind, e.Usage = tpot.KindUsage, converseUsage(payload.member("usage"))
	default:
		return false
	}
	e.Kind = kind | tpot.KindMarked
	return true
}

func converseOutput(payload raw) tpot.Kind {
	var text, reasoning, input, image bool
	c := payload.member("delta").cursor()
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "reasoningContent":
			reasoning = c.raw().member("text").filled()
		case "toolUse":
			input = c.raw().member("input").filled()
		case "image":
			image = c.raw().isObject()
		}
	}
	return when(text, tpot.KindText) | when(reasoning, tpot.KindReasoning) | when(input, tpot.KindToolCall) |
		when(image, tpot.KindMedia)
}

func converseUsage(usage raw) (u tpot.Usage) {
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "inputTokens":
			u.Input = c.count()
		case "outputTokens":
			u.Output = c.count()
		case "cacheReadInputTokens":
			u.Cached = c.count()
		}
	}
	return u
}

func converseMetrics(payload raw) (t tpot.ServerTimings) {
	latency := payload.member("metrics").member("latencyMs")
	if latency.isNumber() {
		t = tpot.ServerTimings{Source: "bedrock", Total: latency.milliseconds()}
	}
	return t
}

// bedrockMembers are the members of events that models on Bedrock send through InvokeModelWithResponseStream and that no
// other shape has.
type bedrockMembers struct {
	generation                   raw // Llama
	generationCount, promptCount int
	stopReason                   string

	outputText                      raw // Titan
	outputTextCount, inputTextCount int
	completionReason                string

	outputs raw // Mistral

	union   string // Nova, and AWS's library: the name of its one member, an event of ConverseStream
	payload raw

	metrics raw // amazon-bedrock-invocationMetrics, at the end of every model's
}

func (m *bedrockMembers) member(key string, c *cursor) bool {
	switch key {
	case "generation":
		m.generation = c.raw()
	case "generation_token_count":
		m.generationCount = c.count()
	case "prompt_token_count":
		m.promptCount = c.count()
	case "stop_reason":
		m.stopReason = c.string()
	case "outputText":
		m.outputText = c.raw()
	case "totalOutputTextTokenCount":
		m.outputTextCount = c.count()
	case "inputTextTokenCount":
		m.inputTextCount = c.count()
	case "completionReason":
		m.completionReason = c.string()
	case "outputs":
		m.outputs = c.raw()
	case "amazon-bedrock-invocationMetrics":
		m.metrics = c.raw()
	case "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata":
		m.union, m.payload = key, c.raw()
	default:
		return false
	}
	return true
}

// bedrockModel is the shapes that Llama, Titan, Mistral and Nova have on Bedrock. Claude and others have their own.
func (env *envelope) bedrockModel(e *tpot.Event) bool {
	m := &env.bedrock
	switch {
	case m.generation.isString():
		m.describe(env, e, m.generation.filled(), m.stopReason, tpot.Usage{Input: m.promptCount, Output: m.generationCount})
	case m.outputText.isString():
		m.describe(env, e, m.outputText.filled(), m.completionReason, tpot.Usage{Input: m.inputTextCount, Output: m.outputTextCount})
	case m.outputs.isArray():
		text, reason := readOutputs(m.outputs)
		m.describe(env, e, text, reason, tpot.Usage{})
	default:
		return env.nova(e)
	}
	return true
}

// nova is the shape of Nova, which has the events of ConverseStream. Other wires have an object called metadata too, but not with usage in it.
func (env *envelope) nova(e *tpot.Event) bool {
	m := &env.bedrock
	if !m.payload.isObject() || m.union == "metadata" && !m.payload.member("usage").isObject() {
		return false
	}
	describeConverse(e, m.union, m.payload)
	env.describe(e, e.Kind)
	return true
}

// describe says in e what a model's event holds, its text, its stop reason and its counts of tokens so far.
func (m *bedrockMembers) describe(env *envelope, e *tpot.Event, text bool, reason string, u tpot.Usage) {
	kind := when(text, tpot.KindText) | when(reason != "", tpot.KindFinish)
	kind = cmp.Or(kind, tpot.KindStatus) | when(u != tpot.Usage{}, tpot.KindUsage)
	env.describe(e, kind)
	e.FinishReason, e.Usage = reason, u
}

// readOutputs reads Mistral's list of outputs.
func readOutputs(outputs raw) (text bool, reason string) {
	c := outputs.cursor()
	for range c.elements {
		more, last := readOutput(c)
		text, reason = text || more, cmp.Or(reason, last)
	}
	return text, reason
}

func readOutput(c *cursor) (text bool, reason string) {
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "stop_reason":
			reason = c.string()
		}
	}
	return text, reason
}

func (m *bedrockMembers) report(t *tpot.ServerTimings) {
	*t = tpot.ServerTimings{Source: "bedrock"}
	c := m.metrics.cursor()
	for key := range c.members {
		switch key {
		case "inputTokenCount":
			t.PromptTokens = c.count()
		case "outputTokenCount":
			t.OutputTokens = c.count()
		case "invocationLatency":
			t.Total = c.raw().milliseconds()
		case "firstByteLatency":
			t.TTFT = c.raw().milliseconds()
		}
	}
}

// reportLatency is report for an event of ConverseStream.
func (m *bedrockMembers) reportLatency(t *tpot.ServerTimings) {
	if server := converseMetrics(m.payload); server.Source != "" {
		*t = server
	}
}
