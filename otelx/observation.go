package otelx

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// observation is the view of one request: its metrics and its span. Its calls are serialised by the Recorder.
type observation struct {
	observer *Observer
	recorder *tpot.Recorder
	metrics  measurement
	span     annotation

	visible bool // output that is more than reasoning has come
	stalls  tpot.Stalls
}

// Observe implements [tpot.Observation].
func (ob *observation) Observe(a tpot.Arrival) {
	if a.Stall {
		ob.stall(a.At, a.Wait)
	}
	if !a.Chunk {
		return
	}
	if a.HasGap {
		ob.metrics.gap(a.Gap)
	}
	if !ob.visible {
		ob.firsts(&a)
	}
}

// firsts tells of the first chunk, and of the first that is more than reasoning.
func (ob *observation) firsts(a *tpot.Arrival) {
	if a.First {
		ob.metrics.firstToken(a.At, a.Model)
		ob.span.event(eventFirstToken, a.At)
	}
	if a.Event.Kind&tpot.KindVisible != 0 {
		ob.visible = true
		ob.metrics.firstOutputToken(a.At)
		ob.span.event(eventFirstOutputToken, a.At)
	}
}

func (ob *observation) stall(at, wait time.Duration) {
	ob.stalls.Count++
	ob.stalls.Total += wait
	ob.metrics.stall(wait)
	if ob.stalls.Count <= maxStallEvents {
		ob.span.event(eventStall, at, keyStallLength.Float64(wait.Seconds()))
	}
}

// End implements [tpot.Observation]. The span ends, and the request is no longer active, even if a metric panics.
func (ob *observation) End(s tpot.Stats) {
	o := ob.observer
	end, known := ob.end(s)
	kind := o.bounds.errorType(errorType(s))
	defer ob.span.end(s, end, kind, o.reports(SemconvGenAIV01))
	defer ob.metrics.leave()
	if s.Stalls.Count > ob.stalls.Count { // one was still open
		ob.stall(end, s.Stalls.Total-ob.stalls.Total)
	}
	ob.metrics.end(s)
	if known {
		ob.metrics.duration(s, end, kind)
	}
}

// end is the offset at which the request ended. An abandoned one ended with its last event or wait, as far as anybody knows; of
// one that had neither the end is not known.
func (ob *observation) end(s tpot.Stats) (at time.Duration, known bool) {
	if at, known = s.E2E(); known {
		return at, true
	}
	at = ob.recorder.Trace().End
	return at, at > 0
}
