package assets

import "fmt"

func (q queries) sloRow() row {
	return row{"Service level", []panel{
		{
			title:       "Goodput",
			description: "Share of requests that met every limit of the Tracker's SLO, of those that limits apply to. Absent without an SLO.",
			unit:        unitShare, width: third,
			curves: []curve{{byBoth, q.goodShare(scenario, model)}},
		},
		q.burnPanel("5m"),
		q.burnPanel("1h"),
	}}
}

func (q queries) burnPanel(window string) panel {
	return panel{
		title: "Burn rate over " + window,
		description: fmt.Sprintf("Share of requests that missed a limit, over the share that an objective of %v %% allows. "+
			"At 1 the budget lasts its period; the alert fires where both windows are over %v.", objective*100, fastBurn),
		unit: unitNumber, width: third, limit: fastBurn,
		curves: []curve{{byBoth, fmt.Sprintf("(%s)\n/\n(1 - %s)", q.over(window).missShare(scenario, model), number(objective))}},
	}
}
