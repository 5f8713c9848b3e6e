package stream

import (
	"net/http"
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
	began    time.Duration // when the last Read began, or the first of those that the Recorder does not know of
	deferred bool          // the Recorder has not been told of that wait
	untold   bool          // nor of waits before it, which brought no event while the claim was not settled
	ended    time.Duration // when the last of those ended
	held     time.Duration // what the consumer took between them

	told   told
	unread int // of the events, as last reported
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

// wait begins the wait for the next bytes. The Recorder hears of it later while the claim is not settled, and while an event may
// have come that only the body's end will show: that event came before this wait.
func (r *reading) wait() {
	began := r.rec.Elapsed()
	r.mu.Lock()
	defer r.unlock()
	if r.over {
		return
	}
	if r.untold {
		r.held += began - r.ended
	} else {
		r.began = began
	}
	r.deferred = !r.owned.Load() && !r.decided || r.parser != nil && r.parser.Pending()
	if r.timed() && !r.deferred {
		r.rec.BeginWaitAt(began)
	}
}

// tellWait makes up for a wait that the Recorder was not told of, and for those before it.
func (r *reading) tellWait() {
	if r.deferred {
		r.deferred = false
		r.rec.BeginWaitAt(r.began)
		r.rec.AddHold(r.held)
		r.untold, r.held = false, 0
	}
}

// endWait ends a wait that brought no event.
func (r *reading) endWait(at time.Duration) {
	if !r.timed() {
		r.untold, r.ended = r.deferred && !r.decided, at
		return
	}
	r.tellWait()
	r.rec.EndWaitAt(at)
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
	r.told.tell(r.rec, r.parser.Facts)
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
