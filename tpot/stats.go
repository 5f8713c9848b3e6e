package tpot

import (
	"slices"
	"time"
)

// Convention is the name of the definitions that all figures of this module follow. Where figures leave it, this name goes with them; package
// convention has those of other tools.
const Convention = "tokentiming"

// Stats is what one request came to: final after End, or so far. Figures that may be absent are methods that return
// (value, ok); absent is not zero. Its methods are safe for concurrent use; nothing in it changes after End.
//
// The definitions are those of this module, see [Convention]; other tools define the same words otherwise.
type Stats struct {
	Request      Request
	Model        string    // the model that the response named
	Start        time.Time // wall clock, for display
	Outcome      Outcome   // OutcomeOpen before End
	Cause        string    // why it is not OutcomeOK, one of few words: see Outcome
	Err          error     // as the stream gave it, after a complete response too; a Stop is no error of the stream
	ErrorType    string    // of a failure: the in-band error's type, a refusal's status, or the error's Go type; else "timeout" or "truncated"; few values
	FinishReason string
	Usage        Usage // as the provider reported it
	Tokens       int   // N: tokens of the channels that were streamed
	Source       TokenSource
	Wire         string // the format of the events, where it was found out; else "unknown", or empty where nobody tried

	Events       int // all events
	Chunks       int // events that carry output
	Unclassified int // events that were not understood: pass a classifier
	Unread       int // events too large to look at, and bodies that are compressed or of an unknown format
	Choices      int // choices that had chunks
	Faults       int // faults of the timing: panics of classifiers and observers, counts that cannot be

	Setup     time.Duration // start to the first wait; over HTTP that is the first Read of the body, so retries and the headers are in it
	Wait      time.Duration // the producer's
	Hold      time.Duration // the consumer's
	HoldBound int           // chunks that were already there when the consumer asked: they arrived no later than stamped
	Stalls    Stalls

	SLO      SLO           // the limits of the request's Tracker, see [Stats.SLOMet]
	Attempts []Attempt     // not to be modified
	Server   ServerTimings // what the server reports about itself, if it does

	marks
	longestWait time.Duration
	gaps, itl   *Histogram
	timeline    timeline
}

// Stalls are the gaps whose wait was at or above the threshold, and the wait for a next chunk that never came.
type Stalls struct {
	Count          int
	Total, Longest time.Duration
}

func (s *Stalls) add(wait time.Duration) {
	s.Count++
	s.Total += wait
	s.Longest = max(s.Longest, wait)
}

// marks are the offsets and counts that the figures of Stats are made of.
type marks struct {
	firstEvent                     time.Duration
	first, second                  time.Duration
	end                            time.Duration
	ended                          bool // the end is known
	window                         span // of TPOT
	answer                         span // of the answer's TPOT
	firstVisible                   time.Duration
	visible, tokenChunks, carriers int // carriers: the chunks of the channels that N covers
}

// span is a stretch of time in which a number of tokens came after its first one.
type span struct {
	length time.Duration
	tokens int // not counting the first; 0: there is no rate
}

// perToken is the length over the tokens, to the nearest nanosecond.
func (s span) perToken() (time.Duration, bool) {
	if s.tokens < 1 {
		return 0, false
	}
	n := time.Duration(s.tokens)
	return (s.length + n/2) / n, true
}

// stats makes Stats of the progress. What can still change is copied; after the end nothing does.
func (r *Recorder) stats(s *Stats) {
	p := &r.progress
	away := min(p.away, p.wait)
	*s = Stats{
		Request: r.request, Model: p.model, Start: r.start, Outcome: p.verdict.outcome, Cause: p.verdict.cause,
		Err: p.err, ErrorType: p.verdict.errorType, FinishReason: p.finishReason, Usage: p.usage,
		Wire: p.wire, Events: p.events, Chunks: p.chunks, Unclassified: p.unclassified, Unread: p.unread,
		Choices: p.choices.count(), Faults: p.faults,
		Setup: p.setup, Wait: p.wait - away, Hold: p.hold + away, HoldBound: p.holdBound, Stalls: p.stalls,
		Attempts: p.attempts, Server: p.server,
		SLO: r.slo, longestWait: p.longestWait, timeline: p.timeline, gaps: &p.gaps, itl: p.itl,
	}
	if s.Outcome == OutcomeOpen {
		s.detach()
	}
	s.Tokens, s.Source = p.outputTokens()
	s.marks = p.marks(s.Tokens, s.Source)
}

// detach gives s its own copies of what the Recorder goes on changing.
func (s *Stats) detach() {
	gaps := *s.gaps
	s.gaps = &gaps
	if s.itl != nil {
		itl := *s.itl
		s.itl = &itl
	}
	s.Attempts = slices.Clone(s.Attempts)
}

// hidden is the number of reasoning tokens that the usage counts and the stream did not carry, or carried only in
// summary.
func (p *progress) hidden() int {
	if p.kinds&KindReasoning != 0 && p.kinds&KindSummary == 0 {
		return 0
	}
	return min(p.usage.Reasoning, p.usage.Output)
}

// outputTokens is N and where it comes from.
func (p *progress) outputTokens() (int, TokenSource) {
	switch {
	case p.usage.Output > 0:
		return p.usage.Output - p.hidden(), SourceReported
	case p.chunks == 0:
		return 0, SourceUnknown
	case p.counted.chunks == p.chunks:
		return p.counted.tokens, SourceCounted
	}
	return p.chunks, SourceChunks
}

func (p *progress) marks(tokens int, source TokenSource) marks {
	return marks{
		firstEvent: p.firstEvent, first: p.first, second: p.second, end: p.last, ended: p.verdict.outcome != OutcomeOpen && !p.lost,
		window: p.window(tokens, source), answer: p.answerWindow(source),
		firstVisible: p.firstVisible, visible: p.visible, tokenChunks: p.counted.chunks, carriers: p.carriers(source),
	}
}

// visibleOnly is whether N covers the visible chunks alone.
func (p *progress) visibleOnly(source TokenSource) bool {
	return source == SourceReported && p.hidden() > 0
}

// carriers is the number of chunks of the channels that N covers.
func (p *progress) carriers(source TokenSource) int {
	if p.visibleOnly(source) {
		return p.visible
	}
	return p.chunks
}

// window is the span of TPOT. It covers the same channels as N: where the reasoning was not streamed, or only its summary,
// it starts at the first visible chunk. Choices that stream side by side have one only when each chunk's tokens are
// known, and then it is that of all choices together.
func (p *progress) window(tokens int, source TokenSource) span {
	if p.choices.count() > 1 {
		if s, ok := p.choices.pooled(); ok {
			return s
		}
		return span{}
	}
	if p.visibleOnly(source) {
		return p.visibleSpan(tokens)
	}
	if p.chunks < 2 {
		return span{}
	}
	return span{p.latest - p.first, tokens - 1}
}

// answerWindow is the span of the answer's TPOT: visible chunks alone. Only usage that tells the reasoning apart gives their
// tokens, or usage of a response without any.
func (p *progress) answerWindow(source TokenSource) span {
	if p.choices.count() > 1 {
		return span{}
	}
	reasoned := p.kinds&KindReasoning != 0
	if source != SourceReported || reasoned && p.usage.Reasoning == 0 {
		return span{}
	}
	return p.visibleSpan(p.usage.Output - min(p.usage.Reasoning, p.usage.Output))
}

func (p *progress) visibleSpan(tokens int) span {
	if p.visible < 2 {
		return span{}
	}
	return span{p.latestVisible - p.firstVisible, tokens - 1}
}

// TTFT is the time to first token: from the start to the first chunk of any channel. Absent when none came.
func (s Stats) TTFT() (time.Duration, bool) { return s.first, s.Chunks > 0 }

// TTFO is the time to first output token: from the start to the first chunk that is more than reasoning.
func (s Stats) TTFO() (time.Duration, bool) { return s.firstVisible, s.visible > 0 }

// TTST is the time from the first chunk to the second.
func (s Stats) TTST() (time.Duration, bool) { return max(s.second-s.first, 0), s.Chunks > 1 }

// TPOT is the time per output token: from the first chunk to the last over N-1. Absent when N is below 2, when only one
// chunk came, or when several choices streamed without a token count for each chunk. Where usage counts reasoning that was
// not streamed, or only in summary, both the time and N are those of the visible chunks.
//
// With [SourceChunks] N is a guess and so is this.
func (s Stats) TPOT() (time.Duration, bool) { return s.window.perToken() }

// TPOTTokens is the number of tokens that TPOT is the mean time of, N-1 for one choice: its weight, where each token is to count
// once. Zero where TPOT is absent.
func (s Stats) TPOTTokens() int { return max(s.window.tokens, 0) }

// AnswerTPOT is TPOT over the visible chunks alone, N being the output tokens less the reasoning. Absent when that count is
// unknown.
func (s Stats) AnswerTPOT() (time.Duration, bool) { return s.answer.perToken() }

// TokensPerSecond is the decode rate, 1 / TPOT. Absent with it, and when all tokens came at once.
func (s Stats) TokensPerSecond() (float64, bool) {
	if s.window.tokens < 1 || s.window.length <= 0 {
		return 0, false
	}
	return float64(s.window.tokens) / s.window.length.Seconds(), true
}

// Throughput is N over E2E, in tokens per second: not a rate of decoding, since it includes the wait for the first token.
func (s Stats) Throughput() (float64, bool) {
	if !s.ended || s.end <= 0 || s.Tokens < 1 {
		return 0, false
	}
	return float64(s.Tokens) / s.end.Seconds(), true
}

// E2E is the time from the start to the end. Absent before the end, and for an abandoned stream, whose end is not known.
func (s Stats) E2E() (time.Duration, bool) {
	if !s.ended {
		return 0, false
	}
	return s.end, true
}

// FirstEvent is the time from the start to the first event of any kind, which often is a role and no chunk.
func (s Stats) FirstEvent() (time.Duration, bool) { return s.firstEvent, s.Events > 0 }

// TTFB is the time from the start to the first byte of the last attempt's body. Absent when that does not know it.
func (s Stats) TTFB() (time.Duration, bool) {
	return s.lastAttempt(func(a Attempt) time.Duration { return a.FirstByte })
}

// Headers is the time from the start to the response headers of the last attempt. Absent when that does not know it.
func (s Stats) Headers() (time.Duration, bool) {
	return s.lastAttempt(func(a Attempt) time.Duration { return a.Headers })
}

func (s Stats) lastAttempt(offset func(Attempt) time.Duration) (time.Duration, bool) {
	if len(s.Attempts) == 0 {
		return 0, false
	}
	at := offset(s.Attempts[len(s.Attempts)-1])
	return at, at > 0
}

// Course is the response over time, as [Stats.Report] draws it: for each of equal steps since the first chunk the longest chunk gap that
// covers a part of it, in whole microseconds. There are at most 48 steps, of a length that fits the response; none without a gap.
func (s Stats) Course() (step time.Duration, longest []time.Duration) {
	return s.timeline.width(), s.timeline.longest()
}

// Gaps is the distribution of the chunk gaps, the times between two consecutive chunks of one choice. After End it is
// the Recorder's own, not to be modified; before, a copy.
func (s Stats) Gaps() *Histogram {
	if s.gaps == nil {
		return emptyHistogram()
	}
	return s.gaps
}

// emptyHistogram is not inlined, lest each caller has its 2 KiB on the stack.
//
//go:noinline
func emptyHistogram() *Histogram { return new(Histogram) }

// ITL is the distribution of the inter-token latency: each gap over the tokens k of the chunk that ends it, counted k times.
// Where k is not known the gap counts once; [Stats.ITLBasis] says how it is made up. It is [Stats.Gaps] itself until a chunk
// with more than one token came.
func (s Stats) ITL() *Histogram {
	if s.itl == nil {
		return s.Gaps()
	}
	return s.itl
}

// ITLBasis is what ITL is made of: "tokens" where every chunk's count is known, "chunks" where none is, else "mixed"; empty
// without chunks.
func (s Stats) ITLBasis() string {
	switch s.tokenChunks {
	case s.Chunks:
		if s.Chunks == 0 {
			return ""
		}
		return "tokens"
	case 0:
		return "chunks"
	}
	return "mixed"
}

// TokensPerChunk is N over the number of chunks of the same channels; absent where N is a guess or unknown.
func (s Stats) TokensPerChunk() (float64, bool) {
	if s.carriers == 0 || s.Source == SourceChunks || s.Source == SourceUnknown {
		return 0, false
	}
	return float64(s.Tokens) / float64(s.carriers), true
}
