package stream

import (
	"iter"

	"github.com/tokentiming/tokentiming/tpot"
)

// Chan times a channel of values with, unless errs is nil, a channel of errors beside it, and iterates over both. A value that
// is ready goes before an error that is. The loop ends when ch is closed; then errs is heard once more: an unbuffered one
// until it is closed or gives an error, since its sender may still be on its way, a buffered one for what it holds. Nil
// errors are skipped.
//
// Leaving the loop leaves the channels as they are; stopping their sender is the caller's, as without Chan. Of the rest,
// what is said of [Seq2] holds.
func Chan[T any](rec *tpot.Recorder, ch <-chan T, errs <-chan error, classify func(T) tpot.Event) iter.Seq2[T, error] {
	mustNotBeNil("Chan of a nil channel", ch)
	return Seq2(rec, channels[T]{ch, errs}.all, classify)
}

type channels[T any] struct {
	values <-chan T
	errs   <-chan error
}

func (c channels[T]) all(yield func(T, error) bool) {
	for {
		v, err, ok := c.next()
		if !ok {
			c.rest(yield)
			return
		}
		if !yield(v, err) {
			return
		}
	}
}

// next is the next value or error; ok is false when the values have ended.
func (c *channels[T]) next() (v T, err error, ok bool) {
	select {
	case v, ok = <-c.values:
		return v, nil, ok
	default:
	}
	for {
		select {
		case v, ok = <-c.values:
			return v, nil, ok
		case err, ok = <-c.errs:
			if !ok {
				c.errs = nil // a nil channel is never ready
			} else if err != nil {
				return v, err, true
			}
		}
	}
}

// rest yields the errors that are there or still to come once the values have ended.
func (c *channels[T]) rest(yield func(T, error) bool) {
	var none T
	for c.errs != nil {
		err, ok := c.lastError()
		if !ok {
			return
		}
		if err != nil && !yield(none, err) {
			return
		}
	}
}

// lastError is the next error after the end of the values. An unbuffered channel gives one, then no more.
func (c *channels[T]) lastError() (err error, ok bool) {
	if cap(c.errs) == 0 {
		err, ok = <-c.errs
		c.errs = nil
		return err, ok
	}
	select {
	case err, ok = <-c.errs:
		return err, ok
	default:
		return nil, false
	}
}
