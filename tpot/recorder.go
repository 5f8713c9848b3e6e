package tpot

import (
	"context"
	"hash/maphash"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultStall = 500 * time.Millisecond
	// alreadyThere is the wait below which an event may have been there before the consumer asked for it.
	alreadyThere = 50 * time.Microsecond
)

// Recorder times one stream. Start it right before the request is issued, tell it of every event, and End it.
//
// Times are offsets from the start on the monotonic clock. Each method that reads the clock has a twin ending in At that
// takes the offset instead, for events stamped elsewhere and for tests. Offsets never go backwards: one earlier than the
// last is taken as the last.
//
// A Recorder serves one stream: after End every method but the readers does nothing. Its methods are safe for
// concurrent use, and on a nil *Recorder they do nothing and return zero values, but for Ended. Recorders are made by [Start] and
// [Tracker.Start]; a zero Recorder has no start to count from.
type Recorder struct {
	start        time.Time
	ctx          context.Context // asked only whether it has ended
	request      Request
	slo          SLO
	observations []Observation // once all observers have started; delivery guards them
	listening    atomic.Int32  // of these the first, which are told of events
	observed     bool          // there are observers
	delivery     sync.Mutex    // held while observers are told, so that they are in order; taken before the gate's lock

	gate gate
	progress
}

// Start starts a Recorder now, without observers. The context is the request's: when it ends before the response does,
// that is how the request ended.
func Start(ctx context.Context) *Recorder {
	return &Recorder{start: time.Now(), ctx: ctx, progress: progress{stall: defaultStall}}
}

// Elapsed is the time since the start.
func (r *Recorder) Elapsed() time.Duration {
	if r == nil {
		return 0
	}
	return time.Since(r.start)
}

// BeginWait says that the consumer now waits for the next event: the time until the event is the producer's ("wait"),
// the time since the previous one was the consumer's ("hold"). Without BeginWait all time is wait. A second BeginWait
// before an event does nothing.
func (r *Recorder) BeginWait() {
	if r != nil {
		r.gate.beginWait(waitSince(time.Since(r.start)))
	}
}

// BeginWaitAt is [Recorder.BeginWait] at an offset.
func (r *Recorder) BeginWaitAt(at time.Duration) {
	if r != nil {
		r.gate.beginWait(waitSince(min(max(at, 0), maxOffset)))
	}
}

// EndWait says that the consumer waits no longer, although no event has come: a reader of bytes got a part of one. The
// time since BeginWait was wait all the same; what follows is the consumer's until the next BeginWait.
func (r *Recorder) EndWait() { r.EndWaitAt(r.Elapsed()) }

// EndWaitAt is [Recorder.EndWait] at an offset.
func (r *Recorder) EndWaitAt(at time.Duration) {
	r.update(func(w openWait) openWait {
		r.endWait(w, at)
		return 0
	})
}

// AddHold moves d from [Stats.Wait] to [Stats.Hold]: time in which what reads ahead of a consumer waited in its place, while
// the consumer held. Gaps and stalls stay as they are. More than all of Wait moves all of it; a negative d does nothing.
func (r *Recorder) AddHold(d time.Duration) {
	r.update(func(w openWait) openWait {
		r.away += max(d, 0)
		return w
	})
}

// BeginHold says that the consumer gets the event only now: what passed since the event arrived, or since EndWait, such as
// the time to classify it, was neither wait nor hold. It does nothing during a wait.
func (r *Recorder) BeginHold() { r.BeginHoldAt(r.Elapsed()) }

// BeginHoldAt is [Recorder.BeginHold] at an offset.
func (r *Recorder) BeginHoldAt(at time.Duration) {
	r.update(func(w openWait) openWait {
		if _, waiting := w.since(); !waiting && (r.heard || r.begun) {
			r.phase = max(r.phase, at)
		}
		return w
	})
}

// Observe says that an event has arrived now. It ends the wait.
func (r *Recorder) Observe(e Event) {
	if r != nil {
		r.observe(time.Since(r.start), &e)
	}
}

// ObserveAt is [Recorder.Observe] at an offset.
func (r *Recorder) ObserveAt(at time.Duration, e Event) {
	if r != nil {
		r.observe(at, &e)
	}
}

func (r *Recorder) observe(at time.Duration, e *Event) {
	if r.listening.Load() > 0 {
		r.observeAndTell(at, e)
		return
	}
	w := r.gate.lock()
	if w != openWait(gateEnded) {
		r.event(r.arrive(w, at), e)
		w = 0
	}
	r.gate.unlock(w)
}

// ObserveError says that the stream gave an error now but may go on, as some do. It ends the wait. The error stays pending:
// another event clears it, and an End without a response that is complete then ends the request with this error, at this
// offset. Of several errors the last counts, unless the one before it is of a connection that broke, which explains it. A nil
// error and io.EOF do nothing.
func (r *Recorder) ObserveError(err error) { r.ObserveErrorAt(r.Elapsed(), err) }

// ObserveErrorAt is [Recorder.ObserveError] at an offset.
func (r *Recorder) ObserveErrorAt(at time.Duration, err error) {
	if r == nil || err == nil || err == io.EOF {
		return
	}
	next := pendingError{err: err, verdict: r.judge(err)}
	r.update(func(w openWait) openWait {
		if !r.pending.explains(next) {
			next.at = r.arrive(w, at)
			r.pending = next
		}
		return 0
	})
}

// Attempt adds one HTTP attempt's phases. The newest replaces the last once 32 are kept.
func (r *Recorder) Attempt(a Attempt) {
	r.update(func(w openWait) openWait {
		if len(r.attempts) == maxAttempts {
			r.attempts = r.attempts[:maxAttempts-1]
		}
		r.attempts = append(r.attempts, a)
		return w
	})
}

// Ended reports whether the recording has ended, by End or EndResponse. A nil Recorder has.
func (r *Recorder) Ended() bool { return r == nil || r.gate.ended() }

// AttemptCount is the number of attempts so far.
func (r *Recorder) AttemptCount() int {
	if r == nil {
		return 0
	}
	w := r.gate.lock()
	defer r.gate.unlock(w)
	return len(r.attempts)
}

// FirstByte says that the first byte of the last attempt's body has come now. Only the first call after an Attempt counts;
// without one it does nothing.
func (r *Recorder) FirstByte() { r.FirstByteAt(r.Elapsed()) }

// FirstByteAt is [Recorder.FirstByte] at an offset.
func (r *Recorder) FirstByteAt(at time.Duration) {
	r.update(func(w openWait) openWait {
		if n := len(r.attempts); n > 0 && r.attempts[n-1].FirstByte == 0 {
			r.attempts[n-1].FirstByte = at
		}
		return w
	})
}

// ReportWire keeps the name of the events' format; the last report wins.
func (r *Recorder) ReportWire(name string) {
	r.update(func(w openWait) openWait {
		retain(&r.wire, name)
		return w
	})
}

// Unread counts an event, or a body, that was not looked into.
func (r *Recorder) Unread() {
	r.update(func(w openWait) openWait {
		r.unread++
		return w
	})
}

// ReportServer keeps what the server reports about itself; the last report wins.
func (r *Recorder) ReportServer(t ServerTimings) {
	r.update(func(w openWait) openWait {
		t.Source = strings.Clone(t.Source)
		r.server = t
		return w
	})
}

// Fault counts a fault of the timing itself, such as a classifier that panicked.
func (r *Recorder) Fault() {
	r.update(func(w openWait) openWait {
		r.faults++
		return w
	})
}

// fault is Fault for what observers and errors do, who have their say at the end itself.
func (r *Recorder) fault() {
	w := r.gate.lock()
	r.faults++
	r.gate.unlock(w)
}

// update changes the state under the lock, unless the recorder is nil or has ended; change returns the wait to leave open.
func (r *Recorder) update(change func(openWait) openWait) {
	if r == nil {
		return
	}
	w := r.gate.lock()
	if w != openWait(gateEnded) {
		w = change(w)
	}
	r.gate.unlock(w)
}

var claimSeed = maphash.MakeSeed()

// Claim is for adapters, where several may see the same stream: the first source to claim delivers its events, and
// Claim tells each whether it is the one. The source is any comparable value, best a pointer; only its hash is kept.
// One that cannot be compared panics.
// A Recorder that is nil or has ended cannot be claimed.
func (r *Recorder) Claim(source any) bool {
	if r == nil {
		return false
	}
	hash := maphash.Comparable(claimSeed, source) | 1 // never zero
	mine := false
	r.update(func(w openWait) openWait {
		if r.claim == 0 {
			r.claim = hash
		}
		mine = r.claim == hash
		return w
	})
	return mine
}

// Waiting is the offset at which the open wait began; ok is false while there is none. Any event ends it, a ping too; see [Recorder.OpenGap]
// for the wait for a chunk.
func (r *Recorder) Waiting() (since time.Duration, ok bool) {
	if r == nil {
		return 0, false
	}
	w := r.gate.lock()
	since, ok = w.since()
	since = max(since, r.phase)
	r.gate.unlock(w)
	if !ok {
		return 0, false
	}
	return since, true
}

// OpenGap is for a watchdog: how long the producer has kept the consumer waiting for the next chunk so far. It is the wait since the
// latest chunk, across events that are no chunks, without the consumer's hold; before the first chunk it counts from the start, setup
// included. Chunks is the number so far. Waiting is whether the wait goes on: it does not while the consumer holds, nor between an
// adapter's claim of the stream and its first read, which is setup all the same. Once a response is complete or carries an error there is
// no wait, and after End all is zero. A stream that nobody has called BeginWait on waits all the time.
func (r *Recorder) OpenGap() (wait time.Duration, chunks int, waiting bool) {
	return r.OpenGapAt(r.Elapsed())
}

// OpenGapAt is [Recorder.OpenGap] at an offset.
func (r *Recorder) OpenGapAt(at time.Duration) (wait time.Duration, chunks int, waiting bool) {
	r.update(func(w openWait) openWait {
		wait, waiting = r.openGap(w, at)
		chunks = r.chunks
		return w
	})
	return wait, chunks, waiting
}

// End ends the recording now, with the error that ended the stream: nil or io.EOF itself for a clean end, a [Stop] itself
// where no error says how it ended. While the last HTTP attempt has no response, io.EOF is an error like any other. The first End counts; later ones return its Stats. It closes an open wait, which can be a stall;
// without BeginWait the time since the last event is wait but no stall.
func (r *Recorder) End(err error) (s Stats) {
	r.end(r.Elapsed(), err, false, &s)
	return s
}

// EndAt is [Recorder.End] at an offset.
func (r *Recorder) EndAt(at time.Duration, err error) (s Stats) {
	r.end(at, err, false, &s)
	return s
}

// EndResponse is End for a reader of bytes, to whom the end of a response's bytes may come later than that of the response, or
// who may ask for it later: a response that is complete ends with the event that completed it, and what came after is not
// counted as anybody's time. That event is the end marker or, where none came, the last finish reason or usage.
func (r *Recorder) EndResponse(err error) (s Stats) {
	r.end(r.Elapsed(), err, true, &s)
	return s
}

// EndResponseAt is [Recorder.EndResponse] at an offset. A response that is complete ends before it.
func (r *Recorder) EndResponseAt(at time.Duration, err error) (s Stats) {
	r.end(at, err, true, &s)
	return s
}

// end ends the recording and puts its Stats into s, unless the recorder is nil. They are passed on by pointer: copies on every level would
// make a goroutine's stack grow.
func (r *Recorder) end(at time.Duration, err error, asResponse bool, s *Stats) {
	switch {
	case r == nil:
		return
	case r.observed:
		r.endAndTell(at, err, asResponse, s)
	default:
		r.finish(at, err, asResponse)
	}
	r.read(s)
}

// finish closes the state and reports whether it was this call that did.
func (r *Recorder) finish(at time.Duration, err error, asResponse bool) bool {
	if err == io.EOF && !r.unanswered() {
		err = nil
	}
	v := r.judge(err)
	w := r.gate.lock()
	first := w != openWait(gateEnded)
	if first {
		r.close(w, at, err, v, asResponse)
	}
	r.gate.unlock(openWait(gateEnded))
	return first
}

// unanswered is whether the last HTTP attempt got no response.
func (r *Recorder) unanswered() bool {
	w := r.gate.lock()
	defer r.gate.unlock(w)
	return r.progress.unanswered()
}

// judge is judgeEnd, outside the lock, since contexts and errors can be anybody's code. A context that panics is judged
// without, and an error that does is just an error.
func (r *Recorder) judge(err error) verdict {
	if v, ok := tryJudge(r.ctx, err); ok {
		return v
	}
	r.fault()
	if v, ok := tryJudge(context.Background(), err); ok {
		return v
	}
	return verdict{OutcomeFailed, causeError, "error"}
}

func tryJudge(ctx context.Context, err error) (v verdict, ok bool) {
	defer func() { _ = recover() }()
	return judgeEnd(ctx, err), true
}

// Stats is the figures so far, up to the last arrival or wait that ended, or after End the final ones. Before End it copies the histogram of
// gaps, about 2 KiB.
func (r *Recorder) Stats() (s Stats) {
	if r != nil {
		r.read(&s)
	}
	return s
}

// read puts the figures so far into s.
func (r *Recorder) read(s *Stats) {
	w := r.gate.lock()
	r.stats(s)
	r.gate.unlock(w)
}
