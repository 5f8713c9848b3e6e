package llmtest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// Over TCP the clock is real: what is said here of time is only what came before what.

// listening runs test over each protocol, with a Server that plays the scripts.
func listening(t *testing.T, test func(t *testing.T, srv *llmtest.Server), scripts ...llmtest.Script) {
	t.Helper()
	for name, listen := range map[string]func(...llmtest.Script) (*llmtest.Server, error){
		"HTTP1": llmtest.Listen,
		"HTTP2": llmtest.ListenHTTP2,
	} {
		t.Run(name, func(t *testing.T) {
			srv, err := listen(scripts...)
			require.NoError(t, err)
			t.Cleanup(srv.Close)
			test(t, srv)
		})
	}
}

var lines = llmtest.NDJSON().Every(2*ms, llmtest.Raw("one\n"), llmtest.Raw("two\n"), llmtest.Raw("three\n"))

func TestTCPNoLineIsReadBeforeItIsWritten(t *testing.T) {
	listening(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		resp := get(t, srv)
		var read []time.Time
		scan := bufio.NewScanner(resp.Body)
		for _, want := range []string{"one", "two", "three"} {
			require.True(t, scan.Scan())
			read = append(read, time.Now())
			assert.Equal(t, want, scan.Text())
		}
		assert.False(t, scan.Scan())
		require.NoError(t, scan.Err())

		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateComplete, x.State)
		assert.False(t, x.Arrived.Before(start))
		require.Len(t, x.Writes, 3)
		for i, w := range x.Writes {
			assert.GreaterOrEqual(t, w.Began, w.At)
			assert.GreaterOrEqual(t, w.Returned, w.Began)
			assert.False(t, read[i].Before(x.Arrived.Add(w.Began)))
		}
		assert.GreaterOrEqual(t, x.Ended, x.Writes[2].Returned)
	}, lines)
}

func TestTCPCut(t *testing.T) {
	cut := lines
	cut.Ending = llmtest.EndCut
	listening(t, func(t *testing.T, srv *llmtest.Server) {
		body, err := io.ReadAll(get(t, srv).Body)
		requireCut(t, srv, err)
		assert.Equal(t, "one\ntwo\nthree\n", string(body))
		assert.Equal(t, llmtest.StateCut, srv.Log()[0].State)
	}, cut)
}

func TestTCPHangUntilTheClientLeaves(t *testing.T) {
	hang := lines
	hang.Ending = llmtest.EndHang
	listening(t, func(t *testing.T, srv *llmtest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
		require.NoError(t, err)
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.ReadFull(resp.Body, make([]byte, len("one\ntwo\nthree\n")))
		require.NoError(t, err)
		cancel()
		_, err = io.ReadAll(resp.Body)
		require.ErrorIs(t, err, context.Canceled)
		require.Eventually(t, func() bool { return srv.Log()[0].State == llmtest.StateGone }, time.Minute, ms)
	}, hang)
}

func TestTCPCloseWhilePlaying(t *testing.T) {
	listening(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		srv.Close()
		_, err := io.ReadAll(resp.Body)
		require.Error(t, err)
		assert.Equal(t, llmtest.StateClosed, srv.Log()[0].State)
		assert.ErrorIs(t, srv.Log()[0].Err, http.ErrServerClosed)
	}, llmtest.Script{Ending: llmtest.EndHang})
}
