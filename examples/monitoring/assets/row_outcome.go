package assets

func (q queries) outcomeRow() row {
	return row{"Outcomes", []panel{
		{
			title: "Share by outcome",
			description: "ok; canceled: by the consumer, by an early close or by being dropped; timeout; " +
				"truncated: ended without the marker that such a stream ends with; failed.",
			unit: unitShare, width: third, shape: stacked,
			curves: []curve{{"{{" + outcome + "}}", share(q.perSecond(requests, outcome), q.perSecond(requests), outcome)}},
		},
		{
			title:       "Requests per second by outcome",
			description: "Requests that ended, by outcome; the panel to the left as a rate.",
			unit:        unitPerSecond, width: third, shape: stacked,
			curves: []curve{{"{{" + outcome + "}}", q.perSecond(requests, outcome)}},
		},
		{
			title: "Errors per minute by type",
			description: "Requests that timed out, were truncated or failed, by error.type. A cancel is no error. " +
				"Absent while there are none.",
			unit: unitPerMinute, width: third, shape: stacked,
			curves: []curve{{"{{" + errorType + "}}", "60 * " + q.where(errorType+`!=""`).observations(duration, errorType)}},
		},
	}}
}
