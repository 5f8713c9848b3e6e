package stream_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// blockingObserver blocks in Observe until released.
type blockingObserver struct{ release chan struct{} }

func (b *blockingObserver) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, b
}

func (b *blockingObserver) Observe(tpot.Arrival) { <-b.release }

func (b *blockingObserver) End(tpot.Stats) {}

type closeFlag struct {
	io.Reader
	closed atomic.Bool
}

func (c *closeFlag) Close() error { c.closed.Store(true); return nil }

func TestAnObserverThatBlocksDoesNotKeepABodyOpen(t *testing.T) {
	for _, ahead := range []int{0, 1 << 10} {
		o := &blockingObserver{make(chan struct{})}
		src := &closeFlag{Reader: strings.NewReader(twoChunks)}
		client := &http.Client{Transport: &stream.Transport{ReadAhead: ahead, Tracker: tracking(t, o),
			Base: answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil })}}
		body := ask(t.Context(), t, client, "http://llm.test").Body
		go func() { _, _ = body.Read(make([]byte, 1000)) }()
		time.Sleep(20 * ms)
		closed := make(chan struct{})
		go func() { _ = body.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(300 * ms):
			t.Errorf("ahead %d: Close hangs; the source was closed: %v", ahead, src.closed.Load())
		}
		close(o.release)
		<-closed
	}
}

// closingObserver closes the body when the record ends, or at the first chunk.
type closingObserver struct {
	body  io.Closer
	atEnd bool
}

func (b *closingObserver) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, b
}

func (b *closingObserver) Observe(tpot.Arrival) {
	if !b.atEnd {
		_ = b.body.Close()
	}
}

func (b *closingObserver) End(tpot.Stats) {
	if b.atEnd {
		_ = b.body.Close()
	}
}

func TestAnObserverMayCloseTheBody(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		for _, ahead := range []int{0, 1 << 10} {
			o := &closingObserver{atEnd: atEnd}
			ready := make(chan struct{})
			src := readFunc(func(p []byte) (int, error) { <-ready; return copy(p, twoChunks), io.EOF })
			client := &http.Client{Transport: &stream.Transport{ReadAhead: ahead, Tracker: tracking(t, o),
				Base: answering(func(*http.Request) (*http.Response, error) { return respond("text/event-stream", src), nil })}}
			body := ask(t.Context(), t, client, "http://llm.test").Body
			o.body = body
			close(ready)
			done := make(chan struct{})
			go func() { _, _ = io.ReadAll(body); close(done) }()
			select {
			case <-done:
			case <-time.After(300 * ms):
				t.Errorf("atEnd %v, ahead %d: deadlock", atEnd, ahead)
			}
		}
	}
}
