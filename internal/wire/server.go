package wire

import "github.com/tokentiming/tokentiming/tpot"

// report writes into t what the event says of the server's own work, if it does.
func (env *envelope) report(t *tpot.ServerTimings) {
	switch {
	case env.ollama.total != "":
		env.ollama.report(t)
	case env.llama.timings.isObject():
		env.llama.report(t)
	case env.metrics.isObject():
		env.vllm(t)
	case env.bedrock.metrics.isObject():
		env.bedrock.report(t)
	case env.bedrock.union == "metadata":
		env.bedrock.reportLatency(t)
	case env.groq != "":
		env.groqTimes(t)
	case env.sglang != "":
		env.sglangLatency(t)
	}
}

// vllm reads the member metrics that vLLM adds to the last event.
func (env *envelope) vllm(t *tpot.ServerTimings) {
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

// groqTimes reads the times in the usage of Groq's own member, in seconds.
func (env *envelope) groqTimes(t *tpot.ServerTimings) {
	usage := env.groq.member("usage")
	if !usage.member("total_time").isNumber() {
		return
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
}

// sglangLatency reads the time of the whole request, which SGLang says with the last event.
func (env *envelope) sglangLatency(t *tpot.ServerTimings) {
	if latency := readMetaInfo(env.sglang).latency; latency.isNumber() {
		*t = tpot.ServerTimings{Source: "sglang", Total: latency.seconds()}
	}
}
