package llmtest

import (
	"net"
	"time"
)

// conn is one end of a connection in memory: two queues, of which the other end has the same ones crossed. Unlike
// [net.Pipe] it has a buffer without bound, so that a write never waits for the reader.
type conn struct{ in, out *queue }

// newConns is a connection's two ends.
func newConns() (net.Conn, net.Conn) {
	a, b := newQueue(), newQueue()
	return conn{in: a, out: b}, conn{in: b, out: a}
}

func (c conn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c conn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close lets the other end read what was written before, and makes its writes fail.
func (c conn) Close() error {
	c.in.close(&c.in.reader)
	c.out.close(&c.out.writer)
	return nil
}

func (c conn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reader, t)
	c.out.setDeadline(&c.out.writer, t)
	return nil
}

func (c conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reader, t)
	return nil
}

func (c conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writer, t)
	return nil
}

func (conn) LocalAddr() net.Addr  { return addr{} }
func (conn) RemoteAddr() net.Addr { return addr{} }
