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
	return r.trace()
}

func (r *Recorder) trace() Trace {
	p := &r.progress
	away := min(p.away, p.wait)
	t := Trace{
		Request: r.request, Start: r.start, Events: slices.Concat(p.kept...), End: p.last, Outcome: p.verdict.outcome,
		Dropped: max(p.events-p.keep, 0), EndUnknown: p.lost, Cause: p.verdict.cause, ErrorType: p.verdict.errorType,
		Setup: p.setup, Wait: p.wait - away, Hold: p.hold + away, TailWait: max(p.tailWait-p.keptWait, 0),
		SLO: r.slo, Attempts: slices.Clone(p.attempts), Server: p.server, Wire: p.wire, Unread: p.unread, Faults: p.faults,
	}
	if p.stall != defaultStall {
		t.Stall = p.stall
	}
	if p.closed > p.last {
		t.Closed = p.closed
	}
	return t
}

// traceBlock is how many events are kept in one piece, so that keeping more does not copy those before.
const traceBlock = 64

// keepEvent keeps an event that arrived at the offset.
func (p *progress) keepEvent(at time.Duration, e *Event) {
	if p.events <= p.keep {
		kept := p.nextKept()
		kept.At, kept.Wait, kept.Hold, kept.Event = at, p.wait-p.keptWait, p.hold-p.keptHold, *e
		own(&kept.Event.Model, p.model)
		own(&kept.Event.FinishReason, p.finishReason)
		own(&kept.Event.ErrorType, p.errorType)
	}
	p.keptWait, p.keptHold = p.wait, p.hold
}

// nextKept is the place for another event.
func (p *progress) nextKept() *TraceEvent {
	last := len(p.kept) - 1
	if last < 0 || len(p.kept[last]) == traceBlock {
		p.kept = append(p.kept, make([]TraceEvent, 0, min(traceBlock, p.keep)))
		last++
	}
	p.kept[last] = append(p.kept[last], TraceEvent{})
	return &p.kept[last][len(p.kept[last])-1]
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
