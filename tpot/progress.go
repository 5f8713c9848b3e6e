package tpot

import (
	"strings"
	"time"
)

// progress is what a Recorder knows of its stream so far. The Recorder's gate guards it.
type progress struct {
	last  time.Duration // the latest arrival or end of a wait, or the end
	phase time.Duration // since when the consumer holds, or, where nobody waits, the last arrival or end of a wait
	heard bool          // something has arrived
	begun bool          // somebody has waited
	lost  bool          // the end is not known

	setup, wait, hold time.Duration
	away              time.Duration                      // part of wait in which the consumer did not wait
	caughtUp          struct{ hold, wait time.Duration } // when the consumer last was no later than the producer

	kinds                          Kind       // of all events
	finished                       bool       // a finish reason came
	behind                         bool       // the latest chunk was already there when the consumer asked
	unfinished                     int        // choices that had a chunk since their finish reason, or without one
	completion                     completion // of the response, if it is complete
	model, finishReason, errorType string

	wire string

	events, chunks, visible, unclassified, unread, faults, holdBound int

	firstEvent                  time.Duration
	first, second, latest       time.Duration // chunks
	firstVisible, latestVisible time.Duration
	waited                      time.Duration // wait when the latest chunk came

	usage   Usage
	counted tally // chunks whose tokens are known

	stall       time.Duration // the threshold
	stalls      Stalls
	stalled     bool          // the wait since the latest chunk has been counted
	longestWait time.Duration // of a gap
	gaps        Histogram
	itl         *Histogram // nil while it would equal gaps
	choices     choices
	timeline    timeline

	pending pendingError
	err     error
	verdict verdict

	claim    uint64
	attempts []Attempt
	server   ServerTimings

	kept     *keptEvents   // nil: none are to be kept
	tailWait time.Duration // wait when a response broke off
	closed   time.Duration // when somebody ended the request
}

// completion is when the event came that completed a response, and what the time until then was.
type completion struct{ at, wait, hold, away time.Duration }

// pendingError is an error that the stream gave and that no event has cleared since. Without an error it is none.
type pendingError struct {
	err     error
	at      time.Duration
	verdict verdict
}

// explains says whether the next error, of its own a failure or half an event, comes of this one: of the half of an event that a
// connection leaves when it breaks, an SDK may make an error that says nothing of that.
func (p pendingError) explains(next pendingError) bool {
	return p.verdict.outcome == OutcomeTruncated && next.verdict.outcome == OutcomeFailed ||
		p.verdict.cause == causeCut && next.verdict == truncated
}

// tally counts chunks and the tokens in them.
type tally struct{ chunks, tokens int }

func (t *tally) add(tokens int) {
	t.chunks++
	t.tokens += tokens
}

// arrive moves to the offset at which something came from the producer, and books the time since the phase began. It
// returns the offset, which is never before the last one.
func (p *progress) arrive(w openWait, at time.Duration) time.Duration {
	p.leavePhase(w)
	at = max(at, p.phase)
	p.wait += at - p.phase
	p.last, p.phase, p.heard = at, at, true
	return at
}

// endWait books an open wait that ends without an event.
func (p *progress) endWait(w openWait, at time.Duration) {
	if _, waiting := w.since(); !waiting {
		return
	}
	p.leavePhase(w)
	at = max(at, p.phase)
	p.wait += at - p.phase
	p.last, p.phase = at, at
}

// leavePhase books what came before an open wait, which is then the phase.
func (p *progress) leavePhase(w openWait) {
	since, waiting := w.since()
	since = max(since, p.phase)
	if !waiting {
		return
	}
	if p.heard || p.begun {
		p.hold += since - p.phase
	} else {
		p.setup = since
	}
	p.phase, p.begun = since, true
}

// event takes in an event that arrived at the offset.
func (p *progress) event(at time.Duration, e *Event) {
	if p.events++; p.events == 1 {
		p.firstEvent = at
	}
	if p.wait-p.caughtUp.wait >= alreadyThere {
		p.catchUp()
	}
	if p.pending.err != nil {
		p.pending = pendingError{}
	}
	if e.Kind&KindGenerated != 0 {
		p.chunk(at, e)
	}
	if e.Kind&^(KindGenerated|KindChoices|KindMarked) != 0 || e.Kind == 0 || e.FinishReason != "" {
		p.structure(at, e)
	}
	if e.Kind&^p.kinds != 0 {
		p.kinds |= e.Kind
	}
	if e.Model != "" {
		retain(&p.model, e.Model)
	}
	if p.kept != nil {
		p.keepEvent(at, e)
	}
}

// structure takes in what an event says besides output.
func (p *progress) structure(at time.Duration, e *Event) {
	if e.Kind&(KindFinish|KindDone|KindUsage) != 0 && p.kinds&KindDone == 0 {
		p.completion = completion{at: at, wait: p.wait, hold: p.hold, away: p.away}
	}
	if e.Kind == 0 {
		p.unclassified++
	}
	if e.Kind&KindError != 0 {
		p.checkLastStall()
	}
	if e.Kind&KindFinish != 0 {
		p.finish(e.Choice)
	}
	if e.Kind&KindUsage != 0 && !p.usage.merge(e.Usage) {
		p.faults++
	}
	if e.FinishReason != "" {
		retain(&p.finishReason, e.FinishReason)
	}
	if e.Kind&KindError != 0 && p.errorType == "" {
		retain(&p.errorType, e.ErrorType)
	}
}

// longestName bounds the strings held: model names, finish reasons and error types are short.
const longestName = 256

// retain keeps a copy of a string from an event, unless it keeps an equal one already. What is no UTF-8 would be refused
// where it is exported to, and is left out.
func retain(have *string, s string) {
	if s = s[:min(len(s), longestName)]; s != *have {
		*have = strings.Clone(strings.ToValidUTF8(s, ""))
	}
}

// chunk takes in the output of an event.
func (p *progress) chunk(at time.Duration, e *Event) {
	p.chunks++
	switch p.chunks {
	case 1:
		p.first = at
	case 2:
		p.second = at
	}
	p.behind = p.wait-p.caughtUp.wait < p.hold-p.caughtUp.hold || p.behind && at == p.latest // one Read may bring several
	if p.behind {
		p.holdBound++
	}
	p.catchUp()
	if p.chunks > 1 {
		p.checkStall(p.wait - p.waited)
		p.stalled = false
	}
	if e.Kind&KindVisible != 0 {
		p.visibleChunk(at)
	}
	tokens := p.tokens(e)
	p.latest, p.waited = at, p.wait
	c := p.choices.find(e.Choice)
	if c == nil {
		p.faults++
		return
	}
	if c.chunks == 0 {
		c.first = at
	} else {
		p.gap(c, at, tokens)
	}
	c.chunks++
	c.last = at
	if !c.unfinished {
		c.unfinished = true
		p.unfinished++
	}
	if tokens > 0 {
		c.counted.add(tokens)
	}
}

func (p *progress) catchUp() { p.caughtUp.hold, p.caughtUp.wait = p.hold, p.wait }

// finish takes in a choice's finish reason.
func (p *progress) finish(index int) {
	p.finished = true
	p.choices.each(func(c *choice) {
		if c.index == index && c.unfinished {
			c.unfinished = false
			p.unfinished--
		}
	})
}

// complete is whether the response came to its end: an end marker, or a finish reason of every choice that had output.
func (p *progress) complete() bool {
	return p.kinds&KindDone != 0 || p.finished && p.unfinished == 0
}

// tokens counts and returns the tokens of a chunk, 0 when unknown.
func (p *progress) tokens(e *Event) int {
	if e.Tokens == 0 {
		return 0
	}
	if !believable(e.Tokens) || !believable(p.counted.tokens+e.Tokens) {
		p.faults++
		return 0
	}
	p.counted.add(e.Tokens)
	return e.Tokens
}

func (p *progress) visibleChunk(at time.Duration) {
	if p.visible == 0 {
		p.firstVisible = at
	}
	p.visible++
	p.latestVisible = at
}

// gap takes in the gap between the last chunk of a choice and one that arrived at the offset.
func (p *progress) gap(c *choice, at time.Duration, tokens int) {
	gap := at - c.last
	if p.itl != nil || tokens > 1 {
		p.interToken(c, gap, max(tokens, 1))
	}
	if c.chunks > 1 {
		p.gaps.step(c.gap, gap)
	}
	p.gaps.addOne(gap)
	c.gap = gap
	p.timeline.paint(c.last-p.first, at-p.first)
}

// interToken spreads a gap over the tokens of the chunk that ends it. Until the first chunk of several tokens the
// inter-token latencies are the gaps.
func (p *progress) interToken(c *choice, gap time.Duration, tokens int) {
	if p.itl == nil {
		sofar := p.gaps
		p.itl = &sofar
		p.choices.each(func(c *choice) { c.itl = c.gap })
	}
	c.itl = p.itl.spread(c.itl, c.chunks > 1, gap, tokens)
}

// checkStall looks at the wait since the latest chunk of any choice. A wait that an error event ended is looked at again when
// a chunk comes after all, and is one stall.
func (p *progress) checkStall(wait time.Duration) {
	if wait > p.longestWait {
		p.longestWait = wait
	}
	if wait >= p.stall && !p.stalled {
		p.stalls.add(wait)
		p.stalled = true
	}
}

// openGap is the wait for the next chunk so far, and whether it goes on.
func (p *progress) openGap(w openWait, at time.Duration) (wait time.Duration, waiting bool) {
	since, waiting := w.since()
	switch {
	case p.complete() || p.kinds&KindError != 0:
		return 0, false
	case !p.heard && !p.begun: // all so far is setup, which is not booked yet
		return max(at, 0), waiting || p.claim == 0
	case !waiting:
		since, waiting = p.phase, !p.begun
	}
	wait = p.wait - p.waited
	if p.chunks == 0 {
		wait += p.setup
	}
	if waiting {
		wait += max(at-max(since, p.phase), 0)
	}
	return wait, waiting
}
