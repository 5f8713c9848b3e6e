package traffic

import "time"

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
