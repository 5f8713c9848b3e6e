package convention

import (
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Figure is a duration, rounded to the nearest nanosecond, or the reason why the convention leaves it undefined.
type Figure struct {
	Value     time.Duration
	Undefined string // empty: it is defined
}

// Figures is what a convention says of one request, each figure under the tool's own name for it: a tool with a single time per token may
// call it ITL. They are absent rather than zero or negative where the convention does not define them.
type Figures struct {
	Convention string // its name

	TTFT, TTFO, TTST      Figure // the start to the first event, and to the first of output; the first event to the second
	TPOT, ITL, NTPOT, E2E Figure
	Gaps                  []time.Duration // the samples that the tool pools over its requests; nil: not known, or it keeps none
	N                     int             // tokens; 0 where they are not known, too
	Source                Source          // of N; empty: N is not known
	Excluded              string          // why a run leaves the request out; empty: it does not
}

// Reasons that several figures share.
const (
	unreported    = "the tool reports no figure under this name"
	unknownTokens = "the token counts of chunks are not known"
	unknownN      = "the number of tokens is not known"
	nothing       = "no event came that counts"
	cut           = "the trace was cut"
)

// Figures works out one request. Of a trace that was cut it gives what its beginning tells. An error, or a cancel, does not change the rule:
// the figures are those of what arrived.
func (c Convention) Figures(t tpot.Trace) Figures { return c.read(&t).figures() }

func (r *reading) figures() Figures {
	f, _ := r.weigh()
	return f
}

// weights are the numbers of tokens that the times per token were divided by.
type weights struct{ tpot, itl int }

func (r *reading) weigh() (f Figures, w weights) {
	n, source := r.count()
	f = Figures{
		Convention: r.Name, N: n, Source: source, Excluded: r.excluded(),
		TTFT: r.offset(!r.NoTTFT, r.first), TTFO: r.offset(len(r.Output) > 0, r.output), TTST: r.ttst(), E2E: r.e2e(),
	}
	f.TPOT, w.tpot = r.perToken(r.TPOT, n, source != "")
	f.ITL, w.itl = r.perToken(r.ITL, n, source != "")
	f.NTPOT, _ = r.perToken(r.NTPOT, n, source != "")
	if r.gapsWhy == "" && r.Gaps != NoGaps {
		f.Gaps = r.gaps
	}
	r.withhold(&f)
	return f, w
}

// withhold takes back what the convention does not give of this request after all.
func (r *reading) withhold(f *Figures) {
	switch {
	case r.lost != "":
		leaveOut(r.lost, &f.TTFT, &f.TTFO, &f.TTST, &f.TPOT, &f.ITL, &f.NTPOT, &f.E2E)
		f.N, f.Source, f.Gaps = 0, "", nil
	case r.trace.Dropped > 0:
		leaveOut(cut, &f.TPOT, &f.ITL, &f.NTPOT, &f.E2E)
		f.N, f.Source, f.Gaps = 0, "", nil
	case r.stamps < r.Least:
		leaveOut(fmt.Sprintf("there are fewer than %d tokens", r.Least), &f.TTFT, &f.TPOT, &f.ITL)
	}
}

func leaveOut(why string, figures ...*Figure) {
	for _, f := range figures {
		*f = Figure{Undefined: why}
	}
}

func (r *reading) excluded() string {
	switch {
	case r.trace.Outcome != tpot.OutcomeOK:
		return "it did not end well"
	case r.lost != "":
		return r.lost
	case r.trace.Dropped > 0:
		return cut
	case r.Filled && r.chunks == 0:
		return nothing
	}
	return ""
}

func (r *reading) offset(reported bool, m mark) Figure {
	switch {
	case !reported:
		return Figure{Undefined: unreported}
	case !m.ok:
		return Figure{Undefined: nothing}
	}
	return Figure{Value: m.at}
}

func (r *reading) ttst() Figure {
	f := r.offset(r.Second, r.second)
	if f.Undefined == "" {
		f.Value -= r.first.at
	}
	return f
}

func (r *reading) e2e() Figure {
	reported := len(r.End.At) > 0 || r.End.Body
	switch {
	case reported && r.End.Whole && r.trace.Outcome != tpot.OutcomeOK:
		return Figure{Undefined: "the stream was not read to its end"}
	case reported && r.End.Filled && r.chunks == 0:
		return Figure{Undefined: nothing}
	}
	return r.offset(reported, r.ending())
}

// ending is where E2E ends.
func (r *reading) ending() mark {
	if r.End.Body && !r.end.ok {
		return mark{max(r.trace.End, r.trace.Closed), !r.trace.EndUnknown}
	}
	return r.end
}

// count is N and where it comes from.
func (r *reading) count() (int, Source) {
	for _, source := range r.N {
		if n, ok := r.countFrom(source); ok {
			return n, source
		}
	}
	return 0, ""
}

func (r *reading) countFrom(source Source) (n int, ok bool) {
	switch source {
	case Usage:
		return r.usage.Output - r.hidden(), r.usage.Output > 0
	case LoneUsage:
		return r.lone.Output, r.lone.Output > 0
	case Tokens:
		return r.tokens, !r.uncounted
	case Chunks:
		return r.chunks, r.chunks > 0
	case AllEvents:
		return r.events, true
	case MaxTokens:
		if r.kinds&tpot.KindUsage != 0 {
			return 0, true
		}
		return r.trace.Request.MaxTokens, r.trace.Request.MaxTokens > 0
	}
	return 0, false
}

// hidden is the reasoning that usage counts and the stream did not carry, or carried in summary.
func (r *reading) hidden() int {
	if !r.Streamed || r.kinds&tpot.KindReasoning != 0 && r.kinds&tpot.KindSummary == 0 {
		return 0
	}
	return min(r.usage.Reasoning, r.usage.Output)
}
