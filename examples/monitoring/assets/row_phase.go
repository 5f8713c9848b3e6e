package assets

func (q queries) phaseRow() row {
	return row{"Where the time went", []panel{
		{
			title: "Share by phase",
			description: "Of the time of requests. setup: before the first wait, over HTTP all until the body is first read, retries included; " +
				"wait: for the producer; hold: the consumer's own time between. Much hold: what reads the streams is slow, not the model.",
			unit: unitShare, width: half, shape: stacked,
			curves: []curve{{"{{" + phase + "}}", share(q.perSecond(spent, phase), q.perSecond(spent), phase)}},
		},
		{
			title:       "Hold by scenario and model",
			description: "The share of the time of requests that their consumer took, between its reads.",
			unit:        unitShare, width: half,
			curves: []curve{{byBoth, ratio(q.where(phase+`="hold"`).perSecond(spent, scenario, model), q.perSecond(spent, scenario, model))}},
		},
	}}
}
