package stream

import (
	"io"
	"net/http"
	"runtime"

	"github.com/tokentiming/tokentiming/tpot"
)

// Body times the body of a response as it is read. Its bytes are looked at as they pass, and nothing is changed, buffered or
// read ahead:
//
//	rec := tpot.Start(ctx)
//	resp, err := client.Do(req)
//	...
//	resp.Body = stream.Body(rec, resp)
//
// The Recorder is ended when the body ends, fails or is closed. For the figures a complete response ends with its last event,
// however late that is read. A nil response panics; with a nil Recorder the body is returned as it is.
func Body(rec *tpot.Recorder, resp *http.Response) io.ReadCloser {
	mustNotBeNil("Body of a nil response", resp)
	if rec == nil || resp.Body == nil {
		return resp.Body
	}
	if tapped := readingOf(resp.Body); tapped != nil && tapped.rec == rec { // by a Transport
		tapped.own()
		return resp.Body
	}
	rec.Attempt(tpot.Attempt{Headers: rec.Elapsed(), Status: resp.StatusCode})
	reading := newReading(rec, resp, resp, asksForStream(resp.Request))
	reading.owned = true
	return newBody(resp.Body, reading)
}

// readingOf is the reading of a body that is timed already; nil for any other.
func readingOf(b io.ReadCloser) *reading {
	switch b := b.(type) {
	case *body:
		return b.reading
	case *aheadBody:
		return b.reading
	}
	return nil
}

// body is a response body that is timed as it is read.
type body struct {
	src     io.ReadCloser
	reading *reading
	cleanup runtime.Cleanup
}

func newBody(src io.ReadCloser, r *reading) *body {
	b := &body{src: src, reading: r}
	b.cleanup = runtime.AddCleanup(b, (*reading).abandon, r)
	return b
}

// Read reads from the response's own body.
func (b *body) Read(p []byte) (int, error) {
	b.reading.wait()
	n, err := b.src.Read(p)
	b.reading.arrived(p[:min(max(n, 0), len(p))], err)
	return n, err
}

// Close closes the response's own body.
func (b *body) Close() error {
	b.reading.leave()
	b.cleanup.Stop()
	return b.src.Close()
}
