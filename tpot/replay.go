package tpot

// Replay is the Stats that the request gave whose trace this is, but for Err, of which a trace keeps the type. Of a trace that was cut, see
// [Trace.Dropped], they are what the events that were kept say: the last chunk, and usage that comes at the end, are missing.
func Replay(t Trace) Stats {
	r := &Recorder{start: t.Start, request: t.Request, slo: t.SLO, progress: progress{stall: defaultStall}}
	if t.Stall > 0 {
		r.stall = t.Stall
	}
	for i := range t.Events {
		r.replay(&t.Events[i])
	}
	r.replayEnd(&t)
	var s Stats
	r.stats(&s)
	return s
}

// replay takes in an event as it was when it arrived.
func (p *progress) replay(e *TraceEvent) {
	p.last = max(p.last, e.At)
	p.wait += max(e.Wait, 0)
	p.hold += max(e.Hold, 0)
	p.event(p.last, &e.Event)
}

// replayEnd takes in what a trace says of the request as a whole. The wait after an event that was not kept says nothing.
func (p *progress) replayEnd(t *Trace) {
	if t.Outcome != OutcomeOpen && t.Dropped == 0 {
		p.wait += max(t.TailWait, 0)
		p.checkLastStall()
	}
	p.setup, p.wait, p.hold = t.Setup, t.Wait, t.Hold
	if t.End > 0 { // a complete response can have ended before its last event
		p.last = t.End
	}
	p.lost = t.EndUnknown
	p.verdict = verdict{t.Outcome, t.Cause, t.ErrorType}
	p.attempts, p.server, p.wire = t.Attempts, t.Server, t.Wire
	p.unread, p.faults = t.Unread, t.Faults
}
