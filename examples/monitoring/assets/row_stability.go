package assets

func (q queries) stabilityRow() row {
	return row{"Stability", []panel{
		{
			title: "Unevenness of gaps",
			description: "Coefficient of variation of a request's gaps between chunks: their standard deviation over their mean. " +
				"0 is a metronome; far above 1 are bursts or freezes.",
			unit: unitNumber, width: half,
			curves: q.quantiles(byBoth, gapCV, []string{scenario, model}, 50, 95),
		},
		{
			title: "Stalls per request",
			description: "Waits for a next chunk that were at least as long as the Tracker's Stall, 500 ms unless set, over requests that ended. " +
				"Pings do not break a stall; a slow consumer makes none.",
			unit: unitNumber, width: half, limit: limit{stallsLimit, "stalls per request"},
			curves: []curve{{byBoth, q.stallsPerRequest(scenario, model)}},
		},
		{
			title:       "Duration of stalls",
			description: "How long the waits lasted that were stalls. Absent while there are none.",
			unit:        unitSeconds, width: half,
			curves: q.quantiles(byBoth, stallDuration, []string{scenario, model}, 50, 95),
		},
		{
			title: "Time in stalls",
			description: "Seconds that went by in stalls, over all seconds of requests. " +
				"A stall counts when it ends, the rest when the request does.",
			unit: unitShare, width: half,
			curves: []curve{{byBoth, q.stalledShare(scenario, model)}},
		},
	}}
}
