package browser

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// site serves the page on loopback, as an application would, and can go away and come back.
type site struct {
	t       *testing.T
	handler http.Handler
	address string // host and port
	server  *http.Server

	mu      sync.Mutex
	held    chan struct{} // while not nil answers wait for it to be closed
	other   string        // what is answered instead
	asked   int           // requests so far
	waiting int           // of these that waited since the last hold
	asking  int           // those that are being answered
	most    int           // at the same time
	sent    bytes.Buffer  // all answers
}

// newSite serves a handler under /timing/.
func newSite(t *testing.T, h http.Handler) *site {
	mux := http.NewServeMux()
	mux.Handle("/timing/", h)
	s := &site{t: t, handler: mux, address: "127.0.0.1:0"}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *site) url() string { return "http://" + s.address + "/timing/" }

// start listens where it did before.
func (s *site) start() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address)
	require.NoError(s.t, err)
	s.address = l.Addr().String()
	s.server = &http.Server{Handler: http.HandlerFunc(s.answer)}
	go func() { _ = s.server.Serve(l) }() // http.ErrServerClosed
}

func (s *site) stop() { _ = s.server.Close() }

func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	held, other := s.arrives()
	defer s.answered()
	if held != nil {
		<-held
	}
	if other != "" {
		_, _ = io.WriteString(w, other)
		return
	}
	s.handler.ServeHTTP(recordingWriter{w, s}, r)
}

func (s *site) arrives() (held chan struct{}, other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.asking++
	s.most = max(s.most, s.asking)
	if s.held != nil {
		s.waiting++
	}
	return s.held, s.other
}

// instead has something else answered from now on, or nothing else if it is empty.
func (s *site) instead(other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = other
}

func (s *site) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking--
}

// counts are how many requests there were, and at most at the same time.
func (s *site) counts() (asked, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.most
}

// hold lets answers wait until they are released.
func (s *site) hold() (release func()) {
	held := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.waiting = held, 0
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = nil
		close(held)
	}
}

// isAsked waits until a request is held.
func (s *site) isAsked() {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		waiting := s.waiting
		s.mu.Unlock()
		if waiting > 0 {
			return
		}
		require.True(s.t, time.Now().Before(deadline), "nobody asks")
	}
}

type recordingWriter struct {
	http.ResponseWriter
	site *site
}

func (w recordingWriter) Write(b []byte) (int, error) {
	w.site.mu.Lock()
	w.site.sent.Write(b)
	w.site.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

// all is all that was sent so far.
func (s *site) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.String()
}

// size is how long an answer is.
func (s *site) size(query string) int {
	s.t.Helper()
	answer, err := http.Get(s.url() + query)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return len(body)
}
