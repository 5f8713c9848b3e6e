package convention

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Figure is a duration, rounded to the nearest nanosecond, or the reason why the convention leaves it undefined.
type Figure struct {
	Value     time.Duration
	Undefined string // empty: it is defined
}

// Figures is what a convention says of one request, each figure under the tool's own name for it: a tool with a single time per token may
// call it ITL. A figure is undefined, and never zero or negative, where the convention does not define it.
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
	noEnd         = "the end of the request is not known"
	cut           = "the trace was cut" // its Tracker was to keep fewer events
	fewTokens     = "there are too few tokens"
	fewEvents     = "there are too few events that count"
	unfinished    = "the stream was not read to its end"
	unwell        = "the request did not end well"
	unended       = "nothing came that is an end to the tool"
)

// Figures works out one request. Of a trace that was cut it gives what its beginning tells. An error, or a cancel, does not change the rule:
// the figures are those of what arrived.
func (c Convention) Figures(t tpot.Trace) Figures {
	return c.read(&t).figures
}

// weights are the numbers of tokens that the times per token were divided by.
type weights struct{ tpot, itl int }

func (r *reading) evaluate() (f Figures, w weights) {
	f = Figures{Convention: r.Name, Excluded: r.excluded(), N: r.n, Source: r.source, Gaps: r.gaps.kept()}
	f.TTFT = offset(len(r.Chunks) > 0 && !r.NoTTFT, r.chunks.first())
	f.TTFO = offset(len(r.Output) > 0, r.output.first())
	if f.TTST = offset(r.TTST, r.chunks.nth(1)); f.TTST.Undefined == "" {
		f.TTST.Value -= f.TTFT.Value
	}
	f.E2E = r.e2e()
	f.TPOT, w.tpot = r.perToken(r.TPOT)
	f.ITL, w.itl = r.perToken(r.ITL)
	f.NTPOT, _ = r.perToken(r.NTPOT)
	r.withhold(&f)
	return f, w
}

func offset(reported bool, m mark) Figure {
	switch {
	case !reported:
		return Figure{Undefined: unreported}
	case !m.ok:
		return Figure{Undefined: nothing}
	}
	return Figure{Value: m.at}
}

func (e End) reported() bool { return len(e.At) > 0 || e.Body }

func (r *reading) e2e() Figure {
	f := offset(r.End.reported(), r.end())
	switch {
	case f.Undefined == nothing && r.End.Body:
		return Figure{Undefined: noEnd}
	case f.Undefined == nothing && len(r.chunks) > 0:
		return Figure{Undefined: unended}
	case f.Undefined != "":
	case r.End.NeedsOK && r.trace.Outcome != tpot.OutcomeOK:
		return Figure{Undefined: unfinished}
	case r.End.NeedsChunk && len(r.chunks) == 0:
		return Figure{Undefined: nothing}
	}
	return f
}

// perToken is a time per token, and the tokens that it is divided by.
func (r *reading) perToken(p PerToken) (Figure, int) {
	q := r.ratio(p)
	over := time.Duration(q.tokens)
	switch {
	case q.why != "":
		return Figure{Undefined: q.why}, 0
	case over < 1 && r.n == 1 && p.Zero:
		return Figure{}, 1
	case over < 1:
		return Figure{Undefined: fewTokens}, 0
	case p.Floor:
		return Figure{Value: q.time / over}, q.tokens
	}
	return Figure{Value: (q.time + over/2) / over}, q.tokens
}

// withhold takes back what the convention does not give of this request after all.
func (r *reading) withhold(f *Figures) {
	switch lost := r.lost(); {
	case lost != "":
		leaveOut(lost, &f.TTFT, &f.TTFO, &f.TTST, &f.TPOT, &f.ITL, &f.NTPOT, &f.E2E)
		f.N, f.Source, f.Gaps = 0, "", nil
	case r.trace.Dropped > 0:
		leaveOut(cut, &f.TPOT, &f.ITL, &f.NTPOT, &f.E2E)
		for _, first := range []*Figure{&f.TTFT, &f.TTFO, &f.TTST} {
			if first.Undefined == nothing { // so far
				first.Undefined = cut
			}
		}
		f.N, f.Source, f.Gaps = 0, "", nil
	case r.stamps() < r.MinTokens:
		leaveOut(fewTokens, &f.TTFT, &f.TPOT, &f.ITL)
	}
}

func leaveOut(why string, figures ...*Figure) {
	for _, f := range figures {
		*f = Figure{Undefined: why}
	}
}

// lost is why the tool loses the request, if it does.
func (r *reading) lost() string {
	for _, b := range r.Breaks {
		if len(r.all.only(b.At)) > 0 {
			return b.Why
		}
	}
	return ""
}

// stamps is the tokens of the chunks, or, where those are not known, one for each chunk.
func (r *reading) stamps() int {
	if tokens, known := r.chunks.tokens(); known {
		return tokens
	}
	return len(r.chunks)
}

func (r *reading) excluded() string {
	switch {
	case r.trace.Dropped > 0:
		return cut
	case r.trace.Outcome != tpot.OutcomeOK:
		return unwell
	case r.lost() != "":
		return r.lost()
	case r.NeedsChunk && len(r.chunks) == 0:
		return nothing
	case len(r.NeedsEnd) > 0 && len(r.all.only(r.NeedsEnd)) == 0:
		return unended
	}
	return ""
}
