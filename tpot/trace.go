package tpot

import "time"

// Trace is the course of one request, event by event, as far as its Tracker kept it. It holds no content. It marshals to
// JSON and back without loss but for the monotonic reading of Start and bits of a Kind that have no name; durations are
// nanoseconds.
type Trace struct {
	Request Request       `json:"request"`
	Start   time.Time     `json:"start"` // wall clock
	Events  []TraceEvent  `json:"events"`
	End     time.Duration `json:"end_ns"` // of the request, or the last arrival if it has not ended
	Outcome Outcome       `json:"outcome"`
	Dropped int           `json:"dropped,omitempty"` // events that came after the trace was full
}

// TraceEvent is one event, with its offset from the start and the wait for it.
type TraceEvent struct {
	At    time.Duration `json:"at_ns"`
	Wait  time.Duration `json:"wait_ns"`
	Event Event         `json:"event"`
}

// keepTrace keeps an event that arrived at the offset, with the strings the progress holds instead of its own.
func (p *progress) keepTrace(at time.Duration, e *Event) {
	if len(p.trace) == p.keep {
		p.dropped++
		return
	}
	kept := *e
	for _, s := range []struct {
		own  *string
		held string
	}{{&kept.Model, p.model}, {&kept.FinishReason, p.finishReason}, {&kept.ErrorType, p.errorType}} {
		if *s.own == s.held {
			*s.own = s.held
		} else {
			own := *s.own
			*s.own = ""
			retain(s.own, own)
		}
	}
	p.trace = append(p.trace, TraceEvent{At: at, Wait: p.eventWait, Event: kept})
}
