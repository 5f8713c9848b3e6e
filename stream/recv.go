package stream

import (
	"io"

	"github.com/tokentiming/tokentiming/tpot"
)

// Receiver is a stream whose Recv gives the next value or an error, at the end io.EOF.
type Receiver[T any] interface {
	Recv() (T, error)
}

// RecvStream is a timed [Receiver]. It is as safe for concurrent use as the stream it wraps: Close may be called while
// Recv waits if that one allows it.
type RecvStream[T any] struct {
	src Receiver[T]
	tap tap[T]
}

// Recv times a stream of Recv. An error other than io.EOF does not end the recording, since some streams go on after
// one: it decides the outcome when no value follows it and the stream is closed, ends or is dropped. A nil stream
// panics; a nil classifier means [Auto]; with a nil Recorder nothing is timed.
func Recv[T any](rec *tpot.Recorder, s Receiver[T], classify func(T) tpot.Event) *RecvStream[T] {
	mustNotBeNil("Recv of a nil stream", s)
	r := &RecvStream[T]{src: s}
	attach(r, &r.tap, rec, classify)
	return r
}

// Recv waits for the next value.
func (r *RecvStream[T]) Recv() (T, error) {
	r.tap.wait()
	v, err := r.src.Recv()
	switch {
	case err == nil:
		r.tap.take(v)
	case err == io.EOF:
		r.tap.end(nil)
	default:
		r.tap.fail(err)
	}
	return v, err
}

// Close closes the stream if it has a Close, with or without a result. Before a finish reason, an end
// marker or the stream's end it is an early close.
func (r *RecvStream[T]) Close() error {
	r.tap.end(tpot.EarlyClose)
	switch s := r.src.(type) {
	case interface{ Close() error }:
		return s.Close()
	case interface{ Close() }:
		s.Close()
	}
	return nil
}

// Stats is the figures so far; after the end or Close the final ones.
func (r *RecvStream[T]) Stats() tpot.Stats { return r.tap.rec.Stats() }
