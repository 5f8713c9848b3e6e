package matrix

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// bodies is a RoundTripper that notes how the bodies of its responses are read: with one above and one below what times them,
// what a record should say follows from what the one or the other read when.
type bodies struct {
	base http.RoundTripper

	mu   sync.Mutex // guards all
	read []*body
}

// body is how a response's body was read until it was closed. It does not hold the response, which the garbage collector may
// be looking for.
type body struct {
	mu     *sync.Mutex
	reads  []read
	err    error // the last Read's
	closed time.Time
}

// read is one Read that has returned.
type read struct {
	began, ended time.Time
	n            int
}

// opened is when the body was first read, or closed without.
func (b body) opened() time.Time {
	if len(b.reads) > 0 {
		return b.reads[0].began
	}
	return b.closed
}

// open is whether the body was neither closed nor read to an end.
func (b body) open() bool { return b.closed.IsZero() && b.err == nil }

func (bs *bodies) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := bs.base.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	b := &body{mu: &bs.mu}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	bs.read = append(bs.read, b)
	resp.Body = reader{resp.Body, b}
	return resp, nil
}

// last is the body of the last response.
func (bs *bodies) last() body {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	return *bs.read[len(bs.read)-1]
}

type reader struct {
	io.ReadCloser
	notes *body
}

func (r reader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.ReadCloser.Read(p)
	r.notes.mu.Lock()
	defer r.notes.mu.Unlock()
	if r.notes.closed.IsZero() {
		r.notes.reads = append(r.notes.reads, read{began, time.Now(), n})
		r.notes.err = err
	}
	return n, err
}

func (r reader) Close() error {
	r.notes.mu.Lock()
	if r.notes.closed.IsZero() {
		r.notes.closed = time.Now()
	}
	r.notes.mu.Unlock()
	return r.ReadCloser.Close()
}
