package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
)

// Consumer reads one answer and notes what it saw and when. Its methods read the shapes of streams; where none fits, Take, Fail
// and End are what they are made of.
type Consumer[T any] struct {
	kind    func(T) llmtest.Kind
	goesOn  func(error) bool // after an error
	start   time.Time
	pause   time.Duration // after each value
	leaveAt time.Duration // it wants no more than the first value from then on; zero: it wants all

	Took  []Taken
	Errs  []error
	Heard time.Duration // when it got the latest value or error
	Close error         // what closing returned
	Left  bool          // before the end
	Ended time.Duration // when it heard of the end, or left
}

// Taken is one value that was taken. Offsets count from the start.
type Taken struct {
	Asked time.Duration // when the consumer was ready for it
	Got   time.Duration
	Kind  llmtest.Kind
	Value string // its type and JSON
}

// Take takes a value and reports whether the consumer wants more.
func (c *Consumer[T]) Take(v T) bool {
	now := time.Since(c.start)
	c.Heard = now
	c.Took = append(c.Took, Taken{Asked: c.asked(), Got: now, Kind: c.kind(v), Value: print(v)})
	c.Left = c.leaveAt > 0 && now >= c.leaveAt
	if !c.Left {
		time.Sleep(c.pause)
	}
	return !c.Left
}

// asked is when the consumer was ready for the next value.
func (c *Consumer[T]) asked() time.Duration {
	if len(c.Took) == 0 {
		return 0
	}
	return c.Took[len(c.Took)-1].Got + c.pause
}

// Fail takes an error, nil being none.
func (c *Consumer[T]) Fail(err error) {
	if err != nil {
		c.Errs = append(c.Errs, err)
		c.Heard = time.Since(c.start)
	}
}

// troubles is the errors, without what a callback of the consumer's own gave its caller, and those after which it read on.
func (c *Consumer[T]) troubles() (errs []error) {
	for _, err := range c.Errs {
		if !errors.Is(err, errEnough) && (c.goesOn == nil || !c.goesOn(err)) {
			errs = append(errs, err)
		}
	}
	return errs
}

// End notes that the stream has ended, or that the consumer leaves it.
func (c *Consumer[T]) End() { c.Ended = time.Since(c.start) }

// Pull reads a stream to its end and closes it.
func (c *Consumer[T]) Pull(s stream.Puller[T]) {
	for s.Next() && c.Take(s.Current()) {
	}
	c.End()
	c.Fail(s.Err())
	c.Close = s.Close()
}

// Recv reads a stream to its end, or its first error, and closes it.
func (c *Consumer[T]) Recv(s stream.Receiver[T]) {
	for {
		v, err := s.Recv()
		if err == nil && c.Take(v) || err != nil && err != io.EOF && c.goOn(err) {
			continue
		}
		break
	}
	c.End()
	switch s := s.(type) {
	case interface{ Close() error }:
		c.Close = s.Close()
	case interface{ Close() }:
		s.Close()
	}
}

// RecvOn is Recv for a stream that may go on after an error.
func (c *Consumer[T]) RecvOn(s stream.Receiver[T], goesOn func(error) bool) {
	c.goesOn = goesOn
	c.Recv(s)
}

func (c *Consumer[T]) goOn(err error) bool {
	c.Fail(err)
	return c.goesOn != nil && c.goesOn(err)
}

// Seq2 ranges over values and errors, to the first error. That the iterator panics, as one does that calls the loop once more
// after a break, is an error too.
func (c *Consumer[T]) Seq2(values iter.Seq2[T, error]) {
	defer func() {
		if p := recover(); p != nil {
			c.Returned(fmt.Errorf("panic: %v", p))
		}
	}()
	for v, err := range values {
		if c.Fail(err); err != nil || !c.Take(v) {
			break
		}
	}
	c.End()
}

// errEnough is what a callback returns that wants no more.
var errEnough = errors.New("enough")

// Show is the callback that takes a value.
func (c *Consumer[T]) Show(v T) error {
	if c.Take(v) {
		return nil
	}
	return errEnough
}

// Returned takes the result of the call that had the callback.
func (c *Consumer[T]) Returned(err error) {
	c.End()
	c.Fail(err)
}

// print is a value to be compared with another run's.
func print(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%T %v", v, err)
	}
	return fmt.Sprintf("%T %s", v, data)
}

// Chan reads a channel to its end.
func (c *Consumer[T]) Chan(values <-chan T) {
	for v := range values {
		if !c.Take(v) {
			break
		}
	}
	c.End()
}
