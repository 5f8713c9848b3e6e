package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

const ms = time.Millisecond

// started runs test over each protocol, each in a bubble, with a Server that plays the scripts over memory. The bubble
// fails the test when a goroutine is left after the Server was closed.
func started(t *testing.T, test func(t *testing.T, srv *llmtest.Server), scripts ...llmtest.Script) {
	t.Helper()
	for name, start := range map[string]func(...llmtest.Script) *llmtest.Server{
		"HTTP1": llmtest.Start,
		"HTTP2": llmtest.StartHTTP2,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := start(scripts...)
				defer srv.Close()
				test(t, srv)
			})
		})
	}
}

func speaksHTTP2(srv *llmtest.Server) bool {
	return srv.Client().Transport.(*http.Transport).Protocols.UnencryptedHTTP2()
}

// requireCut checks what the reader of a response got that was cut.
func requireCut(t *testing.T, srv *llmtest.Server, err error) {
	t.Helper()
	if speaksHTTP2(srv) {
		require.ErrorContains(t, err, "INTERNAL_ERROR; received from peer")
		return
	}
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// piece is one Read of a response body.
type piece struct {
	At   time.Duration
	Text string
}

// pieces reads body to its end.
func pieces(start time.Time, body io.Reader) ([]piece, error) {
	var got []piece
	buf := make([]byte, 4096)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			got = append(got, piece{time.Since(start), string(buf[:n])})
		}
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

func get(t *testing.T, srv *llmtest.Server) *http.Response {
	t.Helper()
	resp, err := srv.Client().Get(srv.URL)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// times is when each write of x began and had returned.
func times(x llmtest.Exchange) [][2]time.Duration {
	var ts [][2]time.Duration
	for _, w := range x.Writes {
		ts = append(ts, [2]time.Duration{w.Began, w.Returned})
	}
	return ts
}

var abc = llmtest.SSE().
	After(180*ms, llmtest.Raw("a")).
	After(20*ms, llmtest.Raw("b"), llmtest.Raw("B")).
	After(700*ms, llmtest.Raw("c"))

func TestWritesArriveAtTheirOffsets(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		resp := get(t, srv)
		assert.Equal(t, time.Duration(0), time.Since(start))
		assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))

		got, err := pieces(start, resp.Body)
		require.NoError(t, err)
		assert.Equal(t, []piece{{180 * ms, "a"}, {200 * ms, "bB"}, {900 * ms, "c"}}, got)
		assert.Equal(t, 900*ms, time.Since(start))

		x := srv.Log()[0]
		assert.Equal(t, start, x.Arrived)
		assert.Equal(t, [][2]time.Duration{{180 * ms, 180 * ms}, {200 * ms, 200 * ms}, {900 * ms, 900 * ms}}, times(x))
		assert.Equal(t, "bB", string(x.Writes[1].Bytes()))
		assert.Equal(t, abc.Writes[1], x.Writes[1].Write)
		assert.Equal(t, llmtest.StateComplete, x.State)
		assert.Equal(t, 900*ms, x.Ended)
		assert.NoError(t, x.Err)
	}, abc)
}

func TestHeaderAndEndHaveOffsets(t *testing.T) {
	script := llmtest.Script{
		Status:   http.StatusAccepted,
		Header:   http.Header{"Openai-Processing-Ms": {"90"}},
		HeaderAt: 90 * ms,
		EndAt:    400 * ms,
	}.After(10*ms, llmtest.Raw("a"))
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		resp := get(t, srv)
		assert.Equal(t, 90*ms, time.Since(start))
		assert.Equal(t, http.StatusAccepted, resp.StatusCode)
		assert.Equal(t, "90", resp.Header.Get("Openai-Processing-Ms"))

		got, err := pieces(start, resp.Body)
		require.NoError(t, err)
		assert.Equal(t, []piece{{100 * ms, "a"}}, got)
		assert.Equal(t, 400*ms, time.Since(start))

		x := srv.Log()[0]
		assert.Equal(t, 90*ms, x.HeaderSent)
		assert.Equal(t, 400*ms, x.Ended)
	}, script)
}

func TestAWriteThatIsOverdueIsMadeAtOnce(t *testing.T) {
	script := llmtest.SSE()
	script.Writes = []llmtest.Write{
		{At: 50 * ms, Events: []llmtest.Event{llmtest.Raw("a")}},
		{At: 20 * ms, Events: []llmtest.Event{llmtest.Raw("b")}},
		{At: 60 * ms, Events: []llmtest.Event{llmtest.Raw("c")}},
	}
	started(t, func(t *testing.T, srv *llmtest.Server) {
		_, err := pieces(time.Now(), get(t, srv).Body)
		require.NoError(t, err)
		assert.Equal(t, [][2]time.Duration{{50 * ms, 50 * ms}, {50 * ms, 50 * ms}, {60 * ms, 60 * ms}}, times(srv.Log()[0]))
	}, script)
}

func TestTheRequestArrivesWithItsBody(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		body, upload := io.Pipe()
		go func() {
			time.Sleep(30 * ms)
			io.WriteString(upload, `{"model":`)
			time.Sleep(30 * ms)
			io.WriteString(upload, `"m"}`)
			upload.Close()
		}()
		resp, err := srv.Client().Post(srv.URL+"/v1/chat/completions?v=1", "application/json", body)
		require.NoError(t, err)
		defer resp.Body.Close()
		got, err := pieces(start, resp.Body)
		require.NoError(t, err)
		assert.Equal(t, []piece{{(60 + 180) * ms, "a"}, {(60 + 200) * ms, "bB"}, {(60 + 900) * ms, "c"}}, got)

		x := srv.Log()[0]
		assert.Equal(t, start.Add(60*ms), x.Arrived)
		assert.Equal(t, 180*ms, x.Writes[0].Began)
		assert.Equal(t, "POST", x.Method)
		assert.Equal(t, "llm.test", x.Host)
		assert.Equal(t, "/v1/chat/completions", x.Path)
		assert.Equal(t, "application/json", x.Header.Get("Content-Type"))
		assert.JSONEq(t, `{"model":"m"}`, string(x.Body))
	}, abc)
}

func TestOfALongRequestTheBeginningIsKept(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		body, upload := io.Pipe()
		go func() {
			io.WriteString(upload, strings.Repeat("x", 3<<20))
			time.Sleep(60 * ms)
			upload.Close()
		}()
		resp, err := srv.Client().Post(srv.URL, "text/plain", body)
		require.NoError(t, err)
		defer resp.Body.Close()
		x := srv.Log()[0]
		assert.Len(t, x.Body, 1<<20)
		assert.Equal(t, start.Add(60*ms), x.Arrived, "the rest belongs to the request too")
	})
}

func TestASlowClientDelaysNoWrite(t *testing.T) {
	big := llmtest.Raw(strings.Repeat("x", 1<<20))
	script := llmtest.SSE().Every(10*ms, big, big, big)
	started(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		time.Sleep(time.Hour)
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateComplete, x.State)
		assert.Equal(t, [][2]time.Duration{{10 * ms, 10 * ms}, {20 * ms, 20 * ms}, {30 * ms, 30 * ms}}, times(x))
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		assert.EqualValues(t, 3<<20, n)
	}, script)
}

func TestACutIsAnError(t *testing.T) {
	cut := abc
	cut.Ending = llmtest.EndCut
	cut.EndAt = time.Second
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		got, err := pieces(start, get(t, srv).Body)
		requireCut(t, srv, err)
		assert.Len(t, got, 3)
		assert.Equal(t, time.Second, time.Since(start))

		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateCut, x.State)
		assert.Equal(t, time.Second, x.Ended)
		assert.NoError(t, x.Err)
	}, cut)
}

func TestAHangLastsUntilTheClientLeaves(t *testing.T) {
	hang := abc
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
		assert.Equal(t, 5*time.Second, time.Since(start))

		synctest.Wait()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateGone, x.State)
		assert.Equal(t, 5*time.Second, x.Ended)
		assert.ErrorIs(t, x.Err, context.Canceled)
	}, hang)
}

func TestAClientThatLeavesStopsTheScript(t *testing.T) {
	for name, leave := range map[string]func(cancel context.CancelFunc, body io.Closer){
		"close":  func(_ context.CancelFunc, body io.Closer) { body.Close() },
		"cancel": func(cancel context.CancelFunc, _ io.Closer) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			started(t, func(t *testing.T, srv *llmtest.Server) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
				require.NoError(t, err)
				resp, err := srv.Client().Do(req)
				require.NoError(t, err)
				defer resp.Body.Close()

				time.Sleep(500 * ms)
				assert.Equal(t, llmtest.StatePlaying, srv.Log()[0].State)
				leave(cancel, resp.Body)
				synctest.Wait()
				x := srv.Log()[0]
				assert.Equal(t, llmtest.StateGone, x.State)
				assert.Equal(t, 500*ms, x.Ended)
				assert.Len(t, x.Writes, 2)
			}, abc)
		})
	}
}

func TestAClientThatLeavesBeforeTheHeader(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		ctx, cancel := context.WithTimeout(t.Context(), 40*ms)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
		require.NoError(t, err)
		_, err = srv.Client().Do(req)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateGone, x.State)
		assert.Equal(t, 40*ms, x.Ended)
		assert.Zero(t, x.HeaderSent)
	}, llmtest.Script{HeaderAt: time.Hour})
}

func TestAClientThatLeavesInItsUpload(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		body, upload := io.Pipe()
		go func() {
			io.WriteString(upload, "half")
			time.Sleep(10 * ms)
			upload.CloseWithError(errors.New("lost the rest"))
		}()
		_, err := srv.Client().Post(srv.URL, "text/plain", body)
		require.ErrorContains(t, err, "lost the rest")
		synctest.Wait()
		x := srv.Log()[0]
		assert.Equal(t, llmtest.StateGone, x.State)
		assert.Equal(t, "half", string(x.Body))
		if speaksHTTP2(srv) {
			require.ErrorContains(t, x.Err, "CANCEL")
		} else {
			require.ErrorIs(t, x.Err, io.ErrUnexpectedEOF)
		}
	}, abc)
}

func TestScriptsArePlayedInOrderAndTheLastRepeats(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		for _, want := range []struct {
			status int
			at     time.Duration
			body   string
		}{
			{401, 0, `{"error":{"message":"no key"}}`},
			{429, 30 * ms, `{"error":{"message":"slow down"}}`},
			{200, 10 * ms, "a"},
			{200, 10 * ms, "a"},
		} {
			start := time.Now()
			resp := get(t, srv)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, want.status, resp.StatusCode)
			assert.Equal(t, want.body, string(body))
			assert.Equal(t, want.at, time.Since(start))
		}
		log := srv.Log()
		require.Len(t, log, 4)
		for _, x := range log {
			assert.Equal(t, llmtest.StateComplete, x.State)
		}
	}, refusal(401, "no key", 0), refusal(429, "slow down", 30*ms), llmtest.SSE().After(10*ms, llmtest.Raw("a")))
}

func refusal(status int, text string, at time.Duration) llmtest.Script {
	s := llmtest.JSON(status, map[string]any{"error": map[string]string{"message": text}})
	s.HeaderAt = at
	return s
}

func TestAnErrorStatusWithJSON(t *testing.T) {
	for _, status := range []int{401, 404, 429} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			script := refusal(status, "no", 0)
			script.Header.Set("Retry-After", "2")
			started(t, func(t *testing.T, srv *llmtest.Server) {
				resp := get(t, srv)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, status, resp.StatusCode)
				assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
				assert.Equal(t, "2", resp.Header.Get("Retry-After"))
				assert.JSONEq(t, `{"error":{"message":"no"}}`, string(body))
			}, script)
		})
	}
}

func TestNoScriptIsAnEmptyResponse(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		assert.Empty(t, body)
	})
}

func TestConcurrentRequestsAreIndependent(t *testing.T) {
	const n = 20
	started(t, func(t *testing.T, srv *llmtest.Server) {
		start := time.Now()
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				late := time.Duration(i) * ms
				time.Sleep(late)
				resp, err := srv.Client().Get(fmt.Sprint(srv.URL, "/", i))
				if !assert.NoError(t, err) {
					return
				}
				defer resp.Body.Close()
				got, err := pieces(start, resp.Body)
				assert.NoError(t, err)
				assert.Equal(t, []piece{{late + 180*ms, "a"}, {late + 200*ms, "bB"}, {late + 900*ms, "c"}}, got)
			})
		}
		wg.Wait()
		log := srv.Log()
		require.Len(t, log, n)
		for i, x := range log {
			assert.Equal(t, fmt.Sprint("/", i), x.Path)
			assert.Equal(t, start.Add(time.Duration(i)*ms), x.Arrived)
			assert.Equal(t, 900*ms, x.Ended)
		}
	}, abc)
}

func TestAnyURLLeadsToTheServer(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		for _, url := range []string{"https://api.example.com/v1/x", "http://10.0.0.1:8000/v1/x"} {
			resp, err := srv.Client().Get(url)
			require.NoError(t, err)
			resp.Body.Close()
		}
		log := srv.Log()
		assert.Equal(t, "api.example.com", log[0].Host)
		assert.Equal(t, "10.0.0.1:8000", log[1].Host)
	})
}

func TestCloseWhilePlaying(t *testing.T) {
	for name, script := range map[string]llmtest.Script{
		"before the header": {HeaderAt: time.Hour},
		"between writes":    abc,
		"before the end":    {EndAt: time.Hour},
		"hanging":           {Ending: llmtest.EndHang},
	} {
		t.Run(name, func(t *testing.T) {
			started(t, func(t *testing.T, srv *llmtest.Server) {
				start := time.Now()
				go func() {
					time.Sleep(500 * ms)
					srv.Close()
				}()
				resp, err := srv.Client().Get(srv.URL)
				if err == nil {
					_, err = pieces(start, resp.Body)
					resp.Body.Close()
					if !speaksHTTP2(srv) {
						require.ErrorIs(t, err, io.ErrUnexpectedEOF)
					}
				}
				require.Error(t, err)
				assert.Equal(t, 500*ms, time.Since(start))

				srv.Close()
				x := srv.Log()[0]
				assert.Equal(t, llmtest.StateClosed, x.State)
				assert.Equal(t, 500*ms, x.Ended)
				assert.ErrorIs(t, x.Err, http.ErrServerClosed)
			}, script)
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	started(t, func(t *testing.T, srv *llmtest.Server) {
		get(t, srv).Body.Close()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(srv.Close)
		}
		wg.Wait()
		synctest.Wait() // until the client has noticed: before, it may try the connection that it has
		_, err := srv.Client().Get(srv.URL)
		require.ErrorIs(t, err, net.ErrClosed)
	}, abc)
}

// A connection that is accepted while the server is being closed, and that sends no request, is ended as well.
func TestCloseWhileClientsDial(t *testing.T) {
	for range 200 {
		started(t, func(t *testing.T, srv *llmtest.Server) {
			dial := srv.Client().Transport.(*http.Transport).DialContext
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					c, err := dial(t.Context(), "", "")
					if err != nil {
						return
					}
					_, err = c.Read(make([]byte, 1))
					assert.Equal(t, io.EOF, err)
					c.Close()
				})
			}
			srv.Close()
			wg.Wait()
		}, abc)
	}
}

// Of requests that are under way when the server is closed, some are in the log and some are not, but none is added later.
func TestCloseWhileRequestsBegin(t *testing.T) {
	for range 50 {
		started(t, func(t *testing.T, srv *llmtest.Server) {
			get(t, srv).Body.Close()
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() {
					if resp, err := srv.Client().Get(srv.URL); err == nil {
						resp.Body.Close()
					}
				})
			}
			srv.Close()
			log := srv.Log()
			for _, x := range log {
				assert.NotEqual(t, llmtest.StatePlaying, x.State)
			}
			wg.Wait() // over HTTP/2 net/http tries some requests again, after seconds
			assert.Equal(t, log, srv.Log())
		}, llmtest.Script{Ending: llmtest.EndHang})
	}
}

func TestALogIsACopy(t *testing.T) {
	raw := llmtest.Raw
	started(t, func(t *testing.T, srv *llmtest.Server) {
		resp := get(t, srv)
		time.Sleep(30 * ms)
		synctest.Wait()
		early := srv.Log()[0]
		require.Len(t, early.Writes, 3)
		_, err := pieces(time.Now(), resp.Body)
		require.NoError(t, err)
		early.Writes = append(early.Writes, llmtest.Sent{})
		assert.Equal(t, llmtest.StatePlaying, early.State)
		assert.Equal(t, "d", string(srv.Log()[0].Writes[3].Bytes()))
	}, llmtest.SSE().Every(10*ms, raw("a"), raw("b"), raw("c"), raw("d")))
}
