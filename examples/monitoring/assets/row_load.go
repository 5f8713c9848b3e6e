package assets

func (q queries) loadRow() row {
	const atEnd = "They count when their request ends."
	return row{"Load", []panel{
		{
			title:       "Requests per minute",
			description: "Requests that ended, of any outcome.",
			unit:        unitPerMinute, width: half,
			curves: []curve{{byBoth, "60 * " + q.perSecond(requests, scenario, model)}},
		},
		{
			title:       "Active streams by model",
			description: "Requests that have started and not ended.",
			unit:        unitNumber, width: half, shape: stacked,
			curves: []curve{{byModel, q.level(activeStreams, model)}},
		},
		{
			title:       "Output tokens per second",
			description: "Tokens of the output that was streamed: reported, counted or guessed. " + atEnd,
			unit:        unitTokensPerSecond, width: third,
			curves: []curve{{byModel, q.perSecond(outputTokens, model)}},
		},
		{
			title:       "Output tokens per minute",
			description: "Tokens of the output that was streamed, per minute as providers state their limits. " + atEnd,
			unit:        unitTokensPerMinute, width: third,
			curves: []curve{{byModel, "60 * " + q.perSecond(outputTokens, model)}},
		},
		{
			title:       "Input tokens per second",
			description: "Tokens of prompts, as providers report them; requests without a report have none. " + atEnd,
			unit:        unitTokensPerSecond, width: third,
			curves: []curve{{byModel, q.where(tokenType+`="input"`).total(tokenUsage, model)}},
		},
	}}
}
