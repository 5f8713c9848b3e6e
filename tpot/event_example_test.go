package tpot_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// chunk is an event of a made-up SDK.
type chunk struct {
	Text, Thinking, StopReason string
	Tokens                     int
}

// A classifier says what an event carries. Nothing of the event itself is kept.
func ExampleEvent() {
	classify := func(c chunk) tpot.Event {
		e := tpot.Event{Kind: tpot.KindStatus | tpot.KindMarked, Tokens: c.Tokens, FinishReason: c.StopReason}
		if c.Text != "" {
			e.Kind |= tpot.KindText
		}
		if c.Thinking != "" {
			e.Kind |= tpot.KindReasoning
		}
		if c.StopReason != "" {
			e.Kind |= tpot.KindFinish
		}
		return e
	}
	fmt.Println(classify(chunk{Thinking: "Hm.", Tokens: 2}).Kind)
	fmt.Println(classify(chunk{Text: "Blue.", StopReason: "stop"}).Kind)
	fmt.Println(classify(chunk{}).Kind)
	// Output:
	// reasoning|status|marked
	// text|finish|status|marked
	// status|marked
}

// Usage is cumulative: the last one counts, nothing is added up. Output includes the reasoning, which this provider
// bills but does not stream: the pace is that of the five tokens that came.
func ExampleUsage() {
	const kind = tpot.KindText | tpot.KindUsage
	rec := tpot.Start(context.Background())
	rec.ObserveAt(1*time.Second, tpot.Event{Kind: kind, Usage: tpot.Usage{Input: 12, Output: 101, Reasoning: 100}})
	rec.ObserveAt(2*time.Second, tpot.Event{Kind: kind, Usage: tpot.Usage{Output: 105, Reasoning: 100}})
	s := rec.EndAt(2*time.Second, nil)
	perToken, _ := s.TPOT()
	fmt.Println(s.Usage.Output, "tokens,", s.Tokens, "of them streamed,", perToken, "each")
	// Output: 105 tokens, 5 of them streamed, 250ms each
}
