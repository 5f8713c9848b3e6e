package stream_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// A request that got no response has failed, however the connection ended: there is nothing that could be truncated.
func TestAConnectionThatEndsBeforeTheResponseIsAFailure(t *testing.T) {
	for name, end := range map[string]func(*net.TCPConn){
		"closed": func(*net.TCPConn) {},
		"reset":  func(c *net.TCPConn) { _ = c.SetLinger(0) },
		"closed inside the header": func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Ty")
		},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			go func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
				}
				end(conn.(*net.TCPConn))
			}()
			records := &endings{}
			base := &http.Transport{}
			defer base.CloseIdleConnections()
			client := &http.Client{Transport: &stream.Transport{Base: base, Tracker: tracking(t, records)}}
			_, err = client.Get("http://" + listener.Addr().String() + "/?key=secret")
			require.Error(t, err)
			s := records.one(t)
			assert.Equal(t, tpot.OutcomeFailed, s.Outcome, "%v", s.Err)
			assert.Equal(t, "error from stream", s.Cause)
			assert.ErrorIs(t, s.Err, errors.Unwrap(err), "what the client got")
			assert.NotEqual(t, "*url.Error", s.ErrorType, "it would be the same for every such request")
			assert.NotContains(t, s.Err.Error(), "secret")
		})
	}
}
