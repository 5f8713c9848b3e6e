package stream

import (
	"sync"

	"github.com/tokentiming/tokentiming/tpot"
)

// Call times a call that hands each value of its stream to a callback. It calls call with the callback to pass on, which calls fn:
//
//	err := stream.Call(rec, func(emit func(api.ChatResponse) error) error {
//		return client.Chat(ctx, req, emit)
//	}, show, nil)
//
// The result is call's own. When fn returns an error, and call then returns, the consumer has left the stream. The
// callback may be called from any goroutine; after call has returned it only calls fn. A nil call or fn panics; a nil classifier
// means [Auto]; with a nil Recorder nothing is timed.
func Call[T any](rec *tpot.Recorder, call func(emit func(T) error) error, fn func(T) error, classify func(T) tpot.Event) error {
	mustNotBeNil("Call of a nil call", call)
	mustNotBeNil("Call with a nil callback", fn)
	c := &callback[T]{fn: fn}
	c.tap.claim(rec, classify)
	return c.run(call)
}

// callback is one timed call. The lock guards the tap and what follows it, and is not held while fn runs.
type callback[T any] struct {
	fn   func(T) error
	mu   sync.Mutex
	tap  tap[T]
	last error // how the call ends if it does not return
	left bool  // fn's last answer was an error
	over bool  // the call has returned, or panicked
}

func (c *callback[T]) run(call func(emit func(T) error) error) error {
	defer c.end()
	c.await(false)
	err := call(c.emit)
	c.returned(err)
	return err
}

func (c *callback[T]) emit(v T) error {
	c.arrived(v)
	err := c.fn(v)
	c.await(err != nil)
	return err
}

// await begins the wait for the next value, unless fn's answer was an error.
func (c *callback[T]) await(left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.left = left
	c.last = errSourcePanic
	c.tap.wait()
}

func (c *callback[T]) arrived(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.tap.take(v)
	c.last = tpot.Panic
}

// returned takes the call's result, unless fn had said that it wants no more: then the consumer has left, whatever the
// call makes of it. An emit that is still running elsewhere no longer matters.
func (c *callback[T]) returned(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.last = err
	if c.left {
		c.last = tpot.Break
	}
}

func (c *callback[T]) end() {
	c.mu.Lock()
	c.over = true
	last := c.last
	c.mu.Unlock()
	c.tap.end(last)
}
