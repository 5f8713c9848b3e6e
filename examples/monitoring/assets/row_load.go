package assets

import "fmt"

func (q queries) loadRow() row {
	perRequest := "Tokens count when their request ends, so that long answers come as steps."
	return row{"Load", []panel{
		{
			title:       "Requests per minute",
			description: "Requests that ended, whatever their outcome.",
			unit:        unitPerMin, width: half,
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
			description: "Tokens of the output that was streamed, reported, counted or guessed. " + perRequest,
			unit:        unitTokenSec, width: third,
			curves: []curve{{byModel, q.perSecond(outputTokens, model)}},
		},
		{
			title:       "Output tokens per minute",
			description: "The same per minute, as providers state their limits. " + perRequest,
			unit:        unitTokenMin, width: third,
			curves: []curve{{byModel, "60 * " + q.perSecond(outputTokens, model)}},
		},
		{
			title:       "Input tokens per second",
			description: "Tokens of prompts, as providers report them; requests without a report have none. " + perRequest,
			unit:        unitTokenSec, width: third,
			curves: []curve{{byModel, q.where(fmt.Sprintf("%s=%q", tokenType, "input")).total(tokenUsage, model)}},
		},
	}}
}
