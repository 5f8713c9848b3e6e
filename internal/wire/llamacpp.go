package wire

import "github.com/tokentiming/tokentiming/tpot"

// llamaMembers are the members of llama.cpp's server: of its own /completion, and the timings that it adds to other
// shapes.
type llamaMembers struct {
	stop                 raw
	stopType             string
	evaluated, predicted int // tokens
	timings              raw
}

func (m *llamaMembers) member(key string, c *cursor) bool {
	switch key {
	case "stop":
		m.stop = c.raw()
	case "stop_type":
		m.stopType = c.string()
	case "tokens_evaluated":
		m.evaluated = c.count()
	case "tokens_predicted":
		m.predicted = c.count()
	case "timings":
		m.timings = c.raw()
	default:
		return false
	}
	return true
}

// llamaCompletion is the shape of llama.cpp's own /completion. The counts of an event that is not the last are of no use:
// a token may be held back.
func (env *envelope) llamaCompletion(e *tpot.Event) bool {
	m := &env.llama
	stopped := m.stop == "true"
	if !stopped && m.stop != "false" || !env.content.isString() {
		return false
	}
	kind := when(env.content.filled(), tpot.KindText)
	if stopped {
		kind |= tpot.KindFinish | tpot.KindUsage | tpot.KindDone
		e.FinishReason = m.stopType
		e.Usage = tpot.Usage{Input: m.evaluated, Output: m.predicted}
	}
	env.describe(e, kind)
	e.Choice = env.index
	return true
}

func (m *llamaMembers) report(t *tpot.ServerTimings) {
	*t = tpot.ServerTimings{Source: "llama.cpp"}
	c := m.timings.cursor()
	for key := range c.members {
		switch key {
		case "cache_n":
			t.CachedTokens = c.count()
		case "prompt_n":
			t.PromptTokens = c.count()
		case "prompt_ms":
			t.Prompt = c.raw().milliseconds()
		case "predicted_n":
			t.OutputTokens = c.count()
		case "predicted_ms":
			t.Output = c.raw().milliseconds()
		case "draft_n":
			t.DraftTokens = c.count()
		case "draft_n_accepted":
			t.DraftAccepted = c.count()
		}
	}
}
