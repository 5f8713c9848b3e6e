package llmtest

import (
	"context"
	"net"
	"sync"
)

// listener is a [net.Listener] whose connections are pairs of [conn].
type listener struct {
	conns  chan net.Conn // from dial to Accept
	closed chan struct{}
	close  func()
}

func newListener() *listener {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// dial returns the client's end of a connection that has been accepted.
func (l *listener) dial(ctx context.Context) (net.Conn, error) {
	client, server := newConns()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.close()
	return nil
}

func (l *listener) Addr() net.Addr { return addr{} }

// addr is the address of everything in memory.
type addr struct{}

func (addr) Network() string { return "memory" }
func (addr) String() string  { return "llm.test:80" }
