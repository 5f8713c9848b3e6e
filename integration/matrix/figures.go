package matrix

import (
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// figures is what a record says, or should say, of a request.
type figures struct {
	Outcome      tpot.Outcome
	FinishReason string
	Chunks       []chunk
	TTFT, TTFO   time.Duration // absent, like those below, when there was none
	TPOT         time.Duration
	Tokens       int
	Source       tpot.TokenSource
	Gaps         gaps
	Stalls       tpot.Stalls
	E2E          time.Duration
	Headers      time.Duration
	Statuses     []int // of the attempts
	Unclassified int
	Faults       int
}

// chunk is a chunk and when it came, from the start.
type chunk struct {
	At   time.Duration
	Kind llmtest.Kind
}

// gaps is what the histogram of the gaps has exactly.
type gaps struct {
	Count         int
	Sum, Min, Max time.Duration
}

// absent is in the place of a figure that a request does not have.
const absent = -1 * time.Nanosecond

func orAbsent(d time.Duration, ok bool) time.Duration {
	if !ok {
		return absent
	}
	return d
}

// figures is what the record says.
func (r record) figures() figures {
	s := r.stats
	f := figures{
		Outcome: s.Outcome, FinishReason: s.FinishReason, Chunks: r.chunks(),
		TTFT: orAbsent(s.TTFT()), TTFO: orAbsent(s.TTFO()), TPOT: orAbsent(s.TPOT()),
		Tokens: s.Tokens, Source: s.Source, Stalls: s.Stalls,
		E2E: orAbsent(s.E2E()), Headers: orAbsent(s.Headers()),
		Unclassified: s.Unclassified, Faults: s.Faults,
	}
	h := s.Gaps()
	f.Gaps = gaps{Count: h.Count(), Sum: h.Sum(), Min: orAbsent(h.Min()), Max: orAbsent(h.Max())}
	for _, a := range s.Attempts {
		f.Statuses = append(f.Statuses, a.Status)
	}
	return f
}

// chunks is the chunks in the record's trace.
func (r record) chunks() (cs []chunk) {
	for _, e := range r.rec.Trace().Events {
		switch k := e.Event.Kind & tpot.KindGenerated; {
		case k&tpot.KindVisible == tpot.KindText:
			cs = append(cs, chunk{e.At, llmtest.KindText})
		case k == tpot.KindReasoning:
			cs = append(cs, chunk{e.At, llmtest.KindReasoning})
		case k != 0:
			cs = append(cs, chunk{e.At, llmtest.Kind(k.String())})
		}
	}
	return cs
}

// answer is what the figures of a response should be by arithmetic on its chunks, and its usage if that was heard: one that counts
// reasoning by itself or not, for an answer with all of its reasoning or a summary.
func answer(cs []chunk, u llmtest.Usage, counts, summary bool) figures {
	f := figures{Chunks: cs, TTFT: absent, TTFO: absent, TPOT: absent}
	f.Gaps = gapsOf(cs)
	window := cs
	switch streamed := firstText(cs) > 0; {
	case len(cs) == 0:
		return f
	case u.Output == 0:
		f.Tokens, f.Source = len(cs), tpot.SourceChunks
	case !counts || streamed && !summary:
		f.Tokens, f.Source = u.Output, tpot.SourceReported
	default: // the reasoning that is counted is not what was streamed
		f.Tokens, f.Source = u.Output-u.Reasoning, tpot.SourceReported
		window = cs[firstText(cs):]
	}
	f.TTFT = cs[0].At
	if i := firstText(cs); i < len(cs) {
		f.TTFO = cs[i].At
	}
	if n := time.Duration(f.Tokens - 1); n > 0 && len(window) > 1 {
		f.TPOT = (window[len(window)-1].At - window[0].At + n/2) / n
	}
	return f
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

func gapsOf(cs []chunk) gaps {
	g := gaps{Min: absent, Max: absent}
	for i := 1; i < len(cs); i++ {
		gap := cs[i].At - cs[i-1].At
		if g.Count++; g.Count == 1 {
			g.Min, g.Max = gap, gap
		}
		g.Sum += gap
		g.Min, g.Max = min(g.Min, gap), max(g.Max, gap)
	}
	return g
}
