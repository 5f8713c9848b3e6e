package tpot

import "time"

// SLO is a set of limits on one request's figures. A zero field is no limit. No limits hold for everyone: what a reader
// of a chat notices, a batch job does not.
type SLO struct {
	TTFT  time.Duration
	TTFO  time.Duration
	TPOT  time.Duration
	ITL99 time.Duration // on the 99th percentile of the inter-token latency
	Stall time.Duration // on the longest wait between two chunks
	E2E   time.Duration
}

// Starting points for [SLO.TPOT] by kind of use: the upper ends of the bands of time per token that practitioners give. They are no
// thresholds for everyone. A reader takes in some 200 ms a token; what streams to a program, or is read aloud, needs
// another pace; and a model that misses one from the start tells nothing by missing it. Measure first, then set a limit.
const (
	ChatTPOT         = 50 * time.Millisecond  // chat: 20 to 50 ms
	CompletionTPOT   = 100 * time.Millisecond // completion of text or code: 50 to 100 ms
	ReasoningTPOT    = 300 * time.Millisecond // reasoning before the answer: 100 to 300 ms
	LongDocumentTPOT = 300 * time.Millisecond // long documents: 300 ms and above, so a limit begins here
)

// SLOMet says whether the request met every limit of its Tracker's SLO, or of its scenario's. A figure equal to its limit meets it. It is not
// applicable, and belongs to neither side of a goodput, when the request has not ended or was canceled, or when it has none
// of the figures that are limited: a one-token answer has no TPOT. Any other request that did not end well is a miss.
func (s Stats) SLOMet() (met, applicable bool) {
	if s.SLO == (SLO{}) {
		return false, false
	}
	switch s.Outcome {
	case OutcomeOpen, OutcomeCanceled:
		return false, false
	case OutcomeOK:
		missed, applicable := s.limits()
		return applicable && missed == (SLO{}), applicable
	}
	return false, true
}

// SLOMissed is the limits that the request did not keep to: those of its SLO that a figure is above, and zero for the others. It is zero
// for a request that did not end well, which misses as a whole.
func (s Stats) SLOMissed() SLO {
	if s.Outcome != OutcomeOK {
		return SLO{}
	}
	missed, _ := s.limits()
	return missed
}

// limits holds the figures there are against their limits; applicable is whether there is one. Method values in the place of its functions
// would each be a copy of the Stats.
func (s *Stats) limits() (missed SLO, applicable bool) {
	check := func(limit time.Duration, miss *time.Duration, figure func() (time.Duration, bool)) {
		if limit == 0 {
			return
		}
		if value, ok := figure(); ok {
			applicable = true
			if value > limit {
				*miss = limit
			}
		}
	}
	check(s.SLO.TTFT, &missed.TTFT, func() (time.Duration, bool) { return s.TTFT() })
	check(s.SLO.TTFO, &missed.TTFO, func() (time.Duration, bool) { return s.TTFO() })
	check(s.SLO.TPOT, &missed.TPOT, func() (time.Duration, bool) { return s.TPOT() })
	check(s.SLO.ITL99, &missed.ITL99, func() (time.Duration, bool) { return s.ITL().Quantile(0.99) })
	check(s.SLO.Stall, &missed.Stall, func() (time.Duration, bool) { return s.longestWait, s.Chunks > 1 })
	check(s.SLO.E2E, &missed.E2E, func() (time.Duration, bool) { return s.E2E() })
	return missed, applicable
}
