package llmtest_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// started2 is started over HTTP/2 alone.
func started2(t *testing.T, test func(t *testing.T, srv *llmtest.Server), scripts ...llmtest.Script) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := llmtest.StartHTTP2(scripts...)
		defer srv.Close()
		test(t, srv)
	})
}

func TestTheProtocolIsTheOneStarted(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		want := 1
		if speaksHTTP2(srv) {
			want = 2
		}
		for _, url := range []string{srv.URL, srv.URL, "https://api.example.com", "https://api.example.com"} {
			resp, err := srv.Client().Get(url)
			require.NoError(t, err)
			assert.Equal(t, want, resp.ProtoMajor)
			resp.Body.Close()
		}
		assert.Len(t, srv.Log(), 4)
	})
}

func TestHTTP2ServersDoNotAnswerHTTP1(t *testing.T) {
	srv, err := llmtest.ListenHTTP2()
	require.NoError(t, err)
	defer srv.Close()
	_, err = http.Get(srv.URL)
	require.Error(t, err)
	assert.Empty(t, srv.Log())
}

func TestHTTP2RequestsOfOneConnectionEndAlone(t *testing.T) {
	cut := abc
	cut.Ending = llmtest.EndCut
	started2(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		first := get(t, srv)
		time.Sleep(20 * ms)
		second, reused := getTraced(t, srv)
		require.True(t, reused)

		_, err := pieces(start, first.Body)
		requireCut(t, srv, err)
		assert.Equal(t, 900*ms, time.Since(start))
		got, err := pieces(start, second.Body)
		require.NoError(t, err)
		assert.Equal(t, piece{920 * ms, "c"}, got[len(got)-1])
		assert.Equal(t, llmtest.StateCut, srv.Log()[0].State)
		assert.Equal(t, llmtest.StateComplete, srv.Log()[1].State)
	}, cut, abc)
}

// getTraced is get that also reports whether the connection was there before.
func getTraced(t *testing.T, srv *llmtest.Server) (resp *http.Response, reused bool) {
	t.Helper()
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
	require.NoError(t, err)
	resp, err = srv.Client().Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp, reused
}

// big is five writes of a MiB.
func big() llmtest.Script {
	mib := llmtest.Raw(string(make([]byte, 1<<20)))
	return llmtest.SSE().Every(10*ms, mib, mib, mib, mib, mib)
}

func TestHTTP2LetsFourMiBBeUnread(t *testing.T) {
	started2(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		time.Sleep(time.Hour)
		assert.Equal(t, llmtest.StatePlaying, srv.Log()[0].State)
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		assert.EqualValues(t, 5<<20, n)

		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateComplete, x.State)
		assert.Equal(t, [][2]time.Duration{
			{10 * ms, 10 * ms}, {20 * ms, 20 * ms}, {30 * ms, 30 * ms}, {40 * ms, 40 * ms}, {50 * ms, time.Hour},
		}, times(x))
	}, big())
}

func TestHTTP2CloseWhileAWriteWaitsForTheClient(t *testing.T) {
	started2(t, func(t *testing.T, srv *llmtest.Server) {
		get(t, srv)
		time.Sleep(time.Second)
		srv.Close()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateClosed, x.State)
		assert.Equal(t, time.Second, x.Ended)
		assert.Len(t, x.Writes, 4)
		assert.Error(t, x.Err)
	}, big())
}

func TestHTTP2AClientThatLeavesWhileAWriteWaitsForIt(t *testing.T) {
	started2(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		time.Sleep(time.Second)
		resp.Body.Close()
		synctest.Wait()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateGone, x.State)
		assert.Equal(t, time.Second, x.Ended)
		assert.Len(t, x.Writes, 4)
		assert.Error(t, x.Err)
	}, big())
}
