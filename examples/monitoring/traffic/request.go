package traffic

import "github.com/tokentiming/tokentiming/tpot"

// request is one request: what is asked, and all that will happen to it.
type request struct {
	scenario *scenario
	model    *model
	script   script
}

// newRequest throws the dice for a request.
func newRequest(d dice, on faults) request {
	q := request{scenario: pick(d)}
	q.model = q.scenario.models[d.IntN(len(q.scenario.models))]
	q.script = author{d, q.scenario, q.model, on}.write()
	return q
}

// timed is the request as the timing is to know it.
func (q request) timed() tpot.Request {
	return tpot.Request{
		Operation: q.scenario.operation, Provider: q.model.provider, Model: q.model.name, Scenario: q.scenario.name, Stream: true,
	}
}
