package assets

import "fmt"

func (q queries) sloRow() row {
	return row{"Service level", []panel{
		{
			title: "Goodput",
			description: "Share of requests that met every limit of the Tracker's SLO, of those that limits apply to: cancels are none of them. " +
				"Absent without an SLO.",
			unit: unitShare, width: third,
			curves: []curve{{byBoth, q.goodShare(scenario, model)}},
		},
		q.burnPanel("5m"),
		q.burnPanel("1h"),
	}}
}

func (q queries) burnPanel(window string) panel {
	return panel{
		title: "Burn rate over " + window,
		description: fmt.Sprintf("Share of requests that missed a limit of the Tracker's SLO, over the share that an objective of %v %% allows. "+
			"At 1 the budget just lasts.", objective*100),
		unit: unitNumber, width: third, limit: limit{fastBurn, "both windows"},
		curves: []curve{{byBoth, fmt.Sprintf("(%s)\n/\n(1 - %s)", q.over(window).missShare(scenario, model), number(objective))}},
	}
}
