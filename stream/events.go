package stream

import (
	"iter"

	"github.com/tokentiming/tokentiming/tpot"
)

// EventSource is a stream with a channel of values, closed at the end, and the error it ended with.
type EventSource[T any] interface {
	Events() <-chan T
	Err() error
}

// Events times an event source and iterates over it; a last error comes after the last value. Leaving the loop does not
// close the source: close it yourself, as without Events. Of the rest, what is said of [Seq2] holds.
func Events[T any](rec *tpot.Recorder, s EventSource[T], classify func(T) tpot.Event) iter.Seq2[T, error] {
	mustNotBeNil("Events of a nil source", s)
	return Seq2(rec, func(yield func(T, error) bool) {
		for v := range s.Events() {
			if !yield(v, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			var none T
			yield(none, err)
		}
	}, classify)
}
