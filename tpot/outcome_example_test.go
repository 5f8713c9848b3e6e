package tpot_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// The same chunk, and five ways for its stream to end.
func ExampleOutcome() {
	for _, last := range []error{nil, io.ErrUnexpectedEOF, context.DeadlineExceeded, tpot.Break, fmt.Errorf("502")} {
		rec := tpot.Start(context.Background())
		rec.ObserveAt(time.Second, tpot.Event{Kind: tpot.KindText | tpot.KindMarked}) // marked: an end marker is to come
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

// Whoever writes an adapter says with a Stop that the consumer left.
func ExampleStop() {
	s := tpot.Start(context.Background()).EndAt(time.Second, tpot.EarlyClose)
	fmt.Println(s.Outcome, s.Cause, s.Err)
	// Output: canceled early close <nil>
}
