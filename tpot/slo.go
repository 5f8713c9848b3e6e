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

// SLOMet says whether the request met every limit of its Tracker's SLO. A figure equal to its limit meets it. It is not
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
		return s.withinLimits()
	}
	return false, true
}

func (s Stats) withinLimits() (met, applicable bool) {
	met = true
	check := func(limit time.Duration, figure func() (time.Duration, bool)) {
		if limit == 0 {
			return
		}
		if value, ok := figure(); ok {
			applicable = true
			met = met && value <= limit
		}
	}
	check(s.SLO.TTFT, s.TTFT)
	check(s.SLO.TTFO, s.TTFO)
	check(s.SLO.TPOT, s.TPOT)
	check(s.SLO.ITL99, func() (time.Duration, bool) { return s.ITL().Quantile(0.99) })
	check(s.SLO.Stall, func() (time.Duration, bool) { return s.longestWait, s.Chunks > 1 })
	check(s.SLO.E2E, s.E2E)
	return met && applicable, applicable
}
