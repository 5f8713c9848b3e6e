package llmtest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Server is a [Player] that listens. Make one with [Start], [StartHTTP2], [Listen] or [ListenHTTP2], and Close it.
type Server struct {
	Player
	URL string // "http://host" or "http://host:port", without a slash at the end

	http    http.Server
	client  http.Client
	stop    context.CancelCauseFunc // ends every request's context
	served  chan struct{}           // closed when no more connections are accepted
	conns   sync.WaitGroup          // one for each connection
	playing gate                    // for each request
}

// Start starts a Server that is reached over memory, only through [Server.Client]. Its connections hold as much as is
// written to them: a client that reads slowly does not delay a write. Inside a testing/synctest bubble, where the
// Server must be closed before the bubble ends, all its offsets are exact.
func Start(scripts ...Script) *Server { return newServer(http1(), scripts).inMemory() }

// StartHTTP2 is [Start] for a Server that speaks HTTP/2, without TLS, and whose Client does. A client that reads slowly
// delays a write once as much is unread as HTTP/2 lets a server send: 4 MiB of a response, unless the client says
// otherwise.
func StartHTTP2(scripts ...Script) *Server { return newServer(http2(), scripts).inMemory() }

// Listen starts a Server on a free TCP port of the loopback interface.
func Listen(scripts ...Script) (*Server, error) { return newServer(http1(), scripts).onLoopback() }

// ListenHTTP2 is [Listen] for a Server that speaks HTTP/2, without TLS, and whose Client does. Other clients must know
// it beforehand: nothing is negotiated, and HTTP/1 is not answered.
func ListenHTTP2(scripts ...Script) (*Server, error) { return newServer(http2(), scripts).onLoopback() }

// newServer is a Server of the given protocols that is yet to serve.
func newServer(p *http.Protocols, scripts []Script) *Server {
	s := &Server{Player: Player{Scripts: scripts}, served: make(chan struct{})}
	s.http.Protocols = p
	s.http.Handler = http.HandlerFunc(s.play)
	s.http.ConnState = s.countConn
	return s
}

func (s *Server) inMemory() *Server {
	l := newListener()
	return s.serve(l, "http://llm.test", l.dial)
}

func (s *Server) onLoopback() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", l.Addr().String())
	}
	return s.serve(l, "http://"+l.Addr().String(), dial), nil
}

// serve starts s on l, which its client reaches by dial.
func (s *Server) serve(l net.Listener, url string, dial func(context.Context) (net.Conn, error)) *Server {
	ctx, stop := context.WithCancelCause(context.Background())
	s.URL = url
	s.stop = stop
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	s.client.Transport = newTransport(s.http.Protocols, dial)
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // http.ErrServerClosed
	}()
	return s
}

// newTransport is a transport whose every connection is dialed by dial. An https connection is taken as if its handshake
// were already over.
func newTransport(p *http.Protocols, dial func(context.Context) (net.Conn, error)) *http.Transport {
	toServer := func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	return &http.Transport{Protocols: p, DialContext: toServer, DialTLSContext: toServer}
}

// play is where requests come in. Over HTTP/2 each has a goroutine of its own, which may come here only after the
// connection, and even the Server, has been closed: such a request is as if it had not been made.
func (s *Server) play(w http.ResponseWriter, r *http.Request) {
	if !s.playing.enter() {
		return
	}
	defer s.playing.leave()
	s.Player.ServeHTTP(w, r)
}

func (s *Server) countConn(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed:
		s.conns.Done()
	}
}

// Client returns the client of s, the same at each call. Every request that it makes goes to s, whatever host the URL
// names, in the protocol of s and without TLS even if it says https: the fixed base URL of an SDK needs no change.
func (s *Server) Client() *http.Client { return &s.client }

// Close ends all responses, breaks all connections and returns when the Server has no goroutine left, but for those on
// their way out. The Log is final then. A later Close, or one at the same time, is fine.
//
// The goroutines of the client end once each response's body has been closed or read to its end.
func (s *Server) Close() {
	s.stop(http.ErrServerClosed) // before the connections: the first reason counts
	_ = s.http.Close()
	<-s.served // no connection is added after this
	s.conns.Wait()
	s.playing.close() // over HTTP/2 a request can outlast its connection
}
