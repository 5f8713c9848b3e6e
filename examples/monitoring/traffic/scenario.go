package traffic

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// model is one of a provider's models, with its habits.
type model struct {
	provider string // one of the conventions' values
	name     string // as asked for
	version  string // as the response names it
	late     bool   // which it does only at the end

	firstToken time.Duration // typical; most take less than twice that
	perToken   time.Duration // typical; a request's own differs by up to a sixth, each token's by up to two fifths
	flush      time.Duration // the tokens of this time come in one chunk; zero: each comes when it is there
	counts     bool          // chunks tell the number of their tokens; else there is usage at the end
	reasons    bool          // a third of the answer is reasoning, and comes first
}

var (
	larchMini = &model{
		provider: "openai", name: "larch-2-mini", version: "larch-2-mini-2026-09-30",
		firstToken: 300 * time.Millisecond, perToken: 19 * time.Millisecond,
	}
	larchDeep = &model{
		provider: "openai", name: "larch-2-deep", version: "larch-2-deep-2026-09-30", reasons: true,
		firstToken: 900 * time.Millisecond, perToken: 30 * time.Millisecond,
	}
	cedar = &model{
		provider: "anthropic", name: "cedar-4", version: "cedar-4-20260801",
		firstToken: 450 * time.Millisecond, perToken: 27 * time.Millisecond,
	}
	osierFlash = &model{
		provider: "gcp.gemini", name: "osier-3-flash", version: "osier-3-flash-002", counts: true,
		firstToken: 500 * time.Millisecond, perToken: 18 * time.Millisecond, flush: 72 * time.Millisecond,
	}
	birch = &model{
		provider: "mistral_ai", name: "birch-small", version: "birch-small-2611", late: true,
		firstToken: 250 * time.Millisecond, perToken: 22 * time.Millisecond,
	}
)

// scenario is a use of the application.
type scenario struct {
	name      string
	operation string
	share     int // of a hundred requests
	models    []*model
	chunks    extent  // of an answer
	input     extent  // tokens of a prompt
	cached    float64 // share of the input that comes from the provider's cache
	reading   float64 // how much longer than usual the first token takes, for what there is to read
}

// extent is from the smallest to the largest number.
type extent struct{ low, high int }

var scenarios = []scenario{
	{"chat", "chat", 45, []*model{larchMini, cedar, osierFlash}, extent{30, 120}, extent{200, 2000}, 0.25, 1},
	{"completion", "text_completion", 25, []*model{birch, larchMini}, extent{20, 50}, extent{500, 1500}, 0, 1},
	{"reasoning", "chat", 15, []*model{larchDeep}, extent{60, 150}, extent{300, 3000}, 0, 1},
	{"documents", "chat", 15, []*model{cedar, osierFlash}, extent{60, 150}, extent{4000, 20000}, 0.75, 1.4},
}

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
	q.script = newScript(d, q.scenario, q.model, on)
	return q
}

// pick is a scenario, each as often as its share says.
func pick(d dice) *scenario {
	rest := d.IntN(100)
	for i := range scenarios {
		if rest -= scenarios[i].share; rest < 0 {
			return &scenarios[i]
		}
	}
	panic("traffic: the shares of the scenarios are less than a hundred")
}

// timed is the request as the timing is to know it.
func (q request) timed() tpot.Request {
	return tpot.Request{
		Operation: q.scenario.operation, Provider: q.model.provider, Model: q.model.name, Scenario: q.scenario.name, Stream: true,
	}
}
