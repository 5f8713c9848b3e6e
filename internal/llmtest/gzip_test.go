package llmtest_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// zipped is s with Gzip set.
func zipped(s llmtest.Script) llmtest.Script {
	s.Gzip = true
	return s
}

// getAccepting is get with an Accept-Encoding of its own, so that the transport leaves the body as it is.
func getAccepting(t *testing.T, srv *llmtest.Server, encoding string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
	require.NoError(t, err)
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestCompressedWritesAreDecodedAtTheirOffsets(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		resp := get(t, srv)
		assert.True(t, resp.Uncompressed)
		got, err := pieces(start, resp.Body)
		require.NoError(t, err)
		assert.Equal(t, []piece{{180 * ms, "a"}, {200 * ms, "bB"}, {900 * ms, "c"}}, got)
		assert.Equal(t, 900*ms, time.Since(start))

		x := srv.Log()[0]
		assert.Equal(t, [][2]time.Duration{{180 * ms, 180 * ms}, {200 * ms, 200 * ms}, {900 * ms, 900 * ms}}, times(x))
		assert.Equal(t, abc.Writes[1], x.Writes[1].Write)
		assert.Equal(t, llmtest.StateComplete, x.State)
		assert.Equal(t, 900*ms, x.Ended)
	}, zipped(abc))
}

func TestTheClientChoosesWhetherABodyIsCompressed(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		for _, encoding := range []string{"gzip", "identity", "gzip"} {
			resp := getAccepting(t, srv, encoding)
			body := io.Reader(resp.Body)
			if encoding == "gzip" {
				assert.Equal(t, []string{"gzip"}, resp.Header["Content-Encoding"])
				unzipped, err := gzip.NewReader(resp.Body)
				require.NoError(t, err)
				body = unzipped
			} else {
				assert.NotContains(t, resp.Header, "Content-Encoding")
			}
			text, err := io.ReadAll(body)
			require.NoError(t, err)
			assert.Equal(t, "abBc", string(text))
		}
	}, zipped(abc))
}

func TestAScriptWithoutGzipIsPlain(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		resp := getAccepting(t, srv, "gzip")
		assert.NotContains(t, resp.Header, "Content-Encoding")
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "abBc", string(body))
	}, abc)
}

func TestACompressedWriteOfNothingIsNothing(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		got, err := pieces(start, getAccepting(t, srv, "gzip").Body)
		require.NoError(t, err)
		var at []time.Duration
		for _, p := range got {
			at = append(at, p.At)
		}
		assert.Equal(t, []time.Duration{20 * ms, 40 * ms}, at, "the write and the end")
		assert.Len(t, srv.Log()[0].Writes, 3)
	}, zipped(llmtest.Script{EndAt: 40 * ms}.After(10*ms).After(10*ms, llmtest.Raw("a")).After(10*ms)))
}

func TestACompressedBodyHasNotTheLengthOfThePlainOne(t *testing.T) {
	script := zipped(llmtest.JSON(http.StatusOK, "yes"))
	script.Header.Set("Content-Length", "5")
	started(t, func(t *testing.T, srv *llmtest.Server) {
		for encoding, want := range map[string]int64{"gzip": -1, "identity": 5} {
			resp := getAccepting(t, srv, encoding)
			assert.Equal(t, want, resp.ContentLength)
			_, err := io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
		}
	}, script)
}

func TestAResponseWithoutABodyIsNotCompressed(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		resp := getAccepting(t, srv, "gzip")
		assert.NotContains(t, resp.Header, "Content-Encoding")
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Empty(t, body)
		assert.Equal(t, llmtest.StateComplete, srv.Log()[0].State)
	}, llmtest.Script{Status: http.StatusNoContent, Gzip: true})
}

func TestALongCompressedBody(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		n, err := io.Copy(io.Discard, get(t, srv).Body)
		require.NoError(t, err)
		assert.EqualValues(t, 5<<20, n)
		assert.Equal(t, 50*ms, time.Since(start))
	}, zipped(big()))
}

func TestACutOfACompressedBody(t *testing.T) {
	cut := zipped(abc)
	cut.Ending = llmtest.EndCut
	started(t, func(t *testing.T, srv *llmtest.Server) {
		got, err := pieces(time.Now(), get(t, srv).Body)
		requireCut(t, srv, err)
		assert.Equal(t, []piece{{180 * ms, "a"}, {200 * ms, "bB"}, {900 * ms, "c"}}, got)
		assert.Equal(t, llmtest.StateCut, srv.Log()[0].State)
	}, cut)
}

func TestAHangOfACompressedBody(t *testing.T) {
	hang := zipped(abc)
	hang.Ending = llmtest.EndHang
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
		require.NoError(t, err)
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		got, err := pieces(start, resp.Body)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, got, 3)

		synctest.Wait()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateGone, x.State)
		assert.Equal(t, 5*time.Second, x.Ended)
	}, hang)
}

func TestTCPCompressed(t *testing.T) {
	listening(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		assert.True(t, resp.Uncompressed)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "one\ntwo\nthree\n", string(body))
		assert.Equal(t, llmtest.StateComplete, srv.Log()[0].State)
	}, zipped(lines))
}
