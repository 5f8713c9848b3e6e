package stream_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestWhatAReaderDoesAddsUp(t *testing.T) {
	for _, complete := range []bool{true, false} {
		for _, joined := range []bool{false, true} {
			for _, aheadOn := range []bool{false, true} {
				t.Run(fmt.Sprintf("complete=%v joined=%v ahead=%v", complete, joined, aheadOn), func(t *testing.T) {
					failures := 0
					var log []string
					for seed := range uint64(200) {
						synctest.Test(t, func(t *testing.T) {
							r := rand.New(rand.NewPCG(seed, 1))
							var pieces []piece
							text := ""
							for i := range 1 + r.IntN(8) {
								text += chunkOf(0, strings.Repeat("x", 1+i))
							}
							if complete {
								text += endOfChunks
							}
							for len(text) > 0 {
								n := min(1+r.IntN(150), len(text))
								pieces = append(pieces, piece{time.Duration(r.IntN(3)) * 10 * ms, text[:n], nil})
								text = text[n:]
							}
							pieces = append(pieces, piece{time.Duration(r.IntN(3)) * 10 * ms, "", io.EOF})
							ahead := 0
							if aheadOn {
								ahead = 1 + r.IntN(400)
							}
							client, records := serve(t, func() io.ReadCloser { return newTimed(pieces...) }, ahead)
							ctx := t.Context()
							var rec *tpot.Recorder
							if joined {
								ctx, rec = client.Transport.(*stream.Transport).Tracker.Start(ctx, tpot.Request{})
							}
							start := time.Now()
							resp := ask(ctx, t, client, "http://llm.test")
							type span struct{ from, to time.Duration } // outside Read
							var away []span
							from := time.Duration(0)
							for {
								time.Sleep(time.Duration(r.IntN(3)) * 10 * ms)
								away = append(away, span{from, time.Since(start)})
								_, err := resp.Body.Read(make([]byte, 1+r.IntN(300)))
								from = time.Since(start)
								if err != nil {
									break
								}
							}
							if rec != nil {
								rec.End(nil)
							}
							_ = resp.Body.Close()
							s := records.one(t)
							e2e, _ := s.E2E()
							var hold time.Duration
							for _, a := range away {
								hold += max(0, min(a.to, e2e)-min(a.from, e2e))
							}
							// the first stretch may be setup
							if !aheadOn && !joined || !aheadOn {
								hold -= min(away[0].to, e2e)
							}
							if s.Hold != hold || s.Setup+s.Wait+s.Hold != e2e {
								failures++
								if failures <= 4 {
									log = append(log, fmt.Sprintf("seed %d: hold %v, want %v; setup %v wait %v e2e %v; ahead %d", seed, s.Hold, hold, s.Setup, s.Wait, e2e, ahead))
								}
							}
						})
					}
					if failures > 0 {
						t.Errorf("%d of 200\n%s", failures, strings.Join(log, "\n"))
					}
				})
			}
		}
	}
}

func TestManyRequestsAtOnce(t *testing.T) {
	want := strings.Repeat(twoChunks, 40) + endOfChunks
	before := runtime.NumGoroutine()
	var servers []*httptest.Server
	for _, h2 := range []bool{false, true} {
		server := sseServer(t, h2, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := 0; i < len(want); i += 500 {
				if r.URL.Path == "/cut" && i > 1000 {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, want[i:min(len(want), i+500)])
				w.(http.Flusher).Flush()
			}
		})
		server.Config.ErrorLog = nil
		servers = append(servers, server)
	}
	for _, server := range servers {
		for _, ahead := range []int{0, 100, 1 << 16} {
			client, records := traced(t, server.Client().Transport, ahead)
			var wg sync.WaitGroup
			const n = 200
			for w := range 4 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(w), 7))
					for range n / 4 {
						path := []string{"/ok", "/cut"}[r.IntN(2)]
						ctx, cancel := context.WithCancel(context.Background())
						resp, err := func() (*http.Response, error) {
							req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, strings.NewReader(chatRequest))
							return client.Do(req)
						}()
						if err != nil {
							cancel()
							continue
						}
						var got []byte
						how := r.IntN(4)
						closedEarly := make(chan struct{})
						if how == 1 {
							go func() {
								time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
								_ = resp.Body.Close()
								close(closedEarly)
							}()
						} else {
							close(closedEarly)
						}
						if how == 2 {
							time.AfterFunc(200*time.Microsecond, cancel)
						}
						buf := make([]byte, 200)
						for {
							m, err := resp.Body.Read(buf)
							got = append(got, buf[:m]...)
							if err != nil || how == 3 && len(got) > 3000 {
								break
							}
						}
						if !strings.HasPrefix(want, string(got)) {
							t.Errorf("how %d ahead %d: not a prefix", how, ahead)
						}
						<-closedEarly
						_ = resp.Body.Close()
						cancel()
					}
				})
			}
			wg.Wait()
			assert.Len(t, records.all(), n)
			client.CloseIdleConnections()
		}
	}
	for _, s := range servers {
		s.CloseClientConnections()
		s.Close()
	}
	for i := 0; i < 200 && runtime.NumGoroutine() > before+2; i++ {
		time.Sleep(10 * ms)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before+2)
}
