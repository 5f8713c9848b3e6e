package llmtest

import (
	"bytes"
	"compress/gzip"
	"net/http"
)

// compressor makes of each write of a body what is sent for it. A nil compressor sends it as it is.
type compressor struct {
	gzip *gzip.Writer
	out  bytes.Buffer // what is to be sent next
}

// newCompressor is the compressor for the response with which s answers r.
func newCompressor(s Script, r *http.Request) *compressor {
	if !s.Gzip || len(s.Writes) == 0 || !acceptsGzip(r.Header) {
		return nil
	}
	c := &compressor{}
	c.gzip = gzip.NewWriter(&c.out)
	return c
}

// setHeader says in h that the body is compressed.
func (c *compressor) setHeader(h http.Header) {
	if c == nil {
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
}

// write is what is sent for b: all that is needed to decode b, and nothing for nothing. It is valid until the next call.
func (c *compressor) write(b []byte) []byte {
	if c == nil || len(b) == 0 {
		return b
	}
	_, _ = c.gzip.Write(b) // the buffer takes all
	_ = c.gzip.Flush()
	return c.out.Next(c.out.Len())
}

// end is what is sent when the body is complete.
func (c *compressor) end() []byte {
	if c == nil {
		return nil
	}
	_ = c.gzip.Close()
	return c.out.Next(c.out.Len())
}
