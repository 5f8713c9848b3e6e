package matrix

import (
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// figures is what a record says, or should say, of a request.
type figures struct {
	verdict
	Request             tpot.Request
	FinishReason, Model string
	Format              string // of the events
	Usage               tpot.Usage
	Server              tpot.ServerTimings

	Tokens                       int
	Source                       tpot.TokenSource
	Events, Choices              int
	Unclassified, Unread, Faults int
	HoldBound                    int
	Chunks                       []chunk
	FirstEvent                   time.Duration // absent, like those below, when there was none
	TTFT, TTST, TTFO             time.Duration
	TPOT, AnswerTPOT             time.Duration
	Gaps, ITL                    gaps
	ITLBasis                     string
	Stalls                       tpot.Stalls
	E2E                          time.Duration
	Setup, Wait, Hold            time.Duration
	Attempts                     []tpot.Attempt
}

// verdict is how a request ended.
type verdict struct {
	Outcome          tpot.Outcome
	Cause, ErrorType string
}

// gaps is what the histogram of the gaps has exactly.
type gaps struct {
	Count                 int
	Sum, Min, Max, Jitter time.Duration
}

// absent is in the place of a figure that a request does not have.
const absent = -1 * time.Nanosecond

func orAbsent(d time.Duration, ok bool) time.Duration {
	if !ok {
		return absent
	}
	return d
}

// figures is what the record says. Whether a connection was an old one is net/http's.
func (r *record) figures() figures {
	s := r.stats
	f := figures{
		verdict: verdict{s.Outcome, s.Cause, s.ErrorType}, Request: s.Request, FinishReason: s.FinishReason, Model: s.Model,
		Format: s.Wire, Usage: s.Usage, Server: s.Server,
		Tokens: s.Tokens, Source: s.Source, Events: s.Events, Choices: s.Choices,
		Unclassified: s.Unclassified, Unread: s.Unread, Faults: s.Faults, HoldBound: s.HoldBound, Chunks: r.chunks(),
		FirstEvent: orAbsent(s.FirstEvent()), TTFT: orAbsent(s.TTFT()), TTST: orAbsent(s.TTST()), TTFO: orAbsent(s.TTFO()),
		TPOT: orAbsent(s.TPOT()), AnswerTPOT: orAbsent(s.AnswerTPOT()), Gaps: gapsIn(s.Gaps()), ITL: gapsIn(s.ITL()), ITLBasis: s.ITLBasis(),
		Stalls: s.Stalls, E2E: orAbsent(s.E2E()), Setup: s.Setup, Wait: s.Wait, Hold: s.Hold,
	}
	for _, a := range s.Attempts {
		a.Reused = false
		f.Attempts = append(f.Attempts, a)
	}
	return f
}

// chunks is the chunks that the record's observer was told of.
func (r *record) chunks() (cs []chunk) {
	for _, a := range r.arrivals {
		if !a.Chunk {
			continue
		}
		switch k := a.Event.Kind & tpot.KindGenerated; k {
		case tpot.KindText:
			cs = append(cs, chunk{a.At, llmtest.KindText})
		case tpot.KindReasoning:
			cs = append(cs, chunk{a.At, llmtest.KindReasoning})
		default:
			cs = append(cs, chunk{a.At, llmtest.Kind(k.String())})
		}
	}
	return cs
}

func gapsIn(h *tpot.Histogram) gaps {
	return gaps{
		Count: h.Count(), Sum: h.Sum(),
		Min: orAbsent(h.Min()), Max: orAbsent(h.Max()), Jitter: orAbsent(h.Jitter()),
	}
}

// gapsOf is the gaps between chunks. Where the tokens of each are known it is those between tokens, in each gap as even as
// nanoseconds allow.
func gapsOf(cs []chunk, tokens []int) gaps {
	var all []time.Duration
	for i := 1; i < len(cs); i++ {
		gap, k := cs[i].At-cs[i-1].At, 1
		if tokens != nil {
			k = tokens[i]
		}
		for n := range k {
			all = append(all, gap*time.Duration(n+1)/time.Duration(k)-gap*time.Duration(n)/time.Duration(k))
		}
	}
	return gapsAmong(all)
}

func gapsAmong(all []time.Duration) gaps {
	g := gaps{Count: len(all), Min: absent, Max: absent, Jitter: absent}
	var steps time.Duration
	for i, gap := range all {
		if i == 0 {
			g.Min, g.Max = gap, gap
		} else {
			steps += max(gap-all[i-1], all[i-1]-gap)
		}
		g.Sum += gap
		g.Min, g.Max = min(g.Min, gap), max(g.Max, gap)
	}
	if n := time.Duration(len(all) - 1); n > 0 {
		g.Jitter = rounded(steps, n)
	}
	return g
}

func rounded(d, n time.Duration) time.Duration { return (d + n/2) / n }

// answer is what the figures should be by arithmetic on what was heard of an answer, with all of its reasoning or a summary,
// and on its usage: zero if that was not heard, Reasoning zero if it does not count that.
func answer(hs []heard, u tpot.Usage, summary bool, tokens []int) figures {
	cs := chunks(hs)
	f := figures{
		Usage: u, Choices: min(len(cs), 1), HoldBound: holdBound(hs), Chunks: cs,
		FirstEvent: absent, TTFT: absent, TTST: absent, TTFO: absent, TPOT: absent, AnswerTPOT: absent,
		Gaps: gapsOf(cs, nil), ITL: gapsOf(cs, tokens),
	}
	if len(hs) > 0 {
		f.FirstEvent = hs[0].At
	}
	for _, h := range hs {
		f.Events += 1 + h.more
	}
	if len(cs) == 0 {
		return f
	}
	f.TTFT, f.ITLBasis = cs[0].At, "chunks"
	if tokens != nil {
		f.ITLBasis = "tokens"
	}
	if len(cs) > 1 {
		f.TTST = cs[1].At - cs[0].At
	}
	text := cs[firstText(cs):]
	if len(text) > 0 {
		f.TTFO = text[0].At
	}
	f.rate(cs, text, u, summary)
	return f
}

// rate sets N and what hangs on it.
func (f *figures) rate(cs, text []chunk, u tpot.Usage, summary bool) {
	reasoned := len(text) < len(cs)
	window := cs
	switch {
	case u.Output == 0:
		f.Tokens, f.Source = len(cs), tpot.SourceChunks
	case u.Reasoning == 0, reasoned && !summary:
		f.Tokens, f.Source = u.Output, tpot.SourceReported
	default: // the reasoning that is counted is not what was streamed
		f.Tokens, f.Source = u.Output-u.Reasoning, tpot.SourceReported
		window = text
	}
	f.TPOT = perToken(window, f.Tokens)
	if u.Output > 0 && (!reasoned || u.Reasoning > 0) {
		f.AnswerTPOT = perToken(text, u.Output-u.Reasoning)
	}
}

func perToken(cs []chunk, tokens int) time.Duration {
	if n := time.Duration(tokens - 1); n > 0 && len(cs) > 1 {
		return rounded(cs[len(cs)-1].At-cs[0].At, n)
	}
	return absent
}

// firstText is the index of the first chunk that is not reasoning.
func firstText(cs []chunk) int {
	for i, c := range cs {
		if c.Kind != llmtest.KindReasoning {
			return i
		}
	}
	return len(cs)
}

// holdBound is how many chunks were there before somebody waited for them.
func holdBound(hs []heard) (n int) {
	var held, bound time.Duration // since somebody last waited, or got a chunk; when the latest such chunk came
	for _, h := range hs {
		if held += h.hold; h.wait > 0 {
			held = 0
		}
		if h.Kind == "" {
			continue
		}
		if held > 0 || n > 0 && h.At == bound { // of one packet
			n, bound = n+1, h.At
		}
		held = 0
	}
	return n
}
