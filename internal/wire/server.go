package wire

import "github.com/tokentiming/tokentiming/tpot"

// report writes into t what the event says of the server's own work, if it does.
func (env *envelope) report(t *tpot.ServerTimings) bool {
	return env.ollama.report(t) || env.llama.report(t) || env.vllm(t) || env.bedrock.report(t) ||
		env.groqTimes(t) || env.sglangLatency(t)
}

// vllm is the member metrics that vLLM adds to the last event.
func (env *envelope) vllm(t *tpot.ServerTimings) bool {
	if !env.metrics.isObject() {
		return false
	}
	*t = tpot.ServerTimings{Source: "vllm"}
	c := env.metrics.cursor()
	for key := range c.members {
		switch key {
		case "time_to_first_token_ms":
			t.TTFT = c.raw().milliseconds()
		case "generation_time_ms":
			t.Output = c.raw().milliseconds()
		case "queue_time_ms":
			t.Queue = c.raw().milliseconds()
		case "mean_itl_ms":
			t.MeanITL = c.raw().milliseconds()
		case "tokens_per_second":
			t.TokensPerSecond = c.raw().float()
		case "speculative_decoding":
			t.DraftTokens, t.DraftAccepted = readDraft(c)
		}
	}
	return true
}

func readDraft(c *cursor) (proposed, accepted int) {
	for key := range c.members {
		switch key {
		case "draft_tokens":
			proposed = c.count()
		case "accepted_tokens":
			accepted = c.count()
		}
	}
	return proposed, accepted
}

// groqTimes is in the usage of Groq's own member, in seconds.
func (env *envelope) groqTimes(t *tpot.ServerTimings) bool {
	if env.groq == "" {
		return false
	}
	usage := member(env.groq, "usage")
	if !member(usage, "total_time").isNumber() {
		return false
	}
	*t = tpot.ServerTimings{Source: "groq"}
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "queue_time":
			t.Queue = c.raw().seconds()
		case "prompt_time":
			t.Prompt = c.raw().seconds()
		case "completion_time":
			t.Output = c.raw().seconds()
		case "total_time":
			t.Total = c.raw().seconds()
		case "prompt_tokens":
			t.PromptTokens = c.count()
		case "completion_tokens":
			t.OutputTokens = c.count()
		}
	}
	return true
}

// sglangLatency is the time of a whole request, which SGLang says with the last event.
func (env *envelope) sglangLatency(t *tpot.ServerTimings) bool {
	if env.sglang == "" {
		return false
	}
	latency := readMetaInfo(env.sglang).latency
	if !latency.isNumber() {
		return false
	}
	*t = tpot.ServerTimings{Source: "sglang", Total: latency.seconds()}
	return true
}
