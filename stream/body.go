package stream

import (
	"io"
	"net/http"
	"runtime"

	"github.com/tokentiming/tokentiming/tpot"
)

// Body times the body of a response as it is read. Its reader gets every byte as it comes; of an event that has not come whole
// there is a copy meanwhile, of 4 MiB at most:
//
//	rec := tpot.Start(ctx)
//	resp, err := client.Do(req)
//	...
//	resp.Body = stream.Body(rec, resp)
//	defer resp.Body.Close()
//	... // read it
//	fmt.Println(rec.Stats())
//
// Call it as soon as the response is there: without a [Transport], that is when its headers came. The Recorder is ended when
// the body ends, fails or is closed, and at once when there is none; for the figures a complete response ends with its end
// marker, or its last finish reason or usage, however late the rest is read. A body that a Transport times for the same Recorder is returned as it
// is, and then ends the Recorder.
//
// A body that is dropped without Close is found by the garbage collector, unless package net/http holds the response, as it
// does over HTTP/2. A nil response panics; with a nil Recorder the body is returned as it is.
func Body(rec *tpot.Recorder, resp *http.Response) io.ReadCloser {
	mustNotBeNil("Body of a nil response", resp)
	if rec == nil {
		return resp.Body
	}
	if rec.AttemptCount() == 0 { // no Transport knows better
		rec.Attempt(tpot.Attempt{Headers: rec.Elapsed(), Status: resp.StatusCode})
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		rec.End(nil)
		return resp.Body
	}
	if tapped := readingOf(resp.Body); tapped != nil && tapped.rec == rec {
		tapped.owned.Store(true)
		return resp.Body
	}
	reading := newReading(rec, resp, resp)
	reading.asked = resp.Request != nil && resp.Request.URL != nil && hasSuffix(resp.Request.URL.EscapedPath(), streamingPaths)
	reading.expected = true
	reading.owned.Store(true)
	return newBody(resp.Body, reading, trailing{})
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
	src      io.ReadCloser
	reading  *reading
	trailing trailing
	cleanup  runtime.Cleanup
}

func newBody(src io.ReadCloser, r *reading, t trailing) *body {
	b := &body{src: src, reading: r, trailing: t}
	b.cleanup = runtime.AddCleanup(b, (*reading).abandon, r)
	return b
}

// Read reads from the response's own body.
func (b *body) Read(p []byte) (int, error) {
	defer runtime.KeepAlive(b) // it is not abandoned while it is read
	b.reading.wait()
	n, err := b.src.Read(p)
	b.reading.arrived(within(p, n), err)
	b.trailing.pass(err)
	return n, err
}

// Close closes the response's own body.
func (b *body) Close() error {
	b.cleanup.Stop()
	b.reading.beginClose()
	defer b.reading.leave()
	return b.src.Close()
}

// within is the first n bytes of p, or as many as there can be.
func within(p []byte, n int) []byte { return p[:min(max(n, 0), len(p))] }

// trailing passes on the trailers of a response whose copy the caller has. They come with the body's end.
type trailing struct{ from, to *http.Response }

func (t trailing) pass(err error) {
	if err == io.EOF && t.from != nil {
		t.to.Trailer = t.from.Trailer
	}
}
