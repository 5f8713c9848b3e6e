package tpot

import (
	"slices"
	"time"
)

// Trace is one request, event by event, as far as its Tracker kept it: [Replay] makes the request's Stats of it, and other tools' figures can be
// worked out from it. It holds no content. It marshals to JSON and back; see [ReadTraces] for the form.
//
// The zero Trace is a request of which nothing is known. A trace that was made up from another source may leave zero what that does not tell:
// Events, End and Outcome are enough for most figures.
type Trace struct {
	Request Request
	Start   time.Time     // wall clock
	Events  []TraceEvent  // in the order of their arrival
	End     time.Duration // of the request, or the last arrival if it has not ended
	Outcome Outcome
	Dropped int // events that are missing at the end, since the Tracker kept no more

	Closed     time.Duration // when the body ended or was closed, if that was after End, as it can be of a complete response; else zero
	EndUnknown bool          // nobody saw the request end: End is when it was last heard of
	Cause      string        // as in Stats
	ErrorType  string        // as in Stats

	Setup, Wait, Hold time.Duration // of the whole request, as in Stats
	TailWait          time.Duration // the wait after the last event, which no other event ended: it can be a stall
	Stall             time.Duration // the Tracker's threshold; zero: 500 ms
	SLO               SLO

	Attempts       []Attempt
	Server         ServerTimings
	Wire           string // as in Stats
	Unread, Faults int    // as in Stats
}

// TraceEvent is one event, with its offset from the start and what its consumer did since the event before it.
type TraceEvent struct {
	At    time.Duration
	Wait  time.Duration // what the consumer waited for the producer
	Hold  time.Duration // what the consumer took itself
	Event Event
}

// Trace is what is known of the request so far, with the events kept; only a Tracker with TraceEvents keeps any. Its slices are copies.
func (r *Recorder) Trace() Trace {
	if r == nil {
		return Trace{}
	}
	w := r.gate.lock()
	defer r.gate.unlock(w)
	p := &r.progress
	away := min(p.away, p.wait)
	t := Trace{
		Request: r.request, Start: r.start, End: p.last, Outcome: p.verdict.outcome,
		Dropped: p.events, EndUnknown: p.lost, Cause: p.verdict.cause, ErrorType: p.verdict.errorType,
		Setup: p.setup, Wait: p.wait - away, Hold: p.hold + away, TailWait: p.tailWait,
		SLO: r.slo, Attempts: slices.Clone(p.attempts), Server: p.server, Wire: p.wire, Unread: p.unread, Faults: p.faults,
	}
	if p.stall != defaultStall {
		t.Stall = p.stall
	}
	if p.closed > p.last {
		t.Closed = p.closed
	}
	if k := p.kept; k != nil {
		t.Events = slices.Concat(k.blocks...)
		t.Dropped = max(p.events-k.most, 0)
		t.TailWait = max(p.tailWait-k.wait, 0)
	}
	return t
}

// keptEvents is the beginning of a request's events.
type keptEvents struct {
	blocks     [][]TraceEvent
	most       int           // events to keep
	wait, hold time.Duration // the progress's when the last event came, kept or not
}

// traceBlock is how many events are kept in one piece, so that keeping more does not copy those before.
const traceBlock = 64

// keepEvent keeps an event that arrived at the offset.
func (p *progress) keepEvent(at time.Duration, e *Event) {
	k := p.kept
	if p.events <= k.most {
		kept := k.next()
		kept.At, kept.Wait, kept.Hold, kept.Event = at, p.wait-k.wait, p.hold-k.hold, *e
		own(&kept.Event.Model, p.model)
		own(&kept.Event.FinishReason, p.finishReason)
		own(&kept.Event.ErrorType, p.errorType)
	}
	k.wait, k.hold = p.wait, p.hold
}

// next is the place for another event.
func (k *keptEvents) next() *TraceEvent {
	last := len(k.blocks) - 1
	if last < 0 || len(k.blocks[last]) == traceBlock {
		k.blocks = append(k.blocks, make([]TraceEvent, 0, min(traceBlock, k.most)))
		last++
	}
	k.blocks[last] = append(k.blocks[last], TraceEvent{})
	return &k.blocks[last][len(k.blocks[last])-1]
}

// own replaces a string of the stream's by the Recorder's own: the one held, if they are equal, else a copy.
func own(s *string, held string) {
	if *s == held {
		*s = held
		return
	}
	its := *s
	*s = ""
	retain(s, its)
}
