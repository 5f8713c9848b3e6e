package convention

import "time"

// gaps is the sample of gaps of one request.
type gaps struct {
	rule    Gaps
	samples []time.Duration
	sum     time.Duration // of the gaps as they were, before a division rounded them
	unknown string        // why they are not known
}

// mostGaps bounds the memory that a made-up count of tokens can take.
const mostGaps = 1 << 20

// take takes in the gaps before the events that count. A gap begins anew at each of the others.
func (g *gaps) take(all course, count Events) {
	var from mark
	for _, e := range all {
		switch counts := count.match(e.Event.Kind); {
		case counts && from.ok:
			g.gap(e.At-from.at, believable(e.Event.Tokens))
		case counts && g.rule == GapThenZeros:
			g.zeros(believable(e.Event.Tokens))
		case !counts && !from.ok:
			continue
		}
		from = mark{e.At, true}
	}
}

// gap takes in a gap before an event of k tokens, 0 if that is not known.
func (g *gaps) gap(gap time.Duration, k int) {
	switch g.rule {
	case GapWhole:
		g.add(gap, 1)
	case GapThenZeros:
		g.add(gap, 1)
		g.zeros(k)
	case GapDivided:
		k := time.Duration(g.known(k))
		g.add((gap+k/2)/k, 1)
	case GapSpread:
		g.spread(gap, g.known(k))
	case GapSpreadKnown:
		g.spread(gap, max(k, 1))
	}
}

func (g *gaps) spread(gap time.Duration, k int) {
	g.add(gap/time.Duration(k), k)
	g.sum += gap % time.Duration(k)
}

// zeros takes in the tokens of an event after its first.
func (g *gaps) zeros(k int) { g.add(0, g.known(k)-1) }

// known is k, or 1 where it is not known, and neither is the sample then.
func (g *gaps) known(k int) int {
	if k == 0 {
		g.unknown = unknownTokens
	}
	return max(k, 1)
}

func (g *gaps) add(gap time.Duration, times int) {
	if times > mostGaps-len(g.samples) {
		g.unknown = "there are too many gaps"
		return
	}
	g.sum += gap * time.Duration(times)
	for range times {
		g.samples = append(g.samples, gap)
	}
}

// mean is the sum of the gaps over their number.
func (g *gaps) mean() ratio {
	switch {
	case g.unknown != "":
		return ratio{why: g.unknown}
	case len(g.samples) == 0:
		return ratio{why: "there is no gap"}
	}
	return ratio{time: g.sum, tokens: len(g.samples)}
}

// kept is the samples; nil where they are not known, or there is no rule for them.
func (g *gaps) kept() []time.Duration {
	switch {
	case g.unknown != "" || g.rule == GapNone:
		return nil
	case g.samples == nil:
		return []time.Duration{}
	}
	return g.samples
}
