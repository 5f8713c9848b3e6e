package llmtest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// lateListener accepts one connection, just after it was closed: what happens when a client dials while the server
// is being closed.
type lateListener struct {
	*listener
	late chan net.Conn
}

func (l lateListener) Accept() (net.Conn, error) {
	<-l.closed
	select {
	case c := <-l.late:
		return c, nil
	default:
		return nil, net.ErrClosed
	}
}

func TestCloseEndsAConnectionAcceptedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := newConns()
		l := lateListener{listener: newListener(), late: make(chan net.Conn, 1)}
		l.late <- server
		srv := newServer(http1(), nil).serve(l, "", l.dial)
		synctest.Wait()
		srv.Close()
		_, err := client.Write([]byte("too late"))
		assert.Error(t, err)
	})
}

func TestARequestThatBeginsAfterCloseIsNotPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := StartHTTP2()
		srv.Close()
		srv.http.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		assert.Empty(t, srv.Log())
	})
}
