package assets

func (q queries) phaseRow() row {
	return row{"Where the time went", []panel{
		{
			title: "Share by phase",
			description: "setup: before the first wait, which over HTTP is all until the body is read; wait: for the producer; " +
				"hold: the consumer's own time between. Much hold: it is not the model that is slow, but what reads it.",
			unit: unitShare, width: half, shape: stacked,
			curves: []curve{{"{{" + phase + "}}", share(q.perSecond(spent, phase), q.perSecond(spent), phase)}},
		},
		{
			title:       "Hold by scenario and model",
			description: "The consumer's share of the time of requests.",
			unit:        unitShare, width: half,
			curves: []curve{{byBoth, ratio(q.where(phase+`="hold"`).perSecond(spent, scenario, model), q.perSecond(spent, scenario, model))}},
		},
	}}
}
