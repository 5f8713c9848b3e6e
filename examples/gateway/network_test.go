package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// network is where a test's servers are.
type network struct {
	listen func(*testing.T) (net.Listener, *http.Transport) // with what reaches the listener
	script func(...llmtest.Script) (*llmtest.Server, error)
}

var (
	onLoopback = network{listenOnLoopback, llmtest.Listen}
	inMemory   = network{listenInMemory, inMemoryServer(llmtest.Start)}
	overHTTP2  = network{listenInMemory, inMemoryServer(llmtest.StartHTTP2)} // scripts are; the gateway's clients use HTTP/1.1
)

// onEach runs a test on each network, in a bubble where it is in memory.
func onEach(t *testing.T, test func(t *testing.T, on network)) {
	t.Run("in memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, inMemory) })
	})
	t.Run("over HTTP2", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, overHTTP2) })
	})
	t.Run("over TCP", func(t *testing.T) {
		t.Parallel()
		test(t, onLoopback)
	})
}

func listenOnLoopback(t *testing.T) (net.Listener, *http.Transport) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener, &http.Transport{}
}

func listenInMemory(*testing.T) (net.Listener, *http.Transport) {
	listener := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
	return listener, &http.Transport{DialContext: listener.dial}
}

func inMemoryServer(start func(...llmtest.Script) *llmtest.Server) func(...llmtest.Script) (*llmtest.Server, error) {
	return func(scripts ...llmtest.Script) (*llmtest.Server, error) { return start(scripts...), nil }
}

// pipes is a listener whose connections are pipes: a write returns when it has been read.
type pipes struct {
	dialed chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.dialed <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return p }
func (*pipes) Network() string  { return "memory" }
func (*pipes) String() string   { return "memory.test:80" }

// server is one that a test can reach.
type server struct {
	url       string
	transport *http.Transport
}

// upstream serves a handler until the test ends.
func (on network) upstream(t *testing.T, handler http.HandlerFunc) server {
	listener, transport := on.listen(t)
	s := &http.Server{Handler: handler}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = s.Close()
		<-ended
	})
	return server{"http://" + listener.Addr().String(), transport}
}

// play serves scripts until the test ends.
func (on network) play(t *testing.T, scripts ...llmtest.Script) (*llmtest.Server, server) {
	s, err := on.script(scripts...)
	require.NoError(t, err)
	transport := s.Client().Transport.(*http.Transport)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
	})
	return s, server{s.URL, transport}
}

// proxy is a gateway that serves, with the records that it makes.
type proxy struct {
	server
	records   chan *record // as they end
	interrupt func()
}

// gateway serves a gateway before an upstream until the test ends.
func (on network) gateway(t *testing.T, upstream server, changes ...func(*httputil.ReverseProxy)) *proxy {
	listener, transport := on.listen(t)
	ctx, interrupt := context.WithCancel(context.Background())
	p := &proxy{server{"http://" + listener.Addr().String(), transport}, make(chan *record, 1000), interrupt}
	target, err := url.Parse(upstream.url)
	require.NoError(t, err)
	timed := &stream.Transport{Base: upstream.transport, Tracker: &tpot.Tracker{Observers: []tpot.Observer{p}}}
	handler := newGateway(target, timed, slog.New(slog.DiscardHandler))
	for _, change := range changes {
		change(handler)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, handler, time.Minute) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		interrupt()
		assert.NoError(t, <-ended)
		assert.Empty(t, p.records, "records that the test did not expect")
	})
	return p
}

// record is what the gateway made of one request.
type record struct {
	stats  tpot.Stats
	chunks []tpot.Arrival
	ended  chan<- *record
}

func (p *proxy) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, &record{ended: p.records}
}

func (r *record) Observe(a tpot.Arrival) {
	if a.Chunk {
		r.chunks = append(r.chunks, a)
	}
}

func (r *record) End(s tpot.Stats) {
	r.stats = s
	r.ended <- r
}
