package stream

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// reading is what the tap makes of the bytes of one response body: it stamps, parses and records them.
type reading struct {
	rec      *tpot.Recorder
	owned    bool // it ends the Recorder
	asked    bool // the request asked for a stream
	expected bool // that, or the response says that it is one
	html     bool // the response says that it is a page

	mu       sync.Mutex   // guards what follows, for bodies that are closed while they are read
	parser   *wire.Parser // nil: the body is not looked into
	over     bool         // the body has ended
	bytes    bool         // some came
	events   int
	at       time.Duration // when the bytes last read came
	began    time.Duration // when the Read began that brought them
	deferred bool          // the Recorder has not been told of that wait

	complete bool          // a finish reason or an end marker came, and no output after it
	done     bool          // it was an end marker
	terminal time.Duration // when the event came that completed the response

	facts  wire.Facts // as last reported
	unread int
}

// newReading makes the reading of a response's body for a Recorder. The source is the tap's claim to deliver the events.
func newReading(rec *tpot.Recorder, resp *http.Response, source any, asked bool) *reading {
	contentType := resp.Header.Get("Content-Type")
	r := &reading{
		rec: rec, asked: asked, expected: asked || wire.IsStream(contentType),
		html: strings.Contains(strings.ToLower(contentType), "html"),
	}
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299 || resp.StatusCode == http.StatusNoContent:
	case isCompressed(resp):
		rec.Unread()
	case rec.Claim(source):
		r.parser = wire.NewParser(contentType, r.observe)
	}
	return r
}

// isCompressed says whether the body is in an encoding that the caller is to decode. Gzip that net/http decodes is none.
func isCompressed(resp *http.Response) bool {
	encoding := resp.Header.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity") && !resp.Uncompressed
}

// own has the reading end the Recorder.
func (r *reading) own() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owned = true
}

// timed is whether the waits for this body are the Recorder's to know: another adapter may have claimed it.
func (r *reading) timed() bool { return r.owned || r.parser != nil }

// wait begins the wait for the next bytes. The wait for the end of a response that may be complete tells nothing of the
// model: the Recorder hears of it only when something comes after all.
func (r *reading) wait() {
	began := r.rec.Elapsed()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || !r.timed() {
		return
	}
	r.began = began
	if r.deferred = r.complete || r.parser != nil && r.parser.Pending(); !r.deferred {
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
	defer r.mu.Unlock()
	if r.over {
		return at
	}
	if len(data) > 0 {
		r.take(at, data)
	}
	if err != nil && r.timed() {
		r.rec.EndWaitAt(at)
	}
	return at
}

// lastOffset is the offset of the event that completed the response, if it is, and else now.
func (r *reading) lastOffset(now time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.complete {
		return r.terminal
	}
	return now
}

// take takes in bytes that came at an offset.
func (r *reading) take(at time.Duration, data []byte) {
	if !r.bytes {
		r.bytes = true
		r.rec.FirstByteAt(at)
	}
	if !r.timed() {
		return
	}
	before := r.events
	r.at = at
	r.parse(func(p *wire.Parser) { p.Feed(data) })
	if r.events == before {
		r.tellWait()
		r.rec.EndWaitAt(at)
	}
	r.rec.BeginHold()
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
	r.report()
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
	r.tellWait()
	r.events++
	r.rec.ObserveAt(r.at, e)
	switch {
	case e.Kind&tpot.KindDone != 0:
		r.complete, r.done, r.terminal = true, true, r.at
	case r.done:
	case e.Kind&tpot.KindFinish != 0, r.complete && e.Kind&tpot.KindUsage != 0:
		r.complete, r.terminal = true, r.at
	case e.Kind&tpot.KindGenerated != 0: // another choice goes on
		r.complete = false
	}
}

// finish takes in the end of the body at an offset.
func (r *reading) finish(at time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if err == io.EOF {
		err = r.judge()
	}
	r.close(at, err)
}

// judge says how a body ended that gave no error: a stream that ends in an event, or before its first, is not complete. What
// the bytes last read brought with it came when they did.
func (r *reading) judge() error {
	whole, deferred, before := true, r.deferred, r.events
	r.deferred = false
	r.parse(func(p *wire.Parser) { whole = p.Finish() })
	r.deferred = deferred && r.events == before
	switch {
	case r.parser == nil:
	case r.isNoStream():
		r.observe(tpot.Event{Kind: tpot.KindError, ErrorType: "not a stream"})
	case r.isOpaque():
		r.rec.Unread()
	case !whole, r.expected && r.events == 0:
		return tpot.Incomplete
	}
	return nil
}

// isNoStream is whether the request asked for a stream, and the answer is a single value or a page.
func (r *reading) isNoStream() bool {
	return r.asked && r.events == 0 && r.bytes && (r.parser.Document() || r.html && !r.parser.Streams())
}

// isOpaque is whether the request asked for a stream, and the answer is of a format that is not known.
func (r *reading) isOpaque() bool {
	return r.asked && r.events == 0 && r.bytes && !r.parser.Streams() && !r.parser.Document()
}

// leave ends the reading of a body that its reader closes before its end. Who decodes a single value often does not read on
// to the end, and has all the same.
func (r *reading) leave() {
	at := r.rec.Elapsed()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
	case r.parser != nil && r.parser.WholeDocument():
		r.close(at, r.judge())
	default:
		r.close(at, tpot.EarlyClose)
	}
}

// abandon ends the reading of a body that the garbage collector found. Its end is known only if the response was complete.
func (r *reading) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || !r.owned {
		return
	}
	if r.over = true; r.complete {
		r.rec.EndAt(r.terminal, nil)
		return
	}
	r.rec.EndAt(0, tpot.Abandoned)
}

// close tells the Recorder of the end at an offset. A Recorder that somebody else ends learns of what its owner may never
// hear: some SDKs hide that a body broke off.
func (r *reading) close(at time.Duration, err error) {
	r.over = true
	_, left := err.(tpot.Stop)
	switch {
	case r.owned && r.complete:
		r.rec.EndAt(r.terminal, err)
	case r.owned:
		r.tellWait()
		r.rec.EndAt(at, err)
	case err != nil && (!left || err == tpot.Incomplete):
		r.rec.ObserveErrorAt(at, err)
	case r.parser != nil:
		r.rec.EndWaitAt(at)
	}
}
