package stream

import (
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"github.com/tokentiming/tokentiming/tpot"
)

// loop is one timed range over an iterator.
type loop[T any] struct {
	tap     tap[T]
	entered atomic.Bool
	last    error // how the loop ends if it is left now
}

// enter reports whether this is the first range, which alone is timed.
func (l *loop[T]) enter() bool {
	if l.entered.Swap(true) {
		return false
	}
	l.awaitNext()
	return true
}

var errSourcePanic = errors.New("stream: the source panicked")

// awaitNext begins the wait for the next value. If nothing follows, not even the end, then the source panicked.
func (l *loop[T]) awaitNext() {
	l.last = errSourcePanic
	l.tap.wait()
}

// handOver says that the loop's body runs now. If it does not return, it panicked.
func (l *loop[T]) handOver() { l.last = tpot.Panic }

// goOn takes the body's answer, whether it wants more.
func (l *loop[T]) goOn(more bool) bool {
	if more {
		l.awaitNext()
	} else {
		l.tap.end(tpot.Break)
	}
	return more
}

// leave ends the recording of a loop that something other than a break has left.
func (l *loop[T]) leave() { l.tap.end(l.last) }

type seq2[T any] struct {
	loop[T]
	seq iter.Seq2[T, error]
}

// Seq2 times an iterator over values and errors. Only the first range over the result is timed; another passes through, as far
// as the iterator allows one. An error does not end the recording, since some streams go on after one: it decides the outcome
// when no value follows it. A nil iterator panics; a nil classifier means [Auto]; with a nil Recorder nothing is timed.
func Seq2[T any](rec *tpot.Recorder, seq iter.Seq2[T, error], classify func(T) tpot.Event) iter.Seq2[T, error] {
	mustNotBeNil("Seq2 of a nil iterator", seq)
	s := &seq2[T]{seq: seq}
	attach(s, &s.tap, rec, classify)
	return s.all
}

func (s *seq2[T]) all(yield func(T, error) bool) {
	if !s.enter() {
		s.seq(yield)
		return
	}
	defer s.leave()
	s.seq(func(v T, err error) bool {
		switch err {
		case nil:
			s.tap.take(v)
		case io.EOF: // the end, as some streams say it
			s.tap.end(nil)
		default:
			s.tap.fail(err)
		}
		s.handOver()
		return s.goOn(yield(v, err))
	})
	s.last = nil
}

type seq[T any] struct {
	loop[T]
	seq iter.Seq[T]
}

// Seq times an iterator over values. Where the values carry errors, the classifier tells them by [tpot.KindError]. Only the
// first range over the result is timed; another passes through, as far as the iterator allows one. A nil iterator panics; a
// nil classifier means [Auto]; with a nil Recorder nothing is timed.
func Seq[T any](rec *tpot.Recorder, values iter.Seq[T], classify func(T) tpot.Event) iter.Seq[T] {
	mustNotBeNil("Seq of a nil iterator", values)
	s := &seq[T]{seq: values}
	attach(s, &s.tap, rec, classify)
	return s.all
}

func (s *seq[T]) all(yield func(T) bool) {
	if !s.enter() {
		s.seq(yield)
		return
	}
	defer s.leave()
	s.seq(func(v T) bool {
		s.tap.take(v)
		s.handOver()
		return s.goOn(yield(v))
	})
	s.last = nil
}
