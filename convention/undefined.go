package convention

import "slices"

// explainUndefined is why r does not give figures that b gives, those of one reason together.
func explainUndefined(r, b *reading) (differences []string) {
	var m missing
	if len(r.chunks) > 0 || len(b.chunks) == 0 { // else it is told that nothing was seen
		m.add("TTFT", r.figures.TTFT.Undefined, b.figures.TTFT.Undefined)
		m.add("TPOT", r.reason(r.figures.TPOT), b.figures.TPOT.Undefined)
		m.add("ITL", r.reason(r.figures.ITL), b.figures.ITL.Undefined)
	}
	m.add("E2E", r.figures.E2E.Undefined, b.figures.E2E.Undefined)
	if len(r.chunks) > 0 {
		m.add("N", r.reason(r.figures.known()), b.figures.known().Undefined)
	}
	for _, why := range m.reasons {
		if why != nothing {
			differences = append(differences, "gives no "+list(m.names[why])+", since "+why)
		}
	}
	return differences
}

// missing is the names of figures by the reason why they are undefined.
type missing struct {
	reasons []string // in order
	names   map[string][]string
}

func (m *missing) add(name, why, others string) {
	if why == "" || why == unreported || others != "" {
		return
	}
	if m.names == nil {
		m.names = make(map[string][]string)
	}
	if m.names[why] == nil {
		m.reasons = append(m.reasons, why)
	}
	m.names[why] = append(m.names[why], name)
}

// known is a Figure that is undefined where N is.
func (f Figures) known() Figure {
	if f.Source == "" {
		return Figure{Undefined: unknownN}
	}
	return Figure{}
}

// reason is why a figure is undefined. Where N is not known because the tokens of chunks are not, it says that, which a user can mend.
func (r *reading) reason(f Figure) string {
	if f.Undefined == unknownN && slices.Contains(r.N, SourceTokens) {
		return unknownTokens
	}
	return f.Undefined
}
