package tpot

import (
	"slices"
	"time"
)

// Trace is the course of one request, event by event, as far as its Tracker kept it: what other figures can be worked out from, and what
// [Replay] makes the request's Stats of. It holds no content. It marshals to JSON and back; see [ReadTraces] for the form.
//
// The zero Trace is a request of which nothing is known. What is not known of a trace that came from elsewhere may be left zero: the Events,
// End and Outcome are enough for most figures.
type Trace struct {
	Request Request
	Start   time.Time     // wall clock
	Events  []TraceEvent  // in the order of their arrival
	End     time.Duration // of the request, or the last arrival if it has not ended
	Outcome Outcome
	Dropped int // events that are missing at the end, since the Tracker kept no more

	Closed     time.Duration // the body was read to its end, or closed; zero: at End, which for a complete response can be earlier
	EndUnknown bool          // nobody saw the request end: End is the last that was heard of it
	Cause      string        // as in Stats
	ErrorType  string        // as in Stats

	Setup, Wait, Hold time.Duration // of the whole request, as in Stats
	TailWait          time.Duration // the wait after the last event that ended without another, if it can be a stall
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
	Wait  time.Duration // the producer's, which the consumer waited
	Hold  time.Duration // the consumer's
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
		Request: r.request, Start: r.start, Events: slices.Clone(p.kept), End: p.last, Outcome: p.verdict.outcome,
		Dropped: p.events - len(p.kept), EndUnknown: p.lost, Cause: p.verdict.cause, ErrorType: p.verdict.errorType,
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

// keepEvent keeps an event that arrived at the offset, with the strings the progress holds instead of its own.
func (p *progress) keepEvent(at time.Duration, e *Event) {
	if len(p.kept) < p.keep {
		p.kept = append(p.kept, TraceEvent{At: at, Wait: p.wait - p.keptWait, Hold: p.hold - p.keptHold, Event: p.own(*e)})
	}
	p.keptWait, p.keptHold = p.wait, p.hold
}

// own is the event without strings that belong to the stream.
func (p *progress) own(e Event) Event {
	for _, s := range []struct {
		its  *string
		held string
	}{{&e.Model, p.model}, {&e.FinishReason, p.finishReason}, {&e.ErrorType, p.errorType}} {
		if *s.its == s.held {
			*s.its = s.held
			continue
		}
		its := *s.its
		*s.its = ""
		retain(s.its, its)
	}
	return e
}
