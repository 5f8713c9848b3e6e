package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Explain says why TTFT, TPOT, ITL, E2E or N of this request differ between c and base, or are undefined under c, in a few words for each rule
// that makes a difference here. That the tool does not report a figure at all is no difference.
func (c Convention) Explain(t tpot.Trace, base Convention) []string {
	return explain(c.read(&t), base.read(&t))
}

func explain(r, b *reading) (differences []string) {
	if why := r.lost(); why != "" {
		if why == b.lost() {
			return nil
		}
		return []string{why}
	}
	for _, rule := range []func(r, b *reading) string{
		explainName, explainUntil, explainChannels, explainFirst, explainChoices, explainFrom, explainTo, explainN, explainDivisor,
		explainOne, explainGapEnds, explainGaps, explainE2E,
	} {
		if difference := rule(r, b); difference != "" {
			differences = append(differences, difference)
		}
	}
	return append(differences, explainUndefined(r, b)...)
}

// rate is the rule of the time per token that divides a window by tokens, under whichever name the tool has it: the zero rule where it has none,
// or it gives no figure of this request.
func (r *reading) rate() PerToken {
	switch {
	case r.figures.TPOT.Undefined == "" && r.TPOT.Of != WindowGaps:
		return r.TPOT
	case r.figures.ITL.Undefined == "" && r.ITL.Of != WindowGaps:
		return r.ITL
	}
	return PerToken{}
}

func explainName(r, b *reading) string {
	switch {
	case r.rate().Of == WindowNone:
	case r.TPOT.Of == WindowNone && b.TPOT.Of != WindowNone:
		return "calls its time per token ITL"
	case r.ITL.Of == WindowFirstToLast && b.ITL.Of == WindowGaps && r.figures.ITL != b.figures.ITL:
		return "calls the time per token after the first ITL"
	}
	return ""
}

func explainUntil(r, b *reading) string {
	if len(r.all) == len(b.all) || len(courseOf(r.trace).only(r.Chunks)) == len(r.chunks) {
		return ""
	}
	return "reads nothing after the " + nameOf(r.all[len(r.all)-1])
}

// unseen is the channels that b sees and r does not.
func unseen(r, b *reading) tpot.Kind {
	return b.chunks.carries() &^ r.chunks.carries() & tpot.KindGenerated
}

func explainChannels(r, b *reading) string {
	if len(r.chunks) == 0 && len(b.chunks) > 0 {
		return "sees nothing of this response"
	}
	var names []string
	for _, channel := range named {
		if unseen(r, b)&channel.kind != 0 {
			names = append(names, "the "+channel.name)
		}
	}
	if names == nil {
		return ""
	}
	return "does not see " + list(names)
}

func explainFirst(r, b *reading) string {
	first, other := r.chunks.first(), b.chunks.first()
	switch {
	case first == other || !first.ok || r.NoTTFT && r.rate().Of == WindowNone:
		return ""
	case !other.ok || first.at < other.at:
		return "counts the " + nameOf(r.chunks[0]) + " as first"
	case b.chunks[0].Event.Kind&unseen(r, b) != 0: // told
		return ""
	}
	return "does not count the " + nameOf(b.chunks[0]) + " as first"
}

func explainChoices(r, b *reading) string {
	switch {
	case len(r.choices) > 1 && !b.PerChoice:
		return "takes each choice for a stream of its own"
	case len(b.choices) > 1 && !r.PerChoice:
		return "takes all choices for one stream"
	}
	return ""
}

func explainFrom(r, b *reading) string {
	w, other := r.rate().Of, b.rate().Of
	from, _, _ := r.window(w)
	otherFrom, _, _ := b.window(other)
	switch {
	case w == WindowNone:
		return ""
	case w.fromStart() && !other.fromStart():
		return "has the wait for the first token in its time per token"
	case from == otherFrom || from == r.chunks.first() && otherFrom == b.chunks.first(): // the first is told
		return ""
	case from == r.chunks.first():
		return "begins the time per token with the " + nameOf(r.chunks[0])
	}
	return "begins the time per token with the visible output"
}

func explainTo(r, b *reading) string {
	w := r.rate().Of
	_, to, _ := r.window(w)
	_, other, _ := b.window(b.rate().Of)
	switch {
	case w == WindowNone || to == other:
		return ""
	case w.toEnd():
		return "ends the time per token " + r.ending()
	case r.hidden() > 0:
		return "ends the time per token with the last visible output"
	}
	return "ends the time per token with the " + lastName(r.all.only(r.Last))
}

func explainE2E(r, b *reading) string {
	if r.figures.E2E.Undefined != "" || r.figures.E2E == b.figures.E2E {
		return ""
	}
	return "ends E2E " + r.ending()
}

// ending is how E2E ends.
func (r *reading) ending() string {
	at := r.all.only(r.End.At)
	switch {
	case len(at) == 0 && r.End.Complete:
		return "when the response is complete"
	case len(at) == 0:
		return "when the body is closed"
	}
	return "with the " + lastName(at)
}

func explainN(r, b *reading) string {
	if len(r.chunks) == 0 || r.figures.Source == "" || r.figures.N == b.figures.N {
		return ""
	}
	return "takes " + map[Source]string{
		SourceUsage: "all that usage says", SourceLoneUsage: "what the usage event says", SourceTokens: "the tokens of the channels it sees",
		SourceChunks: "the number of chunks", SourceEvents: "the number of events", SourceMaxTokens: "what the request allowed",
	}[r.figures.Source] + " for N"
}

func explainDivisor(r, b *reading) string {
	over, other := r.rate().Over, b.rate().Over
	if r.rate().Of == WindowNone || r.divisor(over) == r.divisor(other) {
		return ""
	}
	names := map[Divisor]string{OverAfterFirst: "N-1", OverAfterFirstChunk: "N less the tokens of the first chunk", OverAll: "N"}
	return "divides by " + names[over] + ", not by " + names[other]
}

func explainOne(r, b *reading) string {
	switch {
	case r.rate().Of == WindowNone || b.rate().Of != WindowNone:
	case r.n == 1 && r.rate().Zero:
		return "gives 0 per token for a single one"
	case len(r.chunks) == 1:
		return "gives a time per token for a single chunk"
	}
	return ""
}

// gapsDiffer is whether ITL is the mean of gaps that are not those of b.
func gapsDiffer(r, b *reading) bool {
	return r.ITL.Of == WindowGaps && r.figures.ITL.Undefined == "" && !slices.Equal(r.figures.Gaps, b.figures.Gaps)
}

func explainGapEnds(r, b *reading) string {
	others := func(e *tpot.TraceEvent) bool { return !b.Chunks.match(e.Event.Kind) }
	if gapsDiffer(r, b) && b.ITL.Of == WindowGaps && slices.ContainsFunc(r.chunks[1:], others) {
		return "counts the gaps before events without output, too"
	}
	return ""
}

func explainGaps(r, b *reading) string {
	several := func(e *tpot.TraceEvent) bool { return e.Event.Tokens > 1 }
	if !gapsDiffer(r, b) || r.Gaps == b.Gaps || !slices.ContainsFunc(r.chunks, several) {
		return ""
	}
	return map[Gaps]string{
		GapWhole:       "takes a chunk for one gap, however many tokens it has",
		GapDivided:     "divides a gap by the tokens of its chunk, and counts it once",
		GapSpread:      "spreads a gap over the tokens of its chunk",
		GapSpreadKnown: "spreads a gap over the tokens of its chunk",
		GapThenZeros:   "takes the further tokens of a chunk for gaps of 0",
	}[r.Gaps]
}

// explain says which rules of r make statistics of a run others than base does.
func (r Run) explain(base Run) (differences []string) {
	if r.Quantile == QuantileNone && base.Quantile != QuantileNone {
		return []string{"is a formula for one request, without statistics"}
	}
	if r.Weighted && !base.Weighted {
		differences = append(differences, "counts a time per token as often as it has tokens")
	}
	if r.Quantile != QuantileLinear && base.Quantile == QuantileLinear {
		differences = append(differences, "does not interpolate quantiles")
	}
	return differences
}
