package stream

import (
	"context"
	"net/http"
	"net/http/httptrace"

	"github.com/tokentiming/tokentiming/tpot"
)

// Transport is an [http.RoundTripper] that times streamed responses, so that whatever is given its client is timed without
// a change where it is called:
//
//	client := &http.Client{Transport: &stream.Transport{Tracker: tracker}}
//
// The caller gets a copy of each response with another body: the same bytes, read by read, and the same errors, and the
// request that the caller made as its Request. Requests are not changed, and their bodies not read; what they ask for is
// learnt from a copy, if GetBody gives one.
//
// A request whose context carries a live Recorder, see [tpot.Tracker.Start], belongs to it: the Transport adds an attempt with
// its phases, delivers the events unless an adapter claimed the Recorder before, and leaves the end to whoever started it, with
// the error of the stream's reader, or [tpot.EarlyClose]. So an SDK's retries are attempts of one record. That a body broke
// off is not lost if its reader never says so. What the request is stays as the Recorder's starter described it.
//
// Any other request has a record of its own if there is a Tracker: one for each attempt, redirects included, which ends with
// the body's end, its error or Close. For the figures a complete response ends with its end marker, or its last finish reason
// or usage. A response that is no stream has an outcome, E2E and its phases.
//
// The fields are set before the first use. A Transport is safe for concurrent use; the zero Transport adds to the Recorders
// it finds. A Transport inside another lets pass what the outer one times.
type Transport struct {
	// Base makes the requests. Nil: http.DefaultTransport.
	Base http.RoundTripper
	// Tracker starts the records of requests without a Recorder, and its observers are told of those. Nil: they have none.
	Tracker *tpot.Tracker
	// Request describes such a request. It must not read the request's body; GetBody gives another. Nil: what the URL, the host
	// and, through GetBody, the request's JSON, if its Content-Type says that it is some, tell. If it panics, nothing is told, and the fault is counted.
	Request func(*http.Request) tpot.Request
	// ReadAhead is how many bytes of a response's body are read ahead of a slow consumer, so that events are stamped when they
	// arrive and not when they are read. A goroutine for each body reads on until the body ends or is closed or the context
	// ends; while as many bytes are waiting, it does not, and the consumer's pace is the stream's again. Gaps and stalls
	// are the producer's then, while Wait and Hold stay the consumer's, up to the response's end. Observers are told of
	// events by the goroutine. Of the requests of a Recorder in the context, only the bodies are read ahead whose media type
	// is a stream's. Zero or less: none.
	ReadAhead int
}

// RoundTrip makes a request.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Context().Value(tappedKey{}) != nil {
		return t.base().RoundTrip(req)
	}
	trip := roundTrip{transport: t}
	ctx := trip.join(req)
	if trip.rec == nil {
		return t.base().RoundTrip(req)
	}
	return trip.do(ctx, req)
}

// CloseIdleConnections closes those of Base, if it can.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

// tappedKey marks the context of a request that a Transport times. A Transport further down lets it pass.
type tappedKey struct{}

// describe is the caller's description of a request, or ours; ok is false when it panicked, as GetBody may.
func (t *Transport) describe(req *http.Request) (described tpot.Request, ok bool) {
	defer func() { _ = recover() }()
	if t.Request != nil {
		return t.Request(req), true
	}
	return describe(req), true
}

// roundTrip is one request on its way.
type roundTrip struct {
	transport *Transport
	rec       *tpot.Recorder
	owned     bool // the Recorder is the request's own
	asked     bool // the request is known to ask for a stream
	phases    phases
}

// join finds the Recorder that a request belongs to, if there is one, or starts its own, and returns the context to make
// the request with.
func (r *roundTrip) join(req *http.Request) context.Context {
	ctx := req.Context()
	if rec := tpot.FromContext(ctx); !rec.Ended() {
		r.rec = rec
		return ctx
	}
	if r.transport.Tracker == nil {
		return ctx
	}
	described, ok := r.transport.describe(req)
	ctx, r.rec = r.transport.Tracker.Start(ctx, described)
	r.owned, r.asked = true, described.Stream
	if !ok {
		r.rec.Fault()
	}
	return ctx
}

func (r *roundTrip) do(ctx context.Context, req *http.Request) (*http.Response, error) {
	r.phases.begin(r.rec)
	ctx = httptrace.WithClientTrace(context.WithValue(ctx, tappedKey{}, true), r.phases.trace())
	sent := req.WithContext(ctx)
	returned := false
	defer func() {
		if !returned && r.owned {
			r.rec.End(errSourcePanic)
		}
	}()
	resp, err := r.transport.base().RoundTrip(sent)
	returned = true
	r.rec.Attempt(r.phases.attempt(resp))
	if err != nil || resp == nil {
		if r.owned {
			r.rec.End(err)
		}
		return resp, err
	}
	if resp.Request == sent {
		resp.Request = req
	}
	return r.timeBody(ctx, resp), nil
}

// timeBody has the body of a response timed. One that is not there has ended, and one that is a connection to write to as well is
// left as it is. The caller gets a copy of any other response, since net/http may hold its own as long as nobody reads or
// closes the body, and fill in the trailers while the body is read ahead.
func (r *roundTrip) timeBody(ctx context.Context, resp *http.Response) *http.Response {
	if resp.Body == nil || resp.Body == http.NoBody || resp.StatusCode == http.StatusSwitchingProtocols {
		if r.owned {
			r.rec.End(nil)
		}
		return resp
	}
	reading := newReading(r.rec, resp, transportSource{})
	reading.owned.Store(r.owned)
	reading.asked = r.asked
	reading.expected = reading.expected || r.asked
	tapped := *resp
	trailing := trailing{from: resp, to: &tapped}
	if limit := r.transport.ReadAhead; limit > 0 && reading.parser != nil && reading.timed() {
		tapped.Trailer = resp.Trailer.Clone()
		tapped.Body = newAheadBody(ctx, resp.Body, reading, trailing, limit)
	} else {
		tapped.Body = newBody(resp.Body, reading, trailing)
	}
	return &tapped
}
