package convention

import (
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Why good requests are not counted.
const (
	noGoodput  = "the tool counts no good requests"
	noLimits   = "there are no limits"
	noLimit    = "the tool has no limit on " // and the figure's name
	noMatching = "the tool pairs lists of figures by position, and a request lacks one"
)

// good is whether a request keeps to every limit.
func (r *run) good(t *tpot.Trace, f Figures) bool {
	if r.Run.Goodput == GoodputBySLOMet {
		limited := *t
		limited.SLO = r.slo
		met, _ := tpot.Replay(limited).SLOMet()
		return met
	}
	good, limits := true, r.limits(f)
	for _, l := range limits {
		good = r.keeps(l, len(limits) > 1) && good // each, for what it notes
	}
	return good
}

// limit is one that a run has, and the figure that it is for.
type limit struct {
	name   string
	figure Figure
	most   time.Duration
}

func (r *run) limits(f Figures) []limit {
	perToken, none := f.TPOT, Figure{Undefined: unreported}
	if r.TPOT.Of == WindowNone {
		perToken = f.ITL
	}
	return slices.DeleteFunc([]limit{
		{"TTFT", f.TTFT, r.slo.TTFT}, {"TTFO", f.TTFO, r.slo.TTFO}, {"TPOT", perToken, r.slo.TPOT}, {"E2E", f.E2E, r.slo.E2E},
		{"ITL99", none, r.slo.ITL99}, {"Stall", none, r.slo.Stall},
	}, func(l limit) bool { return l.most == 0 })
}

// keeps is whether a figure keeps to its limit, which may be one of several. It notes where that is not for the tool to say, or, without a count of
// tokens, for nobody; of several reasons one, whatever the order of the requests.
func (r *run) keeps(l limit, several bool) bool {
	switch f := l.figure; {
	case f.Undefined == "":
		return f.Value <= l.most
	case f.Undefined == unreported:
		r.noGood = max(r.noGood, noLimit+l.name)
	case f.Undefined == unknownN || f.Undefined == unknownTokens:
		r.noGood = max(r.noGood, f.Undefined)
	case r.Run.Goodput == GoodputMissingSpoils && several:
		r.noGood = max(r.noGood, noMatching)
	}
	return r.Run.Goodput == GoodputMissingPasses
}
