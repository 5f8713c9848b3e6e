package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestReadAheadIsNotAbandonedWhileItIsRead(t *testing.T) {
	pr, pw := io.Pipe()
	client, records := traced(t, answering(func(*http.Request) (*http.Response, error) {
		return respond("text/event-stream", pr), nil
	}), 1<<10)
	type result struct {
		n   int
		err error
		s   string
	}
	got := make(chan result, 1)
	go func() {
		body := ask(context.Background(), t, client, "http://llm.test").Body
		p := make([]byte, 100)
		n, err := body.Read(p)
		got <- result{n, err, string(p[:n])}
	}()
	for range 20 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	_, _ = io.WriteString(pw, "first")
	_, _ = io.WriteString(pw, "second")
	select {
	case r := <-got:
		assert.True(t, strings.HasPrefix(r.s, "first"), "%q", r.s)
	case <-time.After(3 * time.Second):
		t.Error("Read hangs")
	}
	assert.Empty(t, records.all(), "nobody abandoned the body")
}

// blockingBody is a body whose Close does not end a Read, and which is not safe for two Reads at once, as an io.Reader need not be.
type blockingBody struct {
	pieces chan string
	reads  int
}

func (b *blockingBody) Read(p []byte) (int, error) {
	b.reads++
	s, ok := <-b.pieces
	if !ok {
		return 0, io.EOF
	}
	b.reads++
	return copy(p, s), nil
}

func (*blockingBody) Close() error { return nil }

func TestReadAheadClosedWhileItIsRead(t *testing.T) {
	src := &blockingBody{pieces: make(chan string)}
	client, _ := traced(t, answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil }), 1<<10)
	body := ask(t.Context(), t, client, "http://llm.test").Body
	got := make(chan string, 1)
	go func() {
		p := make([]byte, 100)
		n, _ := body.Read(p)
		got <- string(p[:n])
	}()
	time.Sleep(20 * time.Millisecond)
	_ = body.Close()
	time.Sleep(20 * time.Millisecond)
	src.pieces <- "first"
	select {
	case s := <-got:
		assert.Equal(t, "first", s)
	case <-time.After(2 * time.Second):
		t.Error("the Read that waited does not get what came next: the goroutine took it")
		close(src.pieces)
	}
}

func TestReadAheadReadAfterClose(t *testing.T) {
	read := func(ahead int) string {
		client, _ := traced(t, answering(func(*http.Request) (*http.Response, error) {
			return respond("text/event-stream", strings.NewReader("0123456789abcdef")), nil
		}), ahead)
		body := ask(t.Context(), t, client, "http://llm.test").Body
		time.Sleep(20 * time.Millisecond)
		_, _ = io.ReadFull(body, make([]byte, 4))
		_ = body.Close()
		rest, _ := io.ReadAll(body)
		return string(rest)
	}
	assert.Equal(t, read(0), read(8))
}

func TestReadAheadErrorThatIsNotTheLastWord(t *testing.T) {
	reads := func(ahead int) (all []string) {
		n := 0
		src := readFunc(func(p []byte) (int, error) {
			n++
			switch n {
			case 2:
				return 0, errors.New("timeout, try again")
			case 4:
				return 0, io.EOF
			}
			return copy(p, "data"), nil
		})
		client, _ := traced(t, answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil }), ahead)
		body := ask(t.Context(), t, client, "http://llm.test").Body
		for range 4 {
			p := make([]byte, 10)
			n, err := body.Read(p)
			all = append(all, fmt.Sprint(string(p[:n]), err))
		}
		return all
	}
	assert.Equal(t, reads(0), reads(1<<10))
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestReadAheadOfNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	src := readFunc(func(p []byte) (int, error) { calls++; time.Sleep(time.Millisecond); return 0, nil })
	client, _ := traced(t, answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil }), 1<<10)
	body := ask(ctx, t, client, "http://llm.test").Body
	got := make(chan error, 1)
	go func() { _, err := body.Read(make([]byte, 1)); got <- err }()
	time.Sleep(50 * time.Millisecond)
	cancel()
	select {
	case err := <-got:
		assert.NoError(t, err)
	case <-time.After(time.Second):
		t.Error("the bare Read returned 0, nil; this one does not return, not even when the context ends")
	}
	_ = body.Close()
}

func TestReadAheadOfImpossibleCounts(t *testing.T) {
	for _, count := range []int{-1, 1 << 20} {
		src := readFunc(func(p []byte) (int, error) { return count, io.EOF })
		client, _ := traced(t, answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil }), 1<<10)
		body := ask(t.Context(), t, client, "http://llm.test").Body
		assert.NotPanics(t, func() { _, _ = body.Read(make([]byte, 10)) }, "the bare body gives %d and the caller sees to it", count)
		_ = body.Close()
	}
}

func TestReadAheadThatTheEndFills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := twoChunks + endOfChunks
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{20 * ms, twoChunks, nil}, piece{30 * ms, endOfChunks, nil})
		}, len(text))
		resp := post(t, client, "http://llm.test")
		time.Sleep(100 * ms)
		_, _ = io.Copy(io.Discard, resp.Body)
		s := records.one(t)
		e2e, _ := s.E2E()
		assert.Equal(t, 50*ms, e2e)
		assert.Equal(t, 50*ms, s.Hold, "the consumer never waited")
		assert.Zero(t, s.Wait)
	})
}

func TestReadAheadWaitsOfAReaderForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{0, twoChunks, nil}, piece{500 * ms, twoChunks, nil}, piece{500 * ms, twoChunks + endOfChunks, nil})
		}, len(twoChunks))
		resp := ask(ctx, t, client, "http://llm.test")
		synctest.Wait()
		cancel()
		synctest.Wait()
		_, _ = io.Copy(io.Discard, resp.Body)
		s := records.one(t)
		assert.Equal(t, time.Second, s.Wait, "the consumer did nothing but wait")
		assert.Zero(t, s.Hold)
	})
}

func TestReadAheadBetweenFinishAndMarker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, records := serve(t, func() io.ReadCloser {
			return newTimed(piece{10 * ms, twoChunks + finishOf(0), nil}, piece{30 * ms, "data: [DONE]\n\n", nil})
		}, 1<<16)
		resp := post(t, client, "http://llm.test")
		_, _ = resp.Body.Read(make([]byte, 4096))
		time.Sleep(20 * ms)
		_, _ = io.Copy(io.Discard, resp.Body)
		s := records.one(t)
		assert.Equal(t, 20*ms, s.Hold)
		assert.Equal(t, 20*ms, s.Wait)
	})
}
