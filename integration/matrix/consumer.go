package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// Consumer reads one answer and notes what it saw and when. Its methods read the shapes of streams; where none fits, Take and
// Fail are what they are made of. Offsets count from the start.
type Consumer[T any] struct {
	kind    func(T) llmtest.Kind
	goesOn  func(error) bool // after an error
	start   time.Time
	pause   time.Duration // after each value
	leaveAt time.Duration // it wants no more than the first value from then on; zero: it wants all

	Left  bool  // before the end
	Close error // what closing returned

	opened time.Duration // when it began to read
	ready  time.Duration // when it could take the next value
	took   []taken
	errs   []error
	last   error         // the latest, if no value came after it
	told   time.Duration // when it got the latest value or error
	ended  time.Duration // when it heard of the end, or left
	left   tpot.Stop     // how it leaves
	after  []string      // what it read after the end
}

// taken is one value that was taken.
type taken struct {
	asked time.Duration // when the consumer was ready for it
	got   time.Duration
	kind  llmtest.Kind
	value string // its type and JSON
}

// begin notes that the consumer begins to read a stream that it has got, and how it leaves such a one.
func (c *Consumer[T]) begin(left tpot.Stop) {
	c.opened = time.Since(c.start)
	c.ready, c.left = c.opened, left
}

// Take takes a value and reports whether the consumer wants more.
func (c *Consumer[T]) Take(v T) bool {
	now := time.Since(c.start)
	c.last = nil
	c.took = append(c.took, taken{asked: c.ready, got: now, kind: c.kind(v), value: encoded(v)})
	c.Left = c.leaveAt > 0 && now >= c.leaveAt
	if !c.Left {
		time.Sleep(c.pause)
	}
	c.told, c.ready = now, time.Since(c.start)
	return !c.Left
}

// Fail takes an error, nil being none.
func (c *Consumer[T]) Fail(err error) {
	if err != nil {
		c.errs, c.last = append(c.errs, err), err
		c.told = time.Since(c.start)
	}
}

// lastError is the error that no value came after, nil without one: what a callback of the consumer's own gave its caller is
// none.
func (c *Consumer[T]) lastError() error {
	if errors.Is(c.last, errEnough) {
		return nil
	}
	return c.last
}

// troubled is whether an error made the consumer stop.
func (c *Consumer[T]) troubled() bool {
	err := c.lastError()
	return err != nil && (c.goesOn == nil || !c.goesOn(err))
}

// end notes that the stream has ended, or that the consumer leaves it.
func (c *Consumer[T]) end() { c.ended = time.Since(c.start) }

// Pull reads a stream to its end, closes it and asks once more.
func (c *Consumer[T]) Pull(s stream.Puller[T]) {
	c.begin(tpot.EarlyClose)
	for s.Next() && c.Take(s.Current()) {
	}
	c.end()
	c.Fail(s.Err())
	c.Close = s.Close()
	c.after = append(describe(s.Err()), fmt.Sprint(s.Next()))
}

// Recv reads a stream to its end, or its first error, asks once more after its end, and closes it.
func (c *Consumer[T]) Recv(s stream.Receiver[T]) {
	c.begin(tpot.EarlyClose)
	v, err := s.Recv()
	for err == nil && c.Take(v) || err != nil && err != io.EOF && c.goOn(err) {
		v, err = s.Recv()
	}
	c.end()
	if err == io.EOF {
		_, err = s.Recv()
		c.after = describe(err)
	}
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
			c.end()
			c.Fail(fmt.Errorf("panic: %v", p))
		}
	}()
	c.begin(tpot.Break)
	for v, err := range values {
		if c.Fail(err); err != nil || !c.Take(v) {
			break
		}
	}
	c.end()
}

// Seq ranges over values, some of which carry an error.
func (c *Consumer[T]) Seq(values iter.Seq[T], carried func(T) error) {
	c.begin(tpot.Break)
	for v := range values {
		more := c.Take(v)
		if c.Fail(carried(v)); !more {
			break
		}
	}
	c.end()
}

// Chan reads a channel to its end.
func (c *Consumer[T]) Chan(values <-chan T) {
	c.begin(tpot.Break)
	for v := range values {
		if !c.Take(v) {
			break
		}
	}
	c.end()
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

// returned takes the error of the call that streams, or opens the stream.
func (c *Consumer[T]) returned(err error) {
	if c.left == "" {
		c.end()
	}
	c.Fail(err)
}

// describe is the types and texts of errors and of what they wrap.
func describe(errs ...error) (texts []string) {
	for _, err := range errs {
		var chain strings.Builder
		for e := err; e != nil; e = errors.Unwrap(e) {
			fmt.Fprintf(&chain, "%T: %v\n", e, e)
		}
		texts = append(texts, chain.String())
	}
	return texts
}

// encoded is a value to be compared with another run's.
func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%T %v", v, err)
	}
	return fmt.Sprintf("%T %s", v, data)
}
