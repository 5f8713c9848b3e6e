package wire

import "github.com/tokentiming/tokentiming/tpot"

// tgiMembers are the members of Text Generation Inference's /generate_stream.
type tgiMembers struct {
	token     raw
	details   raw
	errorType string
}

func (m *tgiMembers) member(key string, c *cursor) bool {
	switch key {
	case "token":
		m.token = c.raw()
	case "details":
		m.details = c.raw()
	case "error_type":
		m.errorType = c.string()
	default:
		return false
	}
	return true
}

// tgiToken is the shape of TGI: an event for each token, and a token that is special is one but no text.
func (env *envelope) tgiToken(e *tpot.Event) bool {
	m := &env.tgi
	if env.failure.present && m.errorType != "" {
		env.failure.label = m.errorType
		env.describe(e, 0)
		return true
	}
	if !m.token.isObject() {
		return false
	}
	kind := readToken(m.token)
	if m.details.isObject() {
		kind |= tpot.KindUsage
		e.Usage, e.FinishReason = readDetails(m.details)
		kind |= when(e.FinishReason != "", tpot.KindFinish)
	}
	env.describe(e, kind)
	e.Tokens = 1
	return true
}

func readToken(token raw) tpot.Kind {
	var text, special bool
	c := token.cursor()
	for key := range c.members {
		switch key {
		case "text":
			text = c.filled()
		case "special":
			special = c.raw() == "true"
		}
	}
	return when(text && !special, tpot.KindText)
}

func readDetails(details raw) (u tpot.Usage, reason string) {
	c := details.cursor()
	for key := range c.members {
		switch key {
		case "finish_reason":
			reason = c.string()
		case "generated_tokens":
			u.Output = c.count()
		case "input_length":
			u.Input = c.count()
		}
	}
	return u, reason
}
