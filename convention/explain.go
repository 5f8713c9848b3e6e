package convention

import (
	"fmt"
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Explain says, each in a few words, which rules of c make its figures of this request others than those of base. Rules that change nothing
// here are not told.
func (c Convention) Explain(t tpot.Trace, base Convention) (differences []string) {
	r, b := c.read(&t), base.read(&t)
	if why := r.lost(); why != "" {
		return []string{why}
	}
	for _, explain := range []func(r, b *reading) string{
		explainName, explainUntil, explainFirst, explainLeast, explainFrom, explainTo, explainN, explainDivisor, explainOne, explainGaps, explainEnd,
	} {
		if difference := explain(r, b); difference != "" {
			differences = append(differences, difference)
		}
	}
	return differences
}

func explainName(r, b *reading) string {
	if r.TPOT.Of == NotReported && b.TPOT.Of != NotReported && r.rate().Of != NotReported {
		return "calls its time per token ITL"
	}
	return ""
}

func explainUntil(r, _ *reading) string {
	if len(courseOf(r.trace).only(r.First)) == len(r.chunks) {
		return ""
	}
	return "reads nothing after the " + nameOf(r.all[len(r.all)-1])
}

func explainFirst(r, b *reading) string {
	first, other := r.chunks.first(), b.chunks.first()
	switch {
	case first == other || r.NoTTFT:
		return ""
	case !first.ok:
		return "sees nothing of this response"
	case !other.ok || first.at < other.at:
		return "counts the " + nameOf(r.chunks[0]) + " as first"
	}
	return "does not count the " + nameOf(b.chunks[0]) + " as first"
}

func explainLeast(r, _ *reading) string {
	if r.Least > 0 && len(r.chunks) > 0 && r.stamps() < r.Least {
		return fmt.Sprintf("gives no TTFT, TPOT and ITL below %d tokens", r.Least)
	}
	return ""
}

// rate is the time per token that is no mean of gaps.
func (r *reading) rate() PerToken {
	for _, p := range []PerToken{r.TPOT, r.ITL} {
		if f, _ := r.perToken(p); f.Undefined == "" && p.Of != MeanGap {
			return p
		}
	}
	return PerToken{}
}

func explainFrom(r, b *reading) string {
	if w := r.rate().Of; w == StartToLast || w == StartToEnd {
		return "has the wait for the first token in its time per token"
	}
	return ""
}

func explainTo(r, b *reading) string {
	_, to, _ := r.window(r.rate().Of)
	_, other, _ := b.window(b.rate().Of)
	switch {
	case r.rate().Of == NotReported || to == other:
		return ""
	case r.rate().Of.toEnd():
		return "ends the time per token when the body is closed"
	}
	last := r.all.only(r.Last)
	if to == r.end() {
		return "ends with the " + lastName(last)
	}
	return "ends the time per token with the " + lastName(last)
}

func explainN(r, b *reading) string {
	is := map[Source]string{
		Usage: "what usage says", LoneUsage: "what usage says", Tokens: "the tokens of the channels it sees", Chunks: "the number of chunks",
		AllEvents: "the number of events", MaxTokens: "what the request allowed",
	}
	switch {
	case len(r.chunks) == 0 || r.n == b.n:
		return ""
	case r.source == "":
		return "does not know N, since " + unknownTokens
	}
	return fmt.Sprintf("takes %d for N, %s", r.n, is[r.source])
}

func explainDivisor(r, _ *reading) string {
	p := r.rate()
	switch {
	case p.Of == NotReported:
		return ""
	case p.Over == AllTokens:
		return "divides by N, not by N-1"
	case p.Over == AfterFirstChunk && r.divisor(p.Over) != r.n-1:
		return "divides by N less the tokens of the first chunk"
	}
	return ""
}

func explainOne(r, _ *reading) string {
	if r.n == 1 && (r.TPOT.Zero || r.ITL.Zero) {
		return "gives 0 per token for a single one"
	}
	return ""
}

func explainGaps(r, b *reading) string {
	several := slices.ContainsFunc(r.chunks, func(e tpot.TraceEvent) bool { return e.Event.Tokens > 1 })
	if r.ITL.Of != MeanGap || slices.Equal(r.gaps.samples, b.gaps.samples) || !several {
		return ""
	}
	return map[Gaps]string{
		Whole:     "takes a chunk for one gap, however many tokens it has",
		Divided:   "divides a gap by the tokens of its chunk, and counts it once",
		ThenZeros: "takes the further tokens of a chunk for gaps of 0",
	}[r.Gaps]
}

func explainEnd(r, b *reading) string {
	f, other := r.e2e(), b.e2e()
	_, to, _ := r.window(r.rate().Of)
	switch {
	case f.Undefined != "" || f == other || explainTo(r, b) != "" && to == r.end():
		return ""
	case f.Value > other.Value && r.End.Body:
		return "ends E2E when the body is closed"
	}
	at := r.all.only(r.End.At)
	if len(at) == 0 {
		return ""
	}
	return "ends E2E with the " + lastName(at)
}

// lastName is what a person would call the last of events.
func lastName(c course) string {
	last := c[len(c)-1]
	if last.Event.Kind&tpot.KindGenerated != 0 {
		return "last " + nameOf(last)
	}
	return nameOf(last)
}

// nameOf is what a person would call an event.
func nameOf(e tpot.TraceEvent) string {
	for _, known := range []struct {
		kind tpot.Kind
		name string
	}{
		{tpot.KindError, "error"}, {tpot.KindText, "text"}, {tpot.KindReasoning, "reasoning"}, {tpot.KindToolCall, "tool call"},
		{tpot.KindRefusal, "refusal"}, {tpot.KindMedia, "media"}, {tpot.KindToolMeta, "name of the tool call"},
		{tpot.KindFinish, "finish reason"}, {tpot.KindRole, "role-only event"}, {tpot.KindUsage, "usage event"},
		{tpot.KindDone, "end marker"}, {tpot.KindPing, "keep-alive"},
	} {
		if e.Event.Kind&known.kind != 0 {
			return known.name
		}
	}
	return "empty event"
}
