package stream_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
)

func traced(t testing.TB, base http.RoundTripper, ahead int) (*http.Client, *endings) {
	records := &endings{}
	return &http.Client{Transport: &stream.Transport{Base: base, ReadAhead: ahead, Tracker: tracking(t, records)}}, records
}

func TestGetBodyMayShareTheBodysReader(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = string(b)
	}))
	defer server.Close()
	client, _ := traced(t, nil, 0)
	raw := strings.NewReader(chatRequest)
	req, err := http.NewRequest(http.MethodPost, server.URL, io.NopCloser(raw))
	require.NoError(t, err)
	req.ContentLength = int64(len(chatRequest))
	req.Header.Set("Content-Type", "application/json")
	req.GetBody = func() (io.ReadCloser, error) {
		_, err := raw.Seek(0, io.SeekStart)
		return io.NopCloser(raw), err
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	_ = resp.Body.Close()
	assert.Equal(t, chatRequest, got)
}

func sseServer(t *testing.T, h2 bool, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = h2
	if h2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	return server
}

func TestDroppedBodiesOfPackageHTTP(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		for _, ahead := range []int{0, 1 << 10} {
			t.Run(fmt.Sprint("h2=", h2, " ahead=", ahead), func(t *testing.T) {
				done := make(chan struct{})
				server := sseServer(t, h2, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, twoChunks)
					w.(http.Flusher).Flush()
					select {
					case <-done:
					case <-r.Context().Done():
					}
				})
				defer server.Close()
				defer close(done)
				client, records := traced(t, server.Client().Transport, ahead)
				func() {
					resp := post(t, client, server.URL)
					_, err := io.ReadFull(resp.Body, make([]byte, len(twoChunks)))
					require.NoError(t, err)
				}()
				for i := 0; i < 100 && len(records.all()) == 0; i++ {
					runtime.GC()
					time.Sleep(10 * time.Millisecond)
				}
				assert.Len(t, records.all(), 1, "exactly one record for a body that was dropped")
			})
		}
	}
}

func TestReadAheadLeavesTrailersAlone(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprint("h2=", h2), func(t *testing.T) {
			server := sseServer(t, h2, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for i := range 20 {
					w.Header().Add("Trailer", fmt.Sprint("X-T", i))
				}
				w.WriteHeader(200)
				_, _ = io.WriteString(w, twoChunks+endOfChunks)
				w.(http.Flusher).Flush()
				for i := range 20 {
					w.Header().Set(fmt.Sprint("X-T", i), "v")
				}
			})
			defer server.Close()
			client, _ := traced(t, server.Client().Transport, 1<<16)
			for range 30 {
				resp := post(t, client, server.URL)
				for range 200 {
					for k := range resp.Trailer { // the reader has not read yet
						_ = k
					}
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}

func TestReadAheadBehindAReverseProxy(t *testing.T) {
	server := sseServer(t, false, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 50 {
			w.Header().Add("Trailer", fmt.Sprint("X-T", i))
		}
		w.WriteHeader(200)
		_, _ = io.WriteString(w, twoChunks+endOfChunks)
		for i := range 50 {
			w.Header().Set(fmt.Sprint("X-T", i), "v")
		}
	})
	defer server.Close()
	client, _ := traced(t, server.Client().Transport, 1<<16)
	u, _ := url.Parse(server.URL)
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.Transport = client.Transport
	front := httptest.NewServer(proxy)
	defer front.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				resp, err := http.Post(front.URL, "application/json", strings.NewReader(chatRequest))
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

func TestWhatElsePackageHTTPDoes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/upgrade":
			conn, rw, _ := w.(http.Hijacker).Hijack()
			_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
			_ = rw.Flush()
			line, _ := rw.ReadString('\n')
			_, _ = rw.WriteString("echo " + line)
			_ = rw.Flush()
			_ = conn.Close()
		case "/head":
			w.Header().Set("Content-Length", "1234")
		case "/expect":
			b, _ := io.ReadAll(r.Body)
			_, _ = w.Write(b)
		}
	}))
	defer server.Close()
	client, records := traced(t, &http.Transport{ExpectContinueTimeout: time.Second}, 1<<10)
	req, _ := http.NewRequest(http.MethodGet, server.URL+"/upgrade", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := client.Do(req)
	require.NoError(t, err)
	rw := resp.Body.(io.ReadWriteCloser)
	_, _ = io.WriteString(rw, "hi\n")
	got, _ := io.ReadAll(rw)
	assert.Equal(t, "echo hi\n", string(got))
	_ = rw.Close()
	resp, err = client.Head(server.URL + "/head")
	require.NoError(t, err)
	assert.Equal(t, int64(1234), resp.ContentLength)
	req, _ = http.NewRequest(http.MethodPost, server.URL+"/expect", io.MultiReader(strings.NewReader("no GetBody")))
	req.Header.Set("Expect", "100-continue")
	resp, err = client.Do(req)
	require.NoError(t, err)
	got, _ = io.ReadAll(resp.Body)
	assert.Equal(t, "no GetBody", string(got))
	assert.Same(t, req, resp.Request)
	assert.Len(t, records.all(), 3)
}
