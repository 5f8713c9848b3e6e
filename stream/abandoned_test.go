package stream_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// drop makes a stream, uses some of it and lets it go. It is not inlined, so that nothing of it stays on the stack.
type drop func(rec *tpot.Recorder, src *source)

//go:noinline
func (d drop) run(rec *tpot.Recorder, src *source) { d(rec, src) }

func TestADroppedStreamIsReportedOnceTheCollectorFindsIt(t *testing.T) {
	for name, dropped := range map[string]struct {
		drop   drop
		events int
	}{
		"Pull": {func(rec *tpot.Recorder, src *source) {
			s := stream.Pull(rec, &puller{source: src}, classify)
			s.Next()
		}, 1},
		"Pull, never read": {func(rec *tpot.Recorder, src *source) { stream.Pull(rec, &puller{source: src}, classify) }, 0},
		"Recv": {func(rec *tpot.Recorder, src *source) {
			s := stream.Recv(rec, receiver{src}, classify)
			_, _ = s.Recv()
		}, 1},
		"Recv, never read": {func(rec *tpot.Recorder, src *source) { stream.Recv(rec, receiver{src}, classify) }, 0},
		"Seq, never read":  {func(rec *tpot.Recorder, src *source) { stream.Seq(rec, src.seq, classify) }, 0},
		"Seq2, never read": {func(rec *tpot.Recorder, src *source) { stream.Seq2(rec, src.seq2, classify) }, 0},
		"Chan, never read": {func(rec *tpot.Recorder, _ *source) { stream.Chan(rec, make(chan string), nil, classify) }, 0},
		"Events, never read": {func(rec *tpot.Recorder, src *source) {
			stream.Events(rec, &eventSource{source: src}, classify)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			log := &records{ended: make(chan tpot.Stats, 1)}
			_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
			dropped.drop.run(rec, newSource(t.Context(), "a", "b"))
			s := collect(t, log.ended)
			assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
			assert.Equal(t, "abandoned", s.Cause)
			assert.Equal(t, dropped.events, s.Events)
			_, ok := s.E2E()
			assert.False(t, ok, "when it ended is not known")
			assert.Equal(t, s, rec.Stats(), "the Recorder outlives the stream")
		})
	}
}

func TestADroppedStreamWithAPendingErrorHasFailed(t *testing.T) {
	log := &records{ended: make(chan tpot.Stats, 1)}
	_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
	drop(func(rec *tpot.Recorder, src *source) {
		s := stream.Recv(rec, receiver{src}, classify)
		_, _ = s.Recv()
		_, _ = s.Recv()
	}).run(rec, newSource(t.Context(), "a", errBoom))
	s := collect(t, log.ended)
	assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
	assert.Same(t, errBoom, s.Err)
}

// collect runs the collector until a record comes.
func collect(t *testing.T, ended <-chan tpot.Stats) tpot.Stats {
	for range 5000 { // two or three do
		runtime.GC()
		select {
		case s := <-ended:
			return s
		case <-time.After(time.Millisecond): // let the cleanup's goroutine run
		}
	}
	t.Fatal("no record")
	return tpot.Stats{}
}

func TestAStreamThatHasEndedIsNotReportedAgain(t *testing.T) {
	log := &records{}
	_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
	drop(func(rec *tpot.Recorder, src *source) {
		s := stream.Recv(rec, receiver{src}, classify)
		_ = s.Close()
	}).run(rec, newSource(t.Context(), "a"))

	// A second stream, dropped later, shows when the collector has been at work.
	later := &records{ended: make(chan tpot.Stats, 1)}
	_, second := later.tracker(t).Start(t.Context(), tpot.Request{})
	drop(func(rec *tpot.Recorder, src *source) { stream.Recv(rec, receiver{src}, classify) }).run(second, newSource(t.Context()))
	collect(t, later.ended)
	assert.Len(t, log.ends, 1)
}
