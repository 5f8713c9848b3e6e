package prometheus

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// Network is a network in memory, of addresses such as app:9464. In a bubble of testing/synctest, where a connection of the
// operating system would stop the clock, its connections let it run. The zero Network has no listeners. It is safe for
// concurrent use.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
}

// Listen listens at an address.
func (n *Network) Listen(address string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[address] != nil {
		return nil, fmt.Errorf("listen %s: the address is in use", address)
	}
	if n.listeners == nil {
		n.listeners = make(map[string]*listener)
	}
	l := &listener{address: addr(address), conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { n.remove(l) })
	n.listeners[address] = l
	return l, nil
}

func (n *Network) remove(l *listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.listeners, string(l.address))
	close(l.closed)
}

// DialContext connects to a listener. Its signature is that of [net.Dialer.DialContext]; the kind of network does not matter.
func (n *Network) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("dial %s: nobody listens", address)
	}
	return l.dial(ctx)
}

// listener is a [net.Listener] of a Network.
type listener struct {
	address addr
	conns   chan net.Conn // from dial to Accept
	closed  chan struct{}
	close   func()
}

func (l *listener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
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

func (l *listener) Addr() net.Addr { return l.address }

type addr string

func (addr) Network() string  { return "memory" }
func (a addr) String() string { return string(a) }
