package tpot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// The same chunk, and five ways for its stream to end. KindMarked says that an end marker is to come.
func ExampleOutcome() {
	for _, last := range []error{nil, io.ErrUnexpectedEOF, context.DeadlineExceeded, tpot.Break, errors.New("502")} {
		rec := tpot.Start(context.Background())
		rec.ObserveAt(time.Second, tpot.Event{Kind: tpot.KindText | tpot.KindMarked})
		s := rec.EndAt(2*time.Second, last)
		fmt.Printf("%v (%s)\n", s.Outcome, s.Cause)
	}
	// Output:
	// truncated (no end marker)
	// truncated (connection cut)
	// timeout (context)
	// canceled (break)
	// failed (error from stream)
}

// Whoever writes an adapter says with a Stop that the consumer left. It is no error of the stream.
func ExampleStop() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(time.Second, tpot.Event{Kind: tpot.KindText})
	s := rec.EndAt(2*time.Second, tpot.EarlyClose)
	fmt.Printf("%v, %s, error %v\n", s.Outcome, s.Cause, s.Err)
	// Output: canceled, early close, error <nil>
}
