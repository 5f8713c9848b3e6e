package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// sglangGenerate is the shape of SGLang's own /generate. Its text is all there is so far, unless the server was told to
// send pieces.
func (env *envelope) sglangGenerate(e *tpot.Event) bool {
	if !env.sglang.isObject() {
		return false
	}
	m := readMetaInfo(env.sglang)
	kind := tpot.KindUsage | when(env.text.filled(), tpot.KindText) | when(m.reason != "", tpot.KindFinish) |
		when(m.reason == "abort", tpot.KindError)
	if kind == tpot.KindUsage {
		kind |= tpot.KindStatus
	}
	env.growing = growing{env.text, true}
	env.describe(e, kind)
	if m.reason == "abort" {
		e.ErrorType = cmp.Or(env.failure.label, m.reason)
	}
	e.Choice, e.Usage, e.FinishReason = env.index, m.usage, m.reason
	return true
}

// metaInfo is what timing wants of SGLang's member meta_info.
type metaInfo struct {
	usage   tpot.Usage
	reason  string
	latency raw // of the whole request, in seconds
}

func readMetaInfo(object raw) (m metaInfo) {
	c := object.cursor()
	for key := range c.members {
		switch key {
		case "prompt_tokens":
			m.usage.Input = c.count()
		case "completion_tokens":
			m.usage.Output = c.count()
		case "reasoning_tokens":
			m.usage.Reasoning = c.count()
		case "cached_tokens":
			m.usage.Cached = c.count()
		case "finish_reason":
			m.reason = c.raw().member("type").string()
		case "e2e_latency":
			m.latency = c.raw()
		}
	}
	return m
}
