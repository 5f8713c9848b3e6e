package tpot

import "time"

// Replay gives the Stats that the traced request gave, except Err, of which a trace keeps only the type. Of a trace that was cut, see
// [Trace.Dropped], they are what the kept events say, without the last chunk, and without usage that comes at the end. A time that no request
// can take, below zero or above some 400 days, is taken as the nearest that one can. Where a trace has neither setup, wait nor hold, as one from
// elsewhere may, all time is wait, as for a Recorder that is not told of waits.
func Replay(t Trace) Stats {
	r := &Recorder{start: t.Start, request: t.Request, slo: t.SLO, progress: progress{stall: defaultStall}}
	if t.Stall > 0 {
		r.stall = t.Stall
	}
	told := t.Setup > 0 || t.Wait > 0 || t.Hold > 0
	for _, e := range t.Events {
		if !told {
			e.Wait = e.At // as far as it is not spent
		}
		r.replay(&e)
	}
	r.replayEnd(&t, told)
	var s Stats
	r.stats(&s)
	return s
}

// replay takes in an event as it was when it arrived.
func (p *progress) replay(e *TraceEvent) {
	p.last = max(p.last, credible(e.At))
	p.wait += min(credible(e.Wait), p.last-p.wait-p.hold) // they are parts of the time until now
	p.hold += min(credible(e.Hold), p.last-p.wait-p.hold)
	p.event(p.last, &e.Event)
}

// credible is the nearest time that a request can take. Sums of such times do not overflow.
func credible(d time.Duration) time.Duration { return min(max(d, 0), 1<<55) }

// replayEnd takes in what a trace says of the request as a whole. The wait after an event that was not kept says nothing.
func (p *progress) replayEnd(t *Trace, told bool) {
	if t.Outcome != OutcomeOpen && t.Dropped == 0 {
		p.wait += credible(t.TailWait)
		p.checkLastStall()
	}
	if t.End > 0 { // a complete response can have ended before its last event
		p.last = credible(t.End)
	}
	p.setup, p.wait, p.hold = credible(t.Setup), credible(t.Wait), credible(t.Hold)
	if !told {
		p.wait = p.last
	}
	p.lost = t.EndUnknown
	p.verdict = verdict{t.Outcome, t.Cause, t.ErrorType}
	p.attempts, p.server, p.wire = t.Attempts, t.Server, t.Wire
	p.unread, p.faults = t.Unread, t.Faults
}
