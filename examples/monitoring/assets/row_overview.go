package assets

// overviewRow is what an operator looks at first: the three together tell slow to start, slow to flow and overloaded apart.
func (q queries) overviewRow() row {
	return row{"At a glance", []panel{
		{
			title: "First token: slow to start?",
			description: "TTFT: start of the request to its first chunk of output, reasoning included. " +
				"High here while cadence is normal: slow to start. Look at queues, prompts' length, retries and cold models. " +
				"High in all three panels: overloaded.",
			unit: unitSeconds, width: third, limit: firstTokenLimit.Seconds(),
			curves: q.quantiles(ttft, 50, 95, 99),
		},
		{
			title: "Cadence: slow to flow?",
			description: "TPOT: first chunk to last chunk over the tokens after the first, once a request. " +
				"ITL: gap before a chunk over its tokens, or the gap itself where tokens are not counted; the worst scenario and model. " +
				"TPOT high while the first token is quick: slow to flow. ITL alone high: streams flow, and freeze now and then.",
			unit: unitSeconds, width: third, limit: perTokenLimit.Seconds(),
			curves: []curve{
				{"TPOT p50", q.perToken(50)},
				{"TPOT p95", q.perToken(95)},
				{"TPOT p99", q.perToken(99)},
				{"ITL p99, worst", "max(\n" + q.interToken(99) + "\n)"},
			},
		},
		{
			title: "Load: overloaded?",
			description: "Streams that have started and not ended, and requests that ended per minute. " +
				"Streams that climb while requests do not: each takes longer, for they arrive faster than they are served. " +
				"Slow panels to the left with no more streams than usual: it is not load.",
			unit: unitNumber, width: third,
			curves: []curve{
				{"active streams", q.level(activeStreams)},
				{"requests per minute", "60 * " + q.perSecond(requests)},
			},
		},
	}}
}

// quantiles are curves of a histogram, named by quantile alone.
func (q queries) quantiles(m metric, ps ...percentile) []curve {
	var curves []curve
	for _, p := range ps {
		curves = append(curves, curve{p.String(), q.quantile(p, m)})
	}
	return curves
}

// Legends.
const (
	byScenario = "{{" + scenario + "}}"
	byModel    = "{{" + model + "}}"
	byBoth     = byScenario + " " + byModel
)
