package convention

import (
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// reading is a trace, sorted by the rules of a convention, and the figures that it comes to.
type reading struct {
	*Convention
	trace          *tpot.Trace
	all            course
	chunks, output course   // the events of Chunks, and of Output
	choices        []course // chunks, those of each choice apart where the convention has it so; none is empty
	gaps           gaps
	usage          tpot.Usage
	n              int
	source         Source
	figures        Figures
	weights        weights
}

func (c *Convention) read(t *tpot.Trace) *reading {
	all := courseOf(t).until(c.Until)
	r := &reading{
		Convention: c, trace: t, all: all, chunks: all.only(c.Chunks), output: all.only(c.Output), gaps: gaps{rule: c.Gaps},
		usage: all.usage(),
	}
	streams := []course{all.only(slices.Concat(c.Chunks, c.GapsFrom))}
	if c.PerChoice {
		streams = streams[0].byChoice()
	}
	for _, stream := range streams {
		if chunks := stream.only(c.Chunks); len(chunks) > 0 {
			r.choices = append(r.choices, chunks)
			r.gaps.take(stream, c.Chunks)
		}
	}
	r.n, r.source = r.count()
	r.figures, r.weights = r.evaluate()
	return r
}

// count is N and where it comes from.
func (r *reading) count() (n int, source Source) {
	for _, source := range r.N {
		switch n, known := r.countFrom(source); {
		case known && n == 0 && source == SourceMaxTokens: // usage says that there were none
			return 0, SourceUsage
		case known:
			return n, source
		}
	}
	return 0, ""
}

func (r *reading) countFrom(source Source) (n int, known bool) {
	switch source {
	case SourceUsage:
		return r.usage.Output - r.hidden(), r.usage.Output > 0
	case SourceLoneUsage:
		usage := r.all.only(WithoutChoices).usage().Output
		return usage, usage > 0
	case SourceTokens:
		if len(r.Tokens) == 0 {
			return r.chunks.tokens()
		}
		return r.all.only(r.Tokens).tokens()
	case SourceChunks:
		return len(r.chunks), len(r.chunks) > 0
	case SourceEvents:
		return len(r.all.only(Data)), true
	case SourceMaxTokens:
		if r.usage.Output == 0 && r.all.carries()&tpot.KindUsage != 0 {
			return 0, true
		}
		most := believable(r.trace.Request.MaxTokens)
		return most, most > 0
	}
	return 0, false
}

// hidden is the reasoning that usage counts and the stream did not carry, or carried in summary.
func (r *reading) hidden() int {
	if !r.Streamed {
		return 0
	}
	if k := r.all.carries(); k&tpot.KindReasoning != 0 && k&tpot.KindSummary == 0 {
		return 0
	}
	return min(r.usage.Reasoning, r.usage.Output)
}

// ratio is a time over a number of tokens, or why there is none.
type ratio struct {
	time   time.Duration
	tokens int
	why    string
}

func (r *reading) ratio(p PerToken) ratio {
	switch {
	case p.Of == WindowNone:
		return ratio{why: unreported}
	case p.Of == WindowGaps:
		return r.gaps.mean()
	case len(r.choices) > 1:
		return r.pooled()
	case r.source == "":
		return ratio{why: unknownN}
	case p.Of.toEnd() && r.e2e().Undefined != "":
		return ratio{why: r.e2e().Undefined}
	}
	from, to, chunks := r.window(p.Of)
	switch {
	case !from.ok || !to.ok:
		return ratio{why: nothing}
	case chunks < p.MinChunks:
		return ratio{why: fewEvents}
	}
	return ratio{time: max(to.at-from.at, 0), tokens: r.divisor(p.Over)}
}

func (w Window) fromStart() bool { return w == WindowStartToLast || w == WindowStartToEnd }

// toEnd is whether it ends where E2E does.
func (w Window) toEnd() bool { return w == WindowFirstToEnd || w == WindowStartToEnd }

// window is the ends of the time that is divided, and the number of events in it that count.
func (r *reading) window(w Window) (from, to mark, chunks int) {
	count := r.chunks
	from, to = r.chunks.first(), r.all.only(r.Last).last()
	if r.hidden() > 0 {
		count, from, to = r.output, r.output.first(), r.output.last()
	}
	if w.fromStart() {
		from = mark{0, true}
	}
	if w.toEnd() {
		to = r.end()
	}
	return from, to, len(count)
}

func (r *reading) divisor(over Divisor) int {
	switch over {
	case OverAll:
		return r.n
	case OverAfterFirstChunk:
		with := r.chunks.only(Events{{Any: tpot.KindUsage}})
		if d := r.n - with[:min(len(with), 1)].usage().Output; d > 0 && d < r.n {
			return d
		}
	}
	return r.n - 1
}

// pooled is the time of several choices after their first events, and the tokens that came in it. A choice of one event has no such time.
func (r *reading) pooled() (all ratio) {
	for _, choice := range r.choices {
		tokens, known := choice.tokens()
		if !known {
			return ratio{why: unknownTokens}
		}
		if len(choice) > 1 {
			all.time += choice.last().at - choice.first().at
			all.tokens += tokens - 1
		}
	}
	return all
}

// end is where E2E ends.
func (r *reading) end() mark {
	end := r.all.only(r.End.At).last()
	if end.ok || !r.End.Body {
		return end
	}
	at := r.closed()
	if r.End.Complete {
		at = r.complete()
	}
	return mark{at, r.trace.Outcome != tpot.OutcomeOpen && !r.trace.EndUnknown}
}

// complete is when the response was complete or broke off: the trace's End, or its last event where that is zero.
func (r *reading) complete() time.Duration {
	if r.trace.End > 0 {
		return credible(r.trace.End)
	}
	return r.all.last().at
}

// closed is when the body was closed.
func (r *reading) closed() time.Duration { return max(r.complete(), credible(r.trace.Closed)) }
