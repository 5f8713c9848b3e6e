package tpot

import (
	"strconv"
	"time"
)

// close takes in the end. An error that no event has cleared is where the stream ended for its consumer. The end of an
// abandoned stream is not known: it stays where it was last heard of. AsResponse ends
// a complete response at the event that completed it.
func (p *progress) close(w openWait, at time.Duration, err error, v verdict, asResponse bool) {
	stop, left := err.(Stop)
	p.closed = at
	switch {
	case asResponse && p.complete():
		p.rewind()
	case p.pending.err != nil && !p.complete():
		err, v, left = p.pending.err, p.pending.verdict, false
		p.checkLastStall()
	case stop == Abandoned:
		p.lost = true
		p.checkLastStall()
	default:
		p.tail(w, at)
	}
	if left || err == nil {
		err = p.pending.err
	}
	if _, stop := err.(Stop); !stop {
		p.err = err
	}
	p.verdict = p.decide(v)
}

// rewind goes back to where the response became complete. What was booked since was the wait for bytes that are no part of
// it, and what its consumer did meanwhile.
func (p *progress) rewind() {
	c := p.completion
	p.wait, p.hold, p.away = c.wait, c.hold, c.away
	p.last, p.phase = c.at, c.at
}

// tail books the time from the last arrival to the end. It closes an open wait; without one it is hold, or where nobody
// ever waited wait, or setup if an adapter has the stream and was not read.
func (p *progress) tail(w openWait, at time.Duration) {
	p.leavePhase(w)
	at = max(at, p.phase)
	rest := at - p.phase
	if _, waiting := w.since(); waiting {
		p.wait += rest
		rest = 0
	}
	p.checkLastStall()
	switch {
	case p.begun:
		p.hold += rest
	case p.heard || p.claim == 0:
		p.wait += rest
	default:
		p.setup = rest
	}
	p.last, p.phase = at, at
}

// checkLastStall looks at the wait since the latest chunk when a response that was under way breaks off.
func (p *progress) checkLastStall() {
	p.tailWait = p.wait
	if p.chunks > 0 && !p.complete() && p.kinds&KindError == 0 {
		p.checkStall(p.wait - p.waited)
	}
}

// decide weighs how the stream ended against what it had said before: an error in it decides whatever followed, then a
// response that was complete, then the status of a refusal unless a deadline, the context or a panic ended it. A clean end is no
// success where a marker was to come, and a cut before any response is a failure.
func (p *progress) decide(v verdict) verdict {
	switch {
	case p.kinds&KindError != 0:
		v = verdict{OutcomeFailed, causeErrorEvent, "error"}
		if p.errorType != "" {
			v.errorType = p.errorType
		}
	case p.complete():
		v = verdict{outcome: OutcomeOK}
	case p.refused() && v.outcome != OutcomeTimeout && v.cause != causeContext && v.cause != string(Panic):
		v = verdict{OutcomeFailed, causeStatus, strconv.Itoa(p.lastAttempt().Status)}
	case v.outcome == OutcomeOK && p.kinds&KindMarked != 0:
		v = truncated
	case v.outcome == OutcomeTruncated && p.err != nil && p.unanswered():
		v = verdict{OutcomeFailed, causeError, errorType(p.err)}
	}
	return v
}

// unanswered is whether the last attempt got no response. An error such as io.EOF does not speak of a body's end then.
func (p *progress) unanswered() bool {
	last := p.lastAttempt()
	return len(p.attempts) > 0 && p.events == 0 && last.Status == 0 && last.Headers == 0
}

// refused is whether the server's last answer was that it will not: a status of 400 or more.
func (p *progress) refused() bool { return p.lastAttempt().Status >= 400 }

// lastAttempt is the zero Attempt when there was none.
func (p *progress) lastAttempt() Attempt {
	if len(p.attempts) == 0 {
		return Attempt{}
	}
	return p.attempts[len(p.attempts)-1]
}
