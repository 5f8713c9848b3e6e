package convention_test

import (
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// A run is summed up the way the tool does it.
func ExampleSummary() {
	run := []tpot.Trace{recorded(1), recorded(2), recorded(3)}
	s := convention.VLLMBench.Summarize(run, tpot.SLO{TTFT: 50 * time.Millisecond})
	fmt.Println("TTFT", s.TTFT.Mean.Value, "median", s.TTFT.Median.Value, "p99", s.TTFT.P99.Value)
	fmt.Println(s.Good, "of", s.Counted, "are good")
	// Output:
	// TTFT 40ms median 40ms p99 59.6ms
	// 2 of 3 are good
}

// A statistic that the tool does not print is undefined.
func ExampleStatistics() {
	s := convention.InferencePerf.Summarize([]tpot.Trace{recorded(1), recorded(2)}, tpot.SLO{}).TTFT
	fmt.Println(s.Count, s.Mean.Value, s.Std.Undefined)
	// Output: 2 345ms the tool prints none
}

// Three requests of one convention, put together by the rules of others.
func ExampleRun() {
	run := []tpot.Trace{recorded(1), recorded(2), recorded(3)}
	c := convention.Tokentiming
	for _, rules := range []convention.Run{convention.Tokentiming.Run, convention.LLMPerf.Run, convention.MLPerf.Run} {
		c.Run = rules
		s := c.Summarize(run, tpot.SLO{})
		fmt.Printf("%v, %v %q\n", s.TTFT.P90.Value, s.TTFT.Std.Value.Round(time.Millisecond), s.TTFT.Std.Undefined)
	}
	// Output:
	// 560ms, 163ms ""
	// 560ms, 200ms ""
	// 600ms, 0s "the tool prints none"
}

// TTFTs of 200, 400, 600 and 800 ms.
func ExampleQuantile() {
	run := []tpot.Trace{recorded(1), recorded(2), recorded(3), recorded(4)}
	c := convention.Tokentiming
	for _, rule := range []convention.Quantile{
		convention.QuantileLinear, convention.QuantileInverseCDF, convention.QuantileLower, convention.QuantileFloor,
	} {
		c.Run.Quantile = rule
		s := c.Summarize(run, tpot.SLO{})
		fmt.Println(s.TTFT.Median.Value, s.TTFT.P90.Value)
	}
	// Output:
	// 500ms 740ms
	// 400ms 800ms
	// 400ms 600ms
	// 600ms 800ms
}

// TTFTs of 200 and 400 ms.
func ExampleStd() {
	c := convention.Tokentiming
	for _, kind := range []convention.Std{convention.StdPopulation, convention.StdSample} {
		c.Run.Std = kind
		fmt.Println(c.Summarize([]tpot.Trace{recorded(1), recorded(2)}, tpot.SLO{}).TTFT.Std.Value.Round(time.Microsecond))
	}
	// Output:
	// 100ms
	// 141.421ms
}

// An answer of one token has no time per token to hold against its limit.
func ExampleGoodput() {
	one := recorded(1)
	one.Events = append(one.Events[:2:2], one.Events[6]) // the role, one chunk, the end marker
	c := convention.Engine
	c.Run = convention.Tokentiming.Run
	for _, rule := range []convention.Goodput{convention.GoodputMissingFails, convention.GoodputMissingPasses, convention.GoodputMissingSpoils} {
		c.Run.Goodput = rule
		s := c.Summarize([]tpot.Trace{one}, tpot.SLO{TTFT: time.Second, TPOT: 50 * time.Millisecond})
		fmt.Printf("%d %q\n", s.Good, s.GoodUndefined)
	}
	// Output:
	// 0 ""
	// 1 ""
	// 0 "the tool pairs lists of figures by position, and a request lacks one"
}
