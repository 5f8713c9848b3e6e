package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Two chunks: how many tokens are they? The provider knows best, then whoever counted them; without either it is a
// guess.
func ExampleTokenSource() {
	for _, last := range []tpot.Event{
		{Kind: tpot.KindText},
		{Kind: tpot.KindText, Tokens: 4},
		{Kind: tpot.KindText | tpot.KindUsage, Tokens: 4, Usage: tpot.Usage{Output: 6}},
	} {
		rec := tpot.Start(context.Background())
		rec.ObserveAt(100*time.Millisecond, tpot.Event{Kind: tpot.KindText, Tokens: 1})
		rec.ObserveAt(160*time.Millisecond, last)
		s := rec.EndAt(160*time.Millisecond, nil)
		fmt.Println(s.Tokens, s.Source)
	}
	// Output:
	// 2 chunks
	// 5 counted
	// 6 reported
}
