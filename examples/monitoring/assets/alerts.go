package assets

import "fmt"

// Severities.
const (
	page   = "page"   // someone is to look now
	ticket = "ticket" // someone is to look today
)

// alerts are by scenario and model, as the recordings are that they are made of.
func alerts() []rule {
	return []rule{
		slowTokens(), slowStart(), slowInterToken(), stallsAlert(), noFirstTokenAlert(), cancelsAlert(),
		burn("TokenTimingBurnRate", page, "5m", "1h", fastBurn, minRequests),
		burn("TokenTimingBurnRateSlow", ticket, "30m", "6h", slowBurn, manyRequests),
	}
}

// alert is one that waits for five minutes and stays for five more, so that a few requests neither start nor end it.
func alert(name, severity, expr string, a annotations) rule {
	a.Summary += ", {{ $labels." + scenario + " }} with {{ $labels." + model + " }}"
	return rule{
		Alert: name, Expr: expr, For: "5m", KeepFiringFor: "5m",
		Labels: map[string]string{"severity": severity}, Annotations: a,
	}
}

func slowTokens() rule {
	return alert("TokenTimingSlowTokens", ticket, exceeds("tpot_seconds", "p99_rate", "5m", seconds(perTokenLimit)), annotations{
		Summary:     "Slow tokens: TPOT p99 is {{ $value | humanizeDuration }}",
		Description: fmt.Sprintf("One request of a hundred or more took over %v for each token after its first, on average, over 5 minutes.", perTokenLimit),
		Runbook: "Look at ITL p50 in the row Cadence. If it rose too, every token is slow: look at active streams for load, then at the provider's status. " +
			"If only TPOT p99 rose, look at Stalls per request. If Hold rose, the reader of the streams is slow, not the model.",
	})
}

func slowStart() rule {
	return alert("TokenTimingSlowStart", ticket, exceeds("ttft_seconds", "p95_rate", "5m", seconds(firstTokenLimit)), annotations{
		Summary:     "Slow start: TTFT p95 is {{ $value | humanizeDuration }}",
		Description: fmt.Sprintf("One request of twenty waited more than %v for its first token, over 5 minutes.", firstTokenLimit),
		Runbook: "Look at TTFT by model. One model alone points at its provider or its queue, all of them at the network or at this program. " +
			"If setup grew in Where the time went, look for retries and for waits for a connection. If active streams grew, shed load. If input tokens grew and requests did not, prompts are longer.",
	})
}

func slowInterToken() rule {
	return alert("TokenTimingSlowInterToken", ticket, exceeds("itl_seconds", "p99_rate", "5m", seconds(interTokenLimit)), annotations{
		Summary:     "Halting tokens: ITL p99 is {{ $value | humanizeDuration }}",
		Description: fmt.Sprintf("One token of a hundred, or one chunk where tokens are not counted, came more than %v after the one before it, over 5 minutes.", interTokenLimit),
		Runbook: "Look at Gaps between chunks. A band of its own far up is streams that freeze: go on with Duration of stalls. All gaps grown is a slow model: go on with TPOT. " +
			"If unevenness rose while TPOT did not, something between sends chunks in bursts: look for a proxy that buffers.",
	})
}

func stallsAlert() rule {
	return alert("TokenTimingStalls", ticket, exceeds("stalls_per_request", "ratio_rate", "10m", number(stallsLimit)), annotations{
		Summary:     `Streams freeze: {{ printf "%.2f" $value }} stalls per request`,
		Description: fmt.Sprintf("More than %v stalls per request over 10 minutes.", stallsLimit),
		Runbook: "Look at Duration of stalls. p50 near p95, all about the same length, points at a timeout or a retry behind the provider; far apart, at load. " +
			"One model alone: move its traffic to another and tell its provider. All models: look at the network and the proxies on the way.",
	})
}

func noFirstTokenAlert() rule {
	return alert("TokenTimingNoFirstToken", page, exceeds("no_first_token", "ratio_rate", "10m", number(noFirstTokenLimit)), annotations{
		Summary:     "No answers: {{ $value | humanizePercentage }} of requests end without a token",
		Description: fmt.Sprintf("More than %v %% of requests ended before any output, over 10 minutes.", noFirstTokenLimit*100),
		Runbook: "Look at No first token, by reason. failed and timeout: look at Errors per minute by type and at the provider's status. canceled: users give up, look at TTFT. " +
			"truncated: the connection breaks early, look at the network and the proxies on the way. no_output: the model answers with nothing, look at the last change of prompt or model. unclassified: the stream's shape is not known, give its wrapper a classifier.",
	})
}

func cancelsAlert() rule {
	return alert("TokenTimingCancels", ticket, cancels()+enough("requests", "10m", minRequests), annotations{
		Summary: "Users leave: {{ $value | humanizePercentage }} of requests are canceled",
		Description: fmt.Sprintf("More than %v %% of requests were canceled over 10 minutes, and more than %d times the share of the %s that ended %s ago. "+
			"Without such a past the limit is %v %%.", canceledFloor*100, canceledGrowth, canceledPast, canceledPastEnded, canceledLimit*100),
		Runbook: "Look whether TTFT or TPOT rose at the same time: then users leave because they wait. If neither did, look for what changed in the answers, " +
			"and for a release whose clients close early or whose contexts end too soon.",
	})
}

// cancels is the share of requests that are canceled, where it is far above the past's, or high where there is no past.
func cancels() string {
	now, past := recorded("canceled", "ratio_rate10m"), recorded("canceled_before", "ratio_rate"+canceledPast)
	return fmt.Sprintf("(\n  %[1]s > %[2]s and %[1]s > %[3]d * %[4]s\nor\n  %[1]s > %[5]s unless %[4]s\n)",
		now, number(canceledFloor), canceledGrowth, past, number(canceledLimit))
}

// burn is an alert on how fast the budget of the objective is used up: over a window that is long enough to matter, and
// over a short one, so that it ends soon after the fault does.
func burn(name, severity, short, long string, times float64, requests int) rule {
	limit := fmt.Sprintf("%s * (1 - %s)", number(times), number(objective))
	expr := over(recorded("slo_misses", "ratio_rate"+short), limit) + "\nand\n" + over(recorded("slo_misses", "ratio_rate"+long), limit)
	return alert(name, severity, expr+enough("slo_requests", short, requests), annotations{
		Summary:     "Budget burns: {{ $value | humanizePercentage }} of requests miss their limits",
		Description: fmt.Sprintf("Over %s and over %s, the error budget of an objective of %v %% goes %v times as fast as it may.", short, long, objective*100, times),
		Runbook:     "Look at the three panels on top: they tell slow to start, slow to flow and overloaded apart. Then at Outcomes: a request that fails misses its limits too.",
	})
}

// exceeds is a figure that exceeds its limit over a window with enough requests.
func exceeds(figure, operation, window, limit string) string {
	return over(recorded(figure, operation+window), limit) + enough("requests", window, minRequests)
}

func over(figure, limit string) string { return figure + " > " + limit }

// enough is the end of an expression, which lets it say something only if there were so many requests in the window.
func enough(requests, window string, least int) string {
	return fmt.Sprintf("\nand\n%s >= %d", recorded(requests, "increase"+window), least)
}
