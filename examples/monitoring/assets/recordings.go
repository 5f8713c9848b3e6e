package assets

// recorded is the name of a recording: its labels, what it is, and how it was computed.
func recorded(figure, operation string) string {
	return "scenario_model:tokentiming_" + figure + ":" + operation
}

// recordings are the figures of the last five minutes.
func (q queries) recordings() []rule {
	by := []string{scenario, model}
	rules := []rule{
		{Record: recorded("requests", "rate5m"), Expr: q.perSecond(requests, by...)},
		{Record: recorded("active_streams", "sum"), Expr: q.level(activeStreams, by...)},
		{Record: recorded("output_tokens", "rate5m"), Expr: q.perSecond(outputTokens, by...)},
	}
	for _, p := range []percentile{50, 95, 99} {
		operation := p.String() + "_rate5m"
		rules = append(rules,
			rule{Record: recorded("ttft_seconds", operation), Expr: q.quantile(p, ttft, by...)},
			rule{Record: recorded("ttfo_seconds", operation), Expr: q.quantile(p, ttfo, by...)},
			rule{Record: recorded("tpot_seconds", operation), Expr: q.perToken(p, by...)},
			rule{Record: recorded("itl_seconds", operation), Expr: q.quantile(p, itl, by...)},
			rule{Record: recorded("chunk_gap_cv", operation), Expr: q.quantile(p, gapCV, by...)},
		)
	}
	return rules
}

// windows are what alerts compare, each over as long as it takes to tell a fault from chance, or from the past.
func (q queries) windows() []rule {
	by := []string{scenario, model}
	past := q.over(canceledPast).before(canceledPastEnded)
	rules := []rule{
		{Record: recorded("stalls_per_request", "ratio_rate10m"), Expr: q.over("10m").stallsPerRequest(by...)},
		{Record: recorded("no_first_token", "ratio_rate10m"), Expr: q.over("10m").noFirstTokenShare(by...)},
		{Record: recorded("canceled", "ratio_rate10m"), Expr: q.over("10m").canceledShare(by...)},
		{
			Record: recorded("canceled_before", "ratio_rate"+canceledPast),
			Expr:   past.canceledShare(by...) + "\nand\n" + past.increase(requests, by...) + " >= " + number(manyRequests),
		},
	}
	for _, window := range []string{"5m", "10m"} {
		rules = append(rules, rule{Record: recorded("requests", "increase"+window), Expr: q.over(window).increase(requests, by...)})
	}
	for _, window := range []string{"5m", "30m"} {
		rules = append(rules, rule{Record: recorded("slo_requests", "increase"+window), Expr: q.over(window).increase(sloRequests, by...)})
	}
	for _, window := range []string{"5m", "30m", "1h", "6h"} {
		rules = append(rules, rule{Record: recorded("slo_misses", "ratio_rate"+window), Expr: q.over(window).missShare(by...)})
	}
	return rules
}
