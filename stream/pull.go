package stream

import (
	"github.com/tokentiming/tokentiming/tpot"
)

// Puller is a stream that is asked for its next value and then for the value.
type Puller[T any] interface {
	Next() bool
	Current() T
	Err() error
	Close() error
}

// PullStream is a timed [Puller]. It is as safe for concurrent use as the stream it wraps.
type PullStream[T any] struct {
	src Puller[T]
	tap tap[T]
}

// Pull times a stream of Next and Current. It reads each value once more than its consumer does, by one call of Current
// after each Next that found one. A nil stream panics; a nil classifier means [Auto]; with a nil Recorder nothing is timed.
func Pull[T any](rec *tpot.Recorder, s Puller[T], classify func(T) tpot.Event) *PullStream[T] {
	mustNotBeNil("Pull of a nil stream", s)
	p := &PullStream[T]{src: s}
	attach(p, &p.tap, rec, classify)
	return p
}

// Next waits for the next value and reports whether there is one.
func (p *PullStream[T]) Next() bool {
	p.tap.wait()
	if !p.src.Next() {
		p.tap.end(p.lastWord())
		return false
	}
	if p.tap.timed {
		p.observe()
	}
	return true
}

// observe records the value that Next has just found. A Current that panics here costs the event's figures; when the
// caller calls it, the panic is the caller's.
func (p *PullStream[T]) observe() {
	at := p.tap.rec.Elapsed()
	defer p.tap.survive(at)
	p.tap.record(at, p.src.Current())
}

// lastWord is the error with which the stream ended, asked for here since the caller may never ask.
func (p *PullStream[T]) lastWord() (err error) {
	defer func() {
		if recover() != nil {
			p.tap.rec.Fault()
		}
	}()
	return p.src.Err()
}

// Current is the value that Next found.
func (p *PullStream[T]) Current() T { return p.src.Current() }

// Err is the stream's error, if it ended with one.
func (p *PullStream[T]) Err() error { return p.src.Err() }

// Close closes the stream. Before a finish reason, an end marker or the stream's end it is an early close.
func (p *PullStream[T]) Close() error {
	p.tap.end(tpot.EarlyClose)
	return p.src.Close()
}

// Stats is the figures so far; after the end or Close the final ones.
func (p *PullStream[T]) Stats() tpot.Stats { return p.tap.rec.Stats() }
