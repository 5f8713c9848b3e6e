package assets

// overviewRow is what an operator looks at first: the three together tell slow to start, slow to flow and overloaded apart.
func (q queries) overviewRow() row {
	return row{"At a glance", []panel{
		{
			title: "First token: slow to start?",
			description: "TTFT: start of the request to its first chunk of output, reasoning included. " +
				"High here while cadence is as usual: slow to start. Look at queues, long prompts, retries and cold models. " +
				"High here and in cadence while streams pile up: overloaded.",
			unit: unitSeconds, width: third, limit: limit{firstTokenLimit.Seconds(), "TTFT p95"},
			curves: q.quantiles("", ttft, nil, 50, 95, 99),
		},
		{
			title: "Cadence: slow to flow?",
			description: "TPOT: first chunk to last chunk over the tokens after the first, once a request. " +
				"ITL: the gap before a chunk over its tokens, or the gap itself where tokens are not counted; of the worst scenario and model. " +
				"TPOT high while the first token is as usual: slow to flow. ITL alone high: streams flow, and freeze now and then.",
			unit: unitSeconds, width: third, limit: limit{perTokenLimit.Seconds(), "TPOT p99"},
			curves: []curve{
				{"TPOT p50", q.perToken(50)},
				{"TPOT p95", q.perToken(95)},
				{"TPOT p99", q.perToken(99)},
				{"ITL p99, worst", "max(\n" + q.quantile(99, itl, scenario, model) + "\n)"},
			},
		},
		{
			title: "Load: overloaded?",
			description: "Streams that have started and not ended, and requests that ended per minute. " +
				"Streams that climb while requests do not: they arrive faster than they are served, overloaded. " +
				"Slow to start or to flow with no more requests than usual: it is not load.",
			unit: unitNumber, width: third,
			curves: []curve{
				{"active streams", q.level(activeStreams)},
				{"requests per minute", "60 * " + q.perSecond(requests)},
			},
		},
	}}
}

// Legends.
const (
	byScenario = "{{" + scenario + "}}"
	byModel    = "{{" + model + "}}"
	byBoth     = byScenario + " " + byModel
)

// quantiles are curves of a histogram by labels, named by the legend and the quantile.
func (q queries) quantiles(legend string, m metric, by []string, ps ...percentile) []curve {
	if legend != "" {
		legend += " "
	}
	var curves []curve
	for _, p := range ps {
		curves = append(curves, curve{legend + p.String(), q.quantile(p, m, by...)})
	}
	return curves
}
