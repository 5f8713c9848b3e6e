package convention_test

import (
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// An event counts when one of the conditions holds of what it carries: here one with text, or with a finish reason.
func ExampleEvents() {
	c := convention.Convention{Chunks: convention.Events{{Any: tpot.KindText}, {Any: tpot.KindFinish}}}
	fmt.Println(c.Figures(recorded(1)).TTFT.Value)
	// Output: 230ms
}

// The first event with choices that is neither a role nor reasoning, as a tool that skips these would take it.
func ExampleMatch() {
	c := convention.Convention{Chunks: convention.Events{{With: tpot.KindChoices, Without: tpot.KindRole | tpot.KindReasoning}}}
	fmt.Println(c.Figures(recorded(1)).TTFT.Value)
	// Output: 230ms
}

// E2E can end with an event, or with the body.
func ExampleEnd() {
	c := convention.Tokentiming
	c.End = convention.End{At: convention.Events{{Any: tpot.KindFinish}}}
	fmt.Println(c.Figures(recorded(1)).E2E.Value)
	c.End = convention.End{Body: true}
	fmt.Println(c.Figures(recorded(1)).E2E.Value)
	// Output:
	// 280ms
	// 300ms
}

// A tool that does not survive reasoning has no figures of an answer with some.
func ExampleBreak() {
	c := convention.Tokentiming
	c.Breaks = []convention.Break{{At: convention.Events{{Any: tpot.KindReasoning}}, Why: "reasoning makes the tool lose the request"}}
	fmt.Println(c.Figures(recorded(1)).TTFT.Undefined)
	// Output: reasoning makes the tool lose the request
}

// The first source that is known counts.
func ExampleSource() {
	c := convention.Tokentiming
	for _, sources := range [][]convention.Source{
		{convention.SourceUsage, convention.SourceChunks}, {convention.SourceChunks, convention.SourceUsage}, {convention.SourceEvents},
	} {
		c.N = sources
		f := c.Figures(recorded(1))
		fmt.Println(f.N, f.Source)
	}
	// Output:
	// 4 usage
	// 3 chunks
	// 6 events
}

// The time per token is a window over a divisor.
func ExamplePerToken() {
	c := convention.Tokentiming
	c.TPOT = convention.PerToken{Of: convention.WindowFirstToEnd, Over: convention.OverAll}
	fmt.Println(c.Figures(recorded(1)).TPOT.Value)
	// Output: 25ms
}

func ExampleWindow() {
	c := convention.Tokentiming
	for _, window := range []convention.Window{
		convention.WindowFirstToLast, convention.WindowFirstToEnd, convention.WindowStartToLast, convention.WindowStartToEnd,
	} {
		c.TPOT.Of = window
		fmt.Print(3*c.Figures(recorded(1)).TPOT.Value.Round(time.Microsecond), " ") // N-1 is 3
	}
	// Output: 60ms 99.999ms 260.001ms 300ms
}

func ExampleDivisor() {
	c := convention.Tokentiming
	for _, divisor := range []convention.Divisor{convention.OverAfterFirst, convention.OverAll} {
		c.TPOT.Over = divisor
		fmt.Println(c.Figures(recorded(1)).TPOT.Value)
	}
	// Output:
	// 20ms
	// 15ms
}

// The last chunk has two tokens.
func ExampleGaps() {
	c := convention.Tokentiming
	for _, rule := range []convention.Gaps{convention.GapWhole, convention.GapDivided, convention.GapSpread, convention.GapThenZeros} {
		c.Gaps = rule
		fmt.Println(c.Figures(recorded(1)).Gaps)
	}
	// Output:
	// [30ms 30ms]
	// [30ms 15ms]
	// [30ms 15ms 15ms]
	// [30ms 30ms 0s]
}
