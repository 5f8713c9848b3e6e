package assets

func (q queries) cadenceRow() row {
	return row{"Cadence", []panel{
		q.perTokenPanel(50), q.perTokenPanel(95), q.perTokenPanel(99),
		q.interTokenPanel(50), q.interTokenPanel(95), q.interTokenPanel(99),
		{
			title: "Gaps between chunks",
			description: "How many of the gaps between two consecutive chunks of output were how long. " +
				"A band far above the others: streams that flow and freeze.",
			unit: unitSeconds, width: half, shape: buckets,
			curves: []curve{{"{{le}}", q.distribution("increase", chunkGap, nil)}},
		},
		{
			title: "TPOT p95 by where the token count comes from",
			description: "First chunk to last chunk over the tokens after the first. Tokens are reported by the provider, " +
				"counted with each chunk, or taken as one a chunk (chunks), which is a guess: too slow where chunks carry more.",
			unit: unitSeconds, width: half,
			curves: q.quantiles("{{"+tokenSource+"}}", tpot, []string{tokenSource}, 95),
		},
	}}
}

func (q queries) perTokenPanel(p percentile) panel {
	return panel{
		title: "TPOT " + p.String(),
		description: "First chunk to last chunk over the tokens after the first, once a request. " +
			"Of requests whose tokens are reported or counted; where there are no such requests, a chunk is taken for a token.",
		unit: unitSeconds, width: third, limit: limit{perTokenLimit.Seconds(), "TPOT p99"},
		curves: []curve{{byBoth + " " + p.String(), q.perToken(p, scenario, model)}},
	}
}

func (q queries) interTokenPanel(p percentile) panel {
	return panel{
		title: "ITL " + p.String(),
		description: "The gap before a chunk over the chunk's tokens, once for each token, recorded when the request ends. " +
			"Of streams whose tokens are not counted, it is the gap between chunks.",
		unit: unitSeconds, width: third, limit: limit{interTokenLimit.Seconds(), "ITL p99"},
		curves: []curve{{byBoth + " " + p.String(), q.quantile(p, itl, scenario, model)}},
	}
}
