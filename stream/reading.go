package stream

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// reading is what the tap makes of the bytes of one response body: it stamps, parses and records them.
type reading struct {
	rec      *tpot.Recorder
	source   any  // with which it claims the Recorder
	asked    bool // the request is known to ask for a stream
	expected bool // a stream is expected: by the request, the media type, or the caller of Body
	page     bool // the response says that it is a page
	redirect bool // the response leads elsewhere

	owned   atomic.Bool  // it ends the Recorder
	closing atomic.Bool  // the body's reader has closed it
	closed  atomic.Int64 // when
	telling atomic.Bool  // observers are told of something
	handed  atomic.Bool  // the body was closed meanwhile: whoever unlocks leaves

	mu      sync.Mutex   // guards what follows
	decided bool         // deliver is, once the body is known to be a stream
	deliver bool         // it delivers the events
	parser  *wire.Parser // nil: the body is not looked into
	over    bool         // the body has ended

	gotBytes bool
	events   int
	marked   bool          // a finish reason or an end marker came
	at       time.Duration // when the bytes last read came
	began    time.Duration // when the last Read began
	deferred bool          // the Recorder has not been told of that wait

	facts  wire.Facts // as last reported
	unread int
}

// transportSource is what every Transport claims with, since the bodies of several requests may belong to one Recorder.
type transportSource struct{}

// newReading makes the reading of a response's body for a Recorder. It claims the Recorder at once where the media type is a
// stream's, and counts a body in an encoding as unread.
func newReading(rec *tpot.Recorder, resp *http.Response, source any) *reading {
	contentType := resp.Header.Get("Content-Type")
	r := &reading{
		rec: rec, source: source, expected: wire.IsStream(contentType),
		page:     strings.Contains(strings.ToLower(contentType), "html"),
		redirect: resp.StatusCode >= 300 && resp.StatusCode < 400,
	}
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299 || resp.StatusCode == http.StatusNoContent:
	case isCompressed(resp):
		rec.Unread()
	default:
		r.parser = wire.NewParser(contentType, r.observe)
	}
	if r.parser != nil && r.expected {
		r.decide()
	}
	return r
}

// isCompressed says whether the body is in an encoding that the caller is to decode. Gzip that net/http decodes is none.
func isCompressed(resp *http.Response) bool {
	encoding := resp.Header.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity") && !resp.Uncompressed
}

// decide claims the Recorder, once, and reports whether the events are this reading's to deliver. They are followed if they
// are not: they tell whether the response was complete.
func (r *reading) decide() bool {
	if !r.decided {
		r.decided, r.deliver = true, r.rec.Claim(r.source)
	}
	return r.deliver
}

// timed is whether the waits for this body are the Recorder's to know: another adapter may know its own.
func (r *reading) timed() bool { return r.owned.Load() || r.deliver }

// unlock is mu.Unlock, after which it leaves for somebody who closed the body meanwhile and did not wait.
func (r *reading) unlock() {
	r.mu.Unlock()
	if r.handed.Load() {
		r.leave()
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

// wait begins the wait for the next bytes. The Recorder hears of it later while the claim is not settled, and while an event may
// have come that only the body's end will show: that event came before this wait.
func (r *reading) wait() {
	began := r.rec.Elapsed()
	r.mu.Lock()
	defer r.unlock()
	if r.over {
		return
	}
	r.began = began
	r.deferred = !r.owned.Load() && !r.decided || r.parser != nil && r.parser.Pending()
	if r.timed() && !r.deferred {
		r.rec.BeginWaitAt(began)
	}
}

// tellWait makes up for a wait that the Recorder was not told of.
func (r *reading) tellWait() {
	if r.deferred {
		r.deferred = false
		r.rec.BeginWaitAt(r.began)
	}
}

// endWait ends a wait that brought no event.
func (r *reading) endWait(at time.Duration) {
	if r.timed() {
		r.tellWait()
		r.rec.EndWaitAt(at)
	}
}

// arrived takes in what a Read has brought, now.
func (r *reading) arrived(data []byte, err error) {
	at := r.arrivedAhead(data, err)
	if err != nil {
		r.finish(at, err)
	}
}

// arrivedAhead is arrived for a Read whose error the reader of the body has not heard of yet. It returns the offset of now.
func (r *reading) arrivedAhead(data []byte, err error) time.Duration {
	at := r.rec.Elapsed()
	r.mu.Lock()
	defer r.unlock()
	if r.over || r.closing.Load() {
		return at
	}
	if len(data) > 0 {
		r.take(at, data)
	} else if err == nil {
		r.endWait(at)
	}
	if err != nil && r.timed() && !r.deferred {
		r.rec.EndWaitAt(at)
	}
	return at
}

// take takes in bytes that came at an offset.
func (r *reading) take(at time.Duration, data []byte) {
	if !r.gotBytes {
		r.gotBytes = true
		r.rec.FirstByteAt(at)
	}
	before := r.events
	r.at = at
	r.parse(func(p *wire.Parser) { p.Feed(data) })
	if r.events == before {
		r.endWait(at)
	}
	if r.timed() {
		r.rec.BeginHold()
	}
}

// parse lets the parser work. Should it fail, the rest of the body is not looked into.
func (r *reading) parse(work func(*wire.Parser)) {
	if r.parser == nil {
		return
	}
	defer func() {
		if recover() != nil {
			r.parser = nil
			r.rec.Fault()
		}
	}()
	work(r.parser)
	if r.deliver {
		r.report()
	}
}

// report passes on what the body says beside its events.
func (r *reading) report() {
	facts := r.parser.Facts
	if facts.Wire != r.facts.Wire {
		r.rec.ReportWire(facts.Wire)
	}
	if facts.Server != r.facts.Server {
		r.rec.ReportServer(facts.Server)
	}
	r.facts = facts
	for ; r.unread < r.parser.Unread; r.unread++ {
		r.rec.Unread()
	}
}

// observe records an event of the bytes last read.
func (r *reading) observe(e tpot.Event) {
	r.events++
	r.marked = r.marked || e.Kind&(tpot.KindFinish|tpot.KindDone) != 0
	if !r.decide() {
		return
	}
	r.tellWait()
	r.telling.Store(true)
	r.rec.ObserveAt(r.at, e)
	r.telling.Store(false)
}

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
