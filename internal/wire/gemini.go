package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// geminiMembers are the members of Gemini's streamGenerateContent.
type geminiMembers struct {
	candidates choices
	usage      raw // usageMetadata
	feedback   raw // promptFeedback
	version    string
	headers    bool // sdkHttpResponse, which Google's library adds to every event
}

func (m *geminiMembers) member(key string, c *cursor) bool {
	switch key {
	case "candidates":
		m.candidates = readCandidates(c)
	case "usageMetadata":
		m.usage = c.raw()
	case "promptFeedback":
		m.feedback = c.raw()
	case "sdkHttpResponse":
		m.headers = c.raw().isObject()
	case "modelVersion":
		m.version = c.string()
	default:
		return false
	}
	return true
}

// google is the shape of Gemini. Its usage is on every event and is that of all candidates together.
func (env *envelope) google(e *tpot.Event) bool {
	m := &env.gemini
	if !m.candidates.listed && !m.usage.isObject() && !m.feedback.isObject() && !m.headers {
		return false
	}
	kind := m.candidates.kind
	e.FinishReason = m.candidates.finish
	if reason := m.feedback.member("blockReason").string(); reason != "" { // the prompt gets no answer
		kind |= tpot.KindFinish
		e.FinishReason = cmp.Or(e.FinishReason, reason)
	}
	if m.usage.isObject() {
		kind |= tpot.KindUsage
		e.Usage = geminiUsage(m.usage)
	}
	env.model = cmp.Or(m.version, env.model)
	env.describe(e, kind)
	e.Choice = m.candidates.index
	return true
}

// readCandidates reads what the list of candidates says as a whole.
func readCandidates(c *cursor) choices {
	all := choices{listed: c.peek() == '['}
	for range c.elements {
		var one choice
		readCandidate(c, &one)
		all.merge(&one)
	}
	return all
}

// readCandidate reads one candidate, which has a kind whatever it says.
func readCandidate(c *cursor, one *choice) {
	for key := range c.members {
		switch key {
		case "index":
			one.index = c.count()
		case "content":
			one.kind = readParts(c)
		case "finishReason":
			one.finish = c.string()
		}
	}
	one.kind |= when(one.finish != "", tpot.KindFinish)
	if one.kind == 0 {
		one.kind = tpot.KindStatus
	}
}

// readParts reads the parts of a candidate's content.
func readParts(c *cursor) (kind tpot.Kind) {
	for key := range c.members {
		if key != "parts" {
			continue
		}
		kind = 0
		for range c.elements {
			kind |= readGeminiPart(c)
		}
	}
	return kind
}

// readGeminiPart reads one part. Thoughts are summaries of the reasoning; the result of code that the server ran was not
// generated.
func readGeminiPart(c *cursor) tpot.Kind {
	var text, thought, call, code, data bool
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "thought":
			thought = c.raw() == "true"
		case "functionCall":
			call = c.raw().isObject()
		case "executableCode":
			code = c.raw().isObject()
		case "inlineData":
			data = c.raw().member("data").filled()
		}
	}
	other := when(call || code, tpot.KindToolCall) | when(data, tpot.KindMedia)
	switch {
	case text && thought:
		return other | tpot.KindReasoning | tpot.KindSummary
	case text:
		return other | tpot.KindText
	}
	return other
}

// geminiUsage counts the thoughts as output, which candidatesTokenCount does not.
func geminiUsage(usage raw) (u tpot.Usage) {
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "promptTokenCount":
			u.Input = c.count()
		case "candidatesTokenCount":
			u.Output = c.count()
		case "thoughtsTokenCount":
			u.Reasoning = c.count()
		case "cachedContentTokenCount":
			u.Cached = c.count()
		}
	}
	u.Output += u.Reasoning
	return u
}
