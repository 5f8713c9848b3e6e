package convention

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Why good requests are not counted.
const (
	noGoodput  = "the tool counts no good requests"
	noLimits   = "there are no limits"
	noLimit    = "the tool has no limit on "
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
	perToken := f.TPOT
	if r.TPOT.Of == WindowNone {
		perToken = f.ITL
	}
	good, none := true, Figure{Undefined: unreported}
	for _, limited := range []struct {
		name   string
		figure Figure
		limit  time.Duration
	}{
		{"TTFT", f.TTFT, r.slo.TTFT}, {"TTFO", f.TTFO, r.slo.TTFO}, {"TPOT", perToken, r.slo.TPOT}, {"E2E", f.E2E, r.slo.E2E},
		{"ITL99", none, r.slo.ITL99}, {"Stall", none, r.slo.Stall},
	} {
		good = r.keeps(limited.name, limited.figure, limited.limit) && good // each, for what it notes
	}
	return good
}

// keeps is whether a figure keeps to its limit. It notes where that is not for the tool to say, or for want of a count of tokens nobody can; of
// several reasons one, whatever the order of the requests.
func (r *run) keeps(name string, f Figure, limit time.Duration) bool {
	switch {
	case limit == 0:
		return true
	case f.Undefined == "":
		return f.Value <= limit
	case f.Undefined == unreported:
		r.noGood = max(r.noGood, noLimit+name)
	case f.Undefined == unknownN || f.Undefined == unknownTokens:
		r.noGood = max(r.noGood, f.Undefined)
	case r.Run.Goodput == GoodputMissingSpoils && limits(r.slo) > 1:
		r.noGood = max(r.noGood, noMatching)
	}
	return r.Run.Goodput == GoodputMissingPasses
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
