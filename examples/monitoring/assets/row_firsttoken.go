package assets

func (q queries) firstTokenRow() row {
	return row{"First token", []panel{
		{
			title:       "TTFT by scenario",
			description: "Start of the request, retries included, to the first chunk of any output: text, reasoning, arguments of a tool call, refusal or media.",
			unit:        unitSeconds, width: half, limit: firstTokenLimit.Seconds(),
			curves: q.quantilesBy(byScenario, ttft, []string{scenario}, 50, 95, 99),
		},
		{
			title:       "TTFT by model",
			description: "The same by the model that was asked for.",
			unit:        unitSeconds, width: half, limit: firstTokenLimit.Seconds(),
			curves: q.quantilesBy(byModel, ttft, []string{model}, 50, 95, 99),
		},
		{
			title:       "TTFO by scenario and model",
			description: "Start of the request to the first chunk that is more than reasoning. What it exceeds TTFT by, the model thought aloud.",
			unit:        unitSeconds, width: half,
			curves: q.quantilesBy(byBoth, ttfo, []string{scenario, model}, 95),
		},
		{
			title: "No first token, by reason",
			description: "Requests that ended before any output, per minute: canceled, timeout, truncated and failed are outcomes; " +
				"no_output ended well without any, unclassified had events that were not understood.",
			unit: unitPerMin, width: half, shape: stacked,
			curves: []curve{{"{{" + reason + "}}", "60 * " + q.perSecond(noFirstToken, reason)}},
		},
	}}
}

// quantilesBy are curves of a histogram by labels, named by the legend and the quantile.
func (q queries) quantilesBy(legend string, m metric, by []string, ps ...percentile) []curve {
	var curves []curve
	for _, p := range ps {
		curves = append(curves, curve{legend + " " + p.String(), q.quantile(p, m, by...)})
	}
	return curves
}
