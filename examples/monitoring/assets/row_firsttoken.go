package assets

func (q queries) firstTokenRow() row {
	return row{"First token", []panel{
		{
			title: "TTFT by scenario",
			description: "Start of the request, retries included, to the first chunk of any output: " +
				"text, reasoning, arguments of a tool call, refusal or media.",
			unit: unitSeconds, width: half, limit: limit{firstTokenLimit.Seconds(), "TTFT p95"},
			curves: q.quantiles(byScenario, ttft, []string{scenario}, 50, 95, 99),
		},
		{
			title: "TTFT by model",
			description: "Start of the request, retries included, to the first chunk of any output, by the model that was asked for. " +
				"One model apart from the others: its provider. All alike: the network, or this program.",
			unit: unitSeconds, width: half, limit: limit{firstTokenLimit.Seconds(), "TTFT p95"},
			curves: q.quantiles(byModel, ttft, []string{model}, 50, 95, 99),
		},
		{
			title: "TTFO by scenario and model",
			description: "Start of the request to the first chunk that is more than reasoning. " +
				"By as much as it exceeds TTFT, the model was thinking.",
			unit: unitSeconds, width: half,
			curves: q.quantiles(byBoth, ttfo, []string{scenario, model}, 95),
		},
		{
			title: "No first token, by reason",
			description: "Requests that ended before any output. canceled, timeout, truncated and failed are outcomes; " +
				"no_output ended well without any; unclassified had events that were not understood.",
			unit: unitPerMinute, width: half, shape: stacked,
			curves: []curve{{"{{" + reason + "}}", "60 * " + q.perSecond(noFirstToken, reason)}},
		},
	}}
}
