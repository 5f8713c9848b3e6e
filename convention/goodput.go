package convention

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Why good requests are not counted.
const (
	noGoodput  = "the tool counts no good requests"
	noLimits   = "there are no limits"
	noLimit    = "the tool has no limit on one of these figures"
	noMatching = "the tool pairs lists of figures by position, and a request lacks one"
)

// good is whether a request keeps to every limit.
func (r *run) good(t *tpot.Trace, f Figures) bool {
	if r.Run.Goodput == BySLOMet {
		limited := *t
		limited.SLO = r.slo
		met, _ := tpot.Replay(limited).SLOMet()
		return met
	}
	perToken := f.TPOT
	if r.TPOT.Of == NotReported {
		perToken = f.ITL
	}
	none := Figure{Undefined: unreported}
	return r.keeps(f.TTFT, r.slo.TTFT) && r.keeps(f.TTFO, r.slo.TTFO) && r.keeps(perToken, r.slo.TPOT) && r.keeps(f.E2E, r.slo.E2E) &&
		r.keeps(none, r.slo.ITL99) && r.keeps(none, r.slo.Stall)
}

// keeps is whether a figure keeps to its limit. It notes where that is not for the tool to say, or for want of a count of tokens nobody can.
func (r *run) keeps(f Figure, limit time.Duration) bool {
	switch {
	case limit == 0:
		return true
	case f.Undefined == "":
		return f.Value <= limit
	case f.Undefined == unreported:
		r.noGood = noLimit
	case f.Undefined == unknownN || f.Undefined == unknownTokens:
		r.noGood = f.Undefined
	case r.Run.Goodput == MissingSpoils && limits(r.slo) > 1:
		r.noGood = noMatching
	}
	return r.Run.Goodput == MissingPasses
}

// limits is the number of limits.
func limits(slo tpot.SLO) (n int) {
	for _, limit := range []time.Duration{slo.TTFT, slo.TTFO, slo.TPOT, slo.ITL99, slo.Stall, slo.E2E} {
		if limit != 0 {
			n++
		}
	}
	return n
}
