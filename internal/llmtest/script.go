package llmtest

import (
	"net/http"
	"slices"
	"time"
)

// Script is what one request is answered with. All offsets count from the request's arrival, see [Exchange.Arrived], so
// that a write which is late does not delay the ones after it.
//
// The zero Script is a response of status 200 without a body. A Script is not changed by being played: one may be
// played by many requests at once.
//
// A Script with Gzip set is sent compressed to a request whose Accept-Encoding allows it, and plain to others. Each
// write is flushed by the compressor as well, so that its events can be decoded at once. The response says
// Content-Encoding: gzip and has no Content-Length. A Script without writes is never compressed.
type Script struct {
	Status   int           // zero: 200
	Header   http.Header   // of the response
	HeaderAt time.Duration // when the response header is sent; zero: at once
	Writes   []Write       // the body, in order
	Gzip     bool          // the body is compressed when the request accepts gzip, see above
	Ending   Ending        // zero: the response is complete
	EndAt    time.Duration // when the ending comes; not after the last write: right behind it
}

// Write is one write of a body, flushed before the next. Its events reach the client together.
type Write struct {
	At     time.Duration // offset from the request's arrival; not after the previous write's: right behind that one
	Events []Event       // what is written; none: nothing
}

// Ending is how a Script ends.
type Ending int

// The ways a Script ends.
const (
	EndComplete Ending = iota // the response ends as HTTP wants it: the reader gets io.EOF
	EndCut                    // the connection breaks, over HTTP/2 the stream: the reader gets io.ErrUnexpectedEOF, or a stream error
	EndHang                   // nothing more comes until the client leaves or the server is closed; EndAt has no effect
)

// SSE is a Script of status 200 that sends server-sent events.
func SSE() Script { return newScript("text/event-stream") }

// NDJSON is a Script of status 200 that sends one JSON value a line.
func NDJSON() Script { return newScript("application/x-ndjson") }

// AWSEventStream is a Script of status 200 that sends the frames of AWS: those of [Converse].
func AWSEventStream() Script { return newScript("application/vnd.amazon.eventstream") }

// JSON is a Script that answers at once with one JSON value, the way errors come: a 429, a 401. It panics when v has no
// JSON form.
func JSON(status int, v any) Script {
	s := newScript("application/json").After(0, Event{Bytes: encode(v)})
	s.Status = status
	return s
}

func newScript(contentType string) Script {
	return Script{Header: http.Header{"Content-Type": {contentType}}}
}

// After is s with one more write, of all the events together, a gap after the previous write. The first write's gap
// counts from HeaderAt. s itself stays as it was.
func (s Script) After(gap time.Duration, events ...Event) Script {
	s.Writes = append(slices.Clip(s.Writes), Write{At: s.last() + gap, Events: events})
	return s
}

// Every is s with one more write for each event, each a gap after the previous one. s itself stays as it was.
func (s Script) Every(gap time.Duration, events ...Event) Script {
	s.Writes = slices.Clip(s.Writes)
	for _, e := range events {
		s.Writes = append(s.Writes, Write{At: s.last() + gap, Events: []Event{e}})
	}
	return s
}

// last is the offset that the next gap counts from.
func (s Script) last() time.Duration {
	if len(s.Writes) == 0 {
		return s.HeaderAt
	}
	return s.Writes[len(s.Writes)-1].At
}

// Bytes is what is written: the bytes of its events.
func (w Write) Bytes() []byte {
	var b []byte
	for _, e := range w.Events {
		b = append(b, e.Bytes...)
	}
	return b
}
