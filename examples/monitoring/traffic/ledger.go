package traffic

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Ledger is what a simulation did, counted by itself: nothing in it comes from the timing, so that it can be held against what that
// says. Times are exact in a bubble of testing/synctest.
type Ledger struct {
	Started int           // requests
	Ended   map[Class]Sum // those of them that have ended
}

// Class is what the requests of a Sum have in common.
type Class struct {
	Scenario, Model string // the model that was asked for
	Outcome         tpot.Outcome
}

// Sum is what some requests came to.
type Sum struct {
	Requests     int
	WithoutToken int           // requests that ended before a first token
	Chunks       int           // events with output
	Tokens       int           // in those chunks, told or not
	Usage        tpot.Usage    // as the provider reported it
	FirstTokens  time.Duration // from the starts of the requests to their first chunks
	Gaps         time.Duration // between their chunks
	Freezes      int           // waits of half a second and more for a next chunk, whether it came or not
}

// Of is the sum over the classes that are wanted.
func (l Ledger) Of(wanted func(Class) bool) Sum {
	var sum Sum
	for class, part := range l.Ended {
		if wanted(class) {
			sum.add(part)
		}
	}
	return sum
}

func (l *Ledger) enter(class Class, one Sum) {
	sum := l.Ended[class]
	sum.add(one)
	l.Ended[class] = sum
}

func (s *Sum) add(more Sum) {
	s.Requests += more.Requests
	s.WithoutToken += more.WithoutToken
	s.Chunks += more.Chunks
	s.Tokens += more.Tokens
	s.Usage.Input += more.Usage.Input
	s.Usage.Output += more.Usage.Output
	s.Usage.Reasoning += more.Usage.Reasoning
	s.Usage.Cached += more.Usage.Cached
	s.FirstTokens += more.FirstTokens
	s.Gaps += more.Gaps
	s.Freezes += more.Freezes
}

// notes are taken of one request while it goes.
type notes struct {
	began  time.Time
	latest time.Time // chunk
	failed bool      // by an error in the stream

	sum     Sum
	outcome tpot.Outcome // at the end
}

func newNotes() notes { return notes{began: time.Now(), sum: Sum{Requests: 1}} }

// freeze is the wait that is a Freeze.
const freeze = 500 * time.Millisecond

// got notes an event.
func (n *notes) got(c chunk) {
	n.failed = n.failed || c.Type == "error"
	if c.Type == "usage" {
		n.sum.Usage = c.Usage
	}
	if c.size > 0 {
		n.output(time.Now(), c.size)
	}
}

func (n *notes) output(now time.Time, tokens int) {
	if n.sum.Chunks == 0 {
		n.sum.FirstTokens = now.Sub(n.began)
	} else {
		n.sum.Gaps += now.Sub(n.latest)
		n.waited(now)
	}
	n.latest = now
	n.sum.Chunks++
	n.sum.Tokens += tokens
}

// waited notes a wait for a next chunk.
func (n *notes) waited(until time.Time) {
	if until.Sub(n.latest) >= freeze {
		n.sum.Freezes++
	}
}

// ended notes the end, by an error that ended the stream or by one in it.
func (n *notes) ended(err error) notes {
	if n.sum.Chunks == 0 {
		n.sum.WithoutToken = 1
	} else {
		n.waited(time.Now())
	}
	switch {
	case n.failed:
		n.outcome = tpot.OutcomeFailed
	case err == io.EOF:
		n.outcome = tpot.OutcomeOK
	case errors.Is(err, context.Canceled):
		n.outcome = tpot.OutcomeCanceled
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		n.outcome = tpot.OutcomeTimeout
	case err == io.ErrUnexpectedEOF:
		n.outcome = tpot.OutcomeTruncated
	default:
		n.outcome = tpot.OutcomeFailed
	}
	return *n
}
