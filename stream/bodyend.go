package stream

import (
	"io"
	"runtime"
	"time"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// The methods here are of how a body ends: by itself, with an error, closed by its reader, or dropped.

// finish takes in the end of the body at an offset.
func (r *reading) finish(at time.Duration, err error) {
	r.mu.Lock()
	defer r.unlock()
	if r.over || r.closing.Load() {
		return
	}
	if err == io.EOF {
		err = r.judge()
	}
	r.close(at, err)
}

// judge says how a body ended that gave no error: a stream that ends in an event, or before its first, is not complete.
// Events that only the end shows have come with the bytes last read.
func (r *reading) judge() error {
	whole, deferred := true, r.deferred
	r.deferred = false
	r.parse(func(p *wire.Parser) { whole = p.Finish() })
	r.deferred = deferred
	switch {
	case r.parser == nil:
	case r.isNoStream():
		r.observe(tpot.Event{Kind: tpot.KindError, ErrorType: "not a stream"})
	case r.isOpaque():
		r.rec.Unread()
	case !whole, r.expected && r.events == 0 && !r.parser.Document():
		return tpot.Incomplete
	}
	return nil
}

// isNoStream is whether a stream was wanted, and the answer is a single value or a page.
func (r *reading) isNoStream() bool {
	return r.events == 0 && r.gotBytes &&
		(r.asked && r.parser.Document() || r.expected && r.page && !r.parser.Streams())
}

// isOpaque is whether a stream was wanted, and the answer is of a format that is not known.
func (r *reading) isOpaque() bool {
	return r.events == 0 && r.gotBytes && r.expected && !r.parser.Streams() && !r.parser.Document()
}

// beginClose notes that the body's reader closes it, now. The Recorder is told by leave, after the body: no observer is to
// keep it open.
func (r *reading) beginClose() {
	if !r.closing.Load() {
		r.closed.Store(int64(r.rec.Elapsed()))
		r.closing.Store(true)
	}
}

// lockToLeave is mu.Lock, but not while observers are told of something: they may be the ones that close the body. It reports
// whether it has the lock; if not, whoever has it will leave.
func (r *reading) lockToLeave() bool {
	for !r.mu.TryLock() {
		if r.telling.Load() {
			r.handed.Store(true)
			return r.mu.TryLock() // they may have finished in between
		}
		runtime.Gosched() // everything else does not take long
	}
	return true
}

// leave ends the reading of a body that its reader closed. Who decodes a single value often does not read on to the end, and
// who is led elsewhere reads nothing.
func (r *reading) leave() {
	if !r.lockToLeave() {
		return
	}
	defer r.mu.Unlock()
	at := time.Duration(r.closed.Load())
	switch {
	case r.over:
	case r.redirect, r.parser != nil && r.parser.WholeDocument():
		r.close(at, r.judge())
	default:
		r.close(at, tpot.EarlyClose)
	}
}

// abandon ends the reading of a body that the garbage collector found. Its end is known only if the response was complete.
func (r *reading) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || !r.owned.Load() {
		return
	}
	r.over = true
	r.rec.EndResponseAt(0, tpot.Abandoned)
}

// close tells the Recorder of the end at an offset. A Recorder that somebody else ends learns of what its owner may never
// hear: some SDKs hide that a body broke off.
func (r *reading) close(at time.Duration, err error) {
	r.over = true
	r.parser = nil
	r.telling.Store(true)
	defer r.telling.Store(false)
	_, left := err.(tpot.Stop)
	switch {
	case r.owned.Load():
		r.tellWait()
		r.rec.EndResponseAt(at, err)
	case r.marked && !r.deliver:
		// complete, as far as whoever delivers the events will see
	case err != nil && (!left || err == tpot.Incomplete):
		r.rec.ObserveErrorAt(at, err)
	case r.deliver:
		r.rec.EndWaitAt(at)
	}
}
