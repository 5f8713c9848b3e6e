package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Events says which events count, by what they carry: those that one of its conditions holds of.
type Events []Match

// Match is a condition on what an event carries. The zero Match holds of every event.
type Match struct {
	Any     tpot.Kind // one of these; none given: any
	With    tpot.Kind // and all of these
	Without tpot.Kind // and none of these
}

func (es Events) match(k tpot.Kind) bool {
	return slices.ContainsFunc(es, func(m Match) bool {
		return (m.Any == 0 || k&m.Any != 0) && k&m.With == m.With && k&m.Without == 0
	})
}
