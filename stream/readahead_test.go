package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// aheadOf returns a response whose body is src, read ahead up to a limit, and its records.
func aheadOf(ctx context.Context, t *testing.T, src io.ReadCloser, limit int) (*http.Response, *endings) {
	t.Helper()
	records := &endings{}
	client := &http.Client{Transport: &stream.Transport{
		Base:      answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil }),
		Tracker:   tracking(t, records),
		ReadAhead: limit,
	}}
	return ask(ctx, t, client, "http://llm.test"), records
}

func TestReadAheadStampsArrivalsOfASlowConsumer(t *testing.T) {
	for protocol, start := range protocols {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ai := llmtest.OpenAI{}
				server := start(llmtest.SSE().After(180*time.Millisecond, ai.Text("a")).Every(ms20, ai.Text("b"), ai.Text("c")).
					After(ms700, ai.Text("d")).After(ms20, ai.Finish("stop"), ai.Done()))
				defer server.Close()
				client, records := tapped(t, server)
				client.Transport.(*stream.Transport).ReadAhead = 1 << 16
				resp := post(t, client, server.URL)
				time.Sleep(150 * time.Millisecond) // the consumer does something else first
				body := newLines(resp.Body)
				for range 4 {
					_, err := body.Recv()
					require.NoError(t, err)
					time.Sleep(300 * time.Millisecond)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				client.CloseIdleConnections()

				s := records.one(t)
				exchange := server.Log()[0]
				assert.Equal(t, chunkTimes(exchange), records.chunks)
				ttft, _ := s.TTFT()
				assert.Equal(t, 180*time.Millisecond, ttft)
				assert.Equal(t, tpot.Stalls{Count: 1, Total: ms700, Longest: ms700}, s.Stalls, "the freeze was the server's")
				assert.Zero(t, s.HoldBound, "it is known when they came")
				e2e, _ := s.E2E()
				assert.Equal(t, 940*time.Millisecond, e2e, "the end marker's arrival")
				// to 150 elsewhere, to 180 waiting; 300 each for a and for b, then c was there: to 940 at it
				assert.Equal(t, 30*time.Millisecond, s.Wait)
				assert.Equal(t, 910*time.Millisecond, s.Hold)
			})
		})
	}
}

func TestReadAheadOfAConsumerThatWaits(t *testing.T) {
	for name, script := range scripts() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script.HeaderAt = 50 * time.Millisecond
				server := llmtest.Start(script)
				defer server.Close()
				client, records := tapped(t, server)
				client.Transport.(*stream.Transport).ReadAhead = 1 << 16
				resp := post(t, client, server.URL)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				assert.Equal(t, written(server.Log()[0]), string(body))
				checkAgainst(t, server.Log()[0], records.one(t))
			})
		})
	}
}

// counting is a body that tells how much of it was read.
type counting struct {
	io.Reader
	read, closed int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

func (c *counting) Close() error { c.closed++; return nil }

func TestReadAheadIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat(twoChunks, 100) + endOfChunks
		src := &counting{Reader: strings.NewReader(text)}
		resp, records := aheadOf(t.Context(), t, src, 1000)
		synctest.Wait()
		assert.Equal(t, 1000, src.read)
		time.Sleep(time.Second)

		got := make([]byte, 10)
		_, err := io.ReadFull(resp.Body, got)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, 1010, src.read, "as much as was taken")
		time.Sleep(time.Second)

		rest, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, text, string(got)+string(rest))
		assert.Zero(t, src.closed)
		require.NoError(t, resp.Body.Close())
		s := records.one(t)
		assert.Equal(t, 2*time.Second, s.Hold, "the goroutine had no room, or not much")
		assert.Zero(t, s.Wait)
		assert.Zero(t, s.Stalls.Count)
		assert.Equal(t, 200, s.Chunks)
	})
}

// stuck is a body whose Read returns once it is closed.
type stuck struct {
	closed chan struct{}
	err    error
}

func (s *stuck) Read([]byte) (int, error) { <-s.closed; return 0, s.err }
func (s *stuck) Close() error             { close(s.closed); return nil }

func TestReadAheadEndsWithClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errClosed := errors.New("closed")
		resp, records := aheadOf(t.Context(), t, &stuck{make(chan struct{}), errClosed}, 1000)
		synctest.Wait()
		require.NoError(t, resp.Body.Close())
		_, err := resp.Body.Read(make([]byte, 1))
		assert.Same(t, errClosed, err)
		assert.Equal(t, string(tpot.EarlyClose), records.one(t).Cause)
	}) // the bubble would not end with the goroutine in it
}

func TestReadAheadEndsWithCloseWhenItHasNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, records := aheadOf(t.Context(), t, io.NopCloser(&endlessText{}), 1000)
		synctest.Wait()
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, string(tpot.EarlyClose), records.one(t).Cause)
	})
}

// endlessText never ends.
type endlessText struct{}

func (*endlessText) Read(p []byte) (int, error) { return copy(p, ":\n"), nil }

func TestReadAheadEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		src := &counting{Reader: &slow{pieces: []string{strings.Repeat(":\n", 500), twoChunks, endOfChunks}, pause: 10 * time.Millisecond}}
		resp, records := aheadOf(ctx, t, src, 1000)
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, 1000, src.read, "no room")
		cancel()
		time.Sleep(time.Second)

		// this body does not know the context, and its reader reads on for itself
		_, err := io.ReadFull(resp.Body, make([]byte, 1000))
		require.NoError(t, err)
		time.Sleep(time.Second)
		_, err = io.ReadFull(resp.Body, make([]byte, len(twoChunks)))
		require.NoError(t, err)
		time.Sleep(time.Second)
		rest, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, endOfChunks, string(rest))
		s := records.one(t)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, 2, s.Chunks)
		assert.Equal(t, 20*time.Millisecond, s.Wait)
		assert.Equal(t, 3020*time.Millisecond, s.Hold)
	})
}

func TestReadAheadGivesTheError(t *testing.T) {
	errLine := errors.New("the line broke")
	synctest.Test(t, func(t *testing.T) {
		src := &closing{Reader: io.MultiReader(strings.NewReader(twoChunks), iotest.ErrReader(errLine))}
		resp, records := aheadOf(t.Context(), t, src, 1<<16)
		synctest.Wait()
		time.Sleep(time.Second)
		assert.Empty(t, records.all(), "the reader has not heard of it")
		rest, err := io.ReadAll(resp.Body)
		assert.Equal(t, twoChunks, string(rest))
		assert.Same(t, errLine, err)
		_, err = resp.Body.Read(make([]byte, 1))
		assert.Same(t, errLine, err)
		s := records.one(t)
		assert.Same(t, errLine, s.Err)
		e2e, _ := s.E2E()
		assert.Zero(t, e2e, "it ended long before it was read")
	})
}

func TestReadAheadPassesAPanicOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, _ := aheadOf(t.Context(), t, io.NopCloser(panicking{}), 1<<16)
		synctest.Wait()
		assert.PanicsWithValue(t, "boom", func() { _, _ = resp.Body.Read(make([]byte, 1)) })
		require.NoError(t, resp.Body.Close())
	})
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("boom") }

func TestReadAheadEndsWithADroppedBody(t *testing.T) {
	ended := make(chan tpot.Stats, 1)
	goroutines := runtime.NumGoroutine()
	func() {
		client := &http.Client{Transport: &stream.Transport{
			Base: answering(func(*http.Request) (*http.Response, error) {
				return respond("text/event-stream", &endlessText{}), nil
			}),
			Tracker: (&records{ended: ended}).tracker(t), ReadAhead: 1000,
		}}
		_, err := io.ReadFull(ask(t.Context(), t, client, "http://llm.test").Body, make([]byte, 10))
		require.NoError(t, err)
	}()
	for found := false; !found; {
		runtime.GC()
		select {
		case s := <-ended:
			assert.Equal(t, string(tpot.Abandoned), s.Cause)
			found = true
		default:
			runtime.Gosched()
		}
	}
	for runtime.NumGoroutine() > goroutines { // hangs if the goroutine stays
		runtime.Gosched()
	}
}

func TestReadAheadOfBytesOfAnySize(t *testing.T) {
	text := strings.Repeat(twoChunks, 30) + endOfChunks
	for _, limit := range []int{1, 2, 100, 1 << 20} {
		for _, size := range []int{1, 3, 1000} {
			resp, records := aheadOf(t.Context(), t, io.NopCloser(strings.NewReader(text)), limit)
			var got bytes.Buffer
			_, err := io.CopyBuffer(&got, struct{ io.Reader }{resp.Body}, make([]byte, size))
			require.NoError(t, err)
			require.Equal(t, text, got.String())
			n, err := resp.Body.Read(nil)
			assert.Equal(t, 0, n)
			assert.True(t, err == nil || err == io.EOF)
			_ = resp.Body.Close()
			assert.Equal(t, 60, records.one(t).Chunks)
		}
	}
}

func TestReadAheadLeavesReadsOfNothingToTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &counting{Reader: io.MultiReader(strings.NewReader(twoChunks), nothing{})}
		resp, _ := aheadOf(t.Context(), t, src, 1<<16)
		got := make([]byte, len(twoChunks))
		_, err := io.ReadFull(resp.Body, got)
		require.NoError(t, err)
		n, err := resp.Body.Read(got)
		assert.Zero(t, n)
		assert.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	})
}

// nothing is a reader that gives nothing, for ever.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }
