package convention_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// recorded is the trace of an answer as an OpenAI-shaped server may stream it, a number of times as slow. In an application it comes from
// Recorder.Trace, or from tpot.ReadTraces.
func recorded(slow time.Duration) tpot.Trace {
	_, rec := (&tpot.Tracker{TraceEvents: 1000}).Start(context.Background(), tpot.Request{Model: "acme-large"})
	rec.ObserveAt(20*time.Millisecond*slow, tpot.Event{Kind: tpot.KindRole | tpot.KindChoices})
	rec.ObserveAt(200*time.Millisecond*slow, tpot.Event{Kind: tpot.KindReasoning | tpot.KindChoices, Tokens: 1})
	rec.ObserveAt(230*time.Millisecond*slow, tpot.Event{Kind: tpot.KindText | tpot.KindChoices, Tokens: 1})
	rec.ObserveAt(260*time.Millisecond*slow, tpot.Event{Kind: tpot.KindText | tpot.KindChoices, Tokens: 2})
	rec.ObserveAt(280*time.Millisecond*slow, tpot.Event{Kind: tpot.KindFinish | tpot.KindChoices, FinishReason: "stop"})
	rec.ObserveAt(290*time.Millisecond*slow, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 4, Reasoning: 1}})
	rec.ObserveAt(291*time.Millisecond*slow, tpot.Event{Kind: tpot.KindDone})
	rec.EndAt(300*time.Millisecond*slow, nil)
	trace := rec.Trace()
	trace.Start = time.Time{}.Add(time.Hour * slow)
	return trace
}

// A convention of your own is a copy of one that is there, with a field changed: here ours, which is to see text alone.
func ExampleConvention() {
	mine := convention.Tokentiming
	mine.Name = "text-only"
	mine.Chunks = convention.Events{{Any: tpot.KindText}}

	trace := recorded(1)
	fmt.Println(convention.Tokentiming.Figures(trace).TTFT.Value, mine.Figures(trace).TTFT.Value)
	fmt.Println(mine.Explain(trace, convention.Tokentiming))
	// Output:
	// 200ms 230ms
	// [does not see the reasoning]
}

// Each figure stands under the tool's own name for it. What the tool does not define is undefined, with a reason.
func ExampleFigures() {
	f := convention.VLLMBench.Figures(recorded(1))
	fmt.Println("TTFT", f.TTFT.Value)
	fmt.Println("TPOT", f.TPOT.Value.Round(10*time.Microsecond), "of", f.N, "tokens, by", f.Source)
	fmt.Println("gaps", f.Gaps)
	fmt.Println("TTFO:", f.TTFO.Undefined)
	// Output:
	// TTFT 20ms
	// TPOT 86.67ms of 4 tokens, by lone usage
	// gaps [180ms 30ms 30ms 20ms]
	// TTFO: the tool reports no figure under this name
}

func ExampleFigure() {
	for _, c := range []convention.Convention{convention.Tokentiming, convention.LLMPerf} {
		if ttft := c.Figures(recorded(1)).TTFT; ttft.Undefined != "" {
			fmt.Printf("%s: none, since %s\n", c.Name, ttft.Undefined)
		} else {
			fmt.Printf("%s: %v\n", c.Name, ttft.Value)
		}
	}
	// Output:
	// tokentiming: 200ms
	// llmperf: none, since an event without choices makes the tool lose the request
}

// Two tools given the same bytes.
func ExampleCompare() {
	traces := []tpot.Trace{recorded(1)}
	fmt.Print(convention.Compare(traces, convention.Tokentiming, convention.VLLMBench, convention.GuideLLM))
	// Output:
	// ms             TTFT   TPOT    ITL     E2E  N
	// tokentiming  200.00  20.00  20.00  300.00  4
	// vllm-bench    20.00  86.67  65.00  280.00  4
	// guidellm     200.00  65.00  20.00  291.00  4
	//
	// What differs from tokentiming:
	// vllm-bench   counts the role-only event as first
	//              ends the time per token with the finish reason
	//              counts the gaps before events without output, too
	//              takes a chunk for one gap, however many tokens it has
	//              ends E2E with the finish reason
	// guidellm     has the wait for the first token in its time per token
	//              divides by N, not by N-1
	//              ends E2E with the end marker
}

// Of several requests it has the statistics.
func ExampleComparison() {
	traces := []tpot.Trace{recorded(1), recorded(2)}
	fmt.Print(convention.Compare(traces, convention.Tokentiming, convention.MLPerf).Markdown())
	// Output:
	// | ms | requests | TTFT p50 | TTFT p99 | TPOT mean | TPOT p99 | ITL mean | ITL p99 | what differs from tokentiming |
	// |---|---:|---:|---:|---:|---:|---:|---:|---|
	// | tokentiming | 2 | 300.00 | 398.00 | 30.00 | 39.80 | 30.00 | 58.50 |  |
	// | mlperf | 2 | 400.00 | 400.00 | 30.00 | 40.00 | - | - | ends E2E with the last text; does not interpolate quantiles |
}

func ExampleRow() {
	for _, row := range convention.Compare([]tpot.Trace{recorded(1)}, convention.AIPerf, convention.LlamaCPP).Rows {
		fmt.Println(row.Convention.Tool)
		fmt.Printf("%d tokens, %q\n", row.Figures[0].N, row.Notes)
	}
	// Output:
	// AIPerf
	// 4 tokens, ["calls its time per token ITL" "ends E2E with the last text"]
	// llama.cpp's timings, Ollama's eval fields
	// 4 tokens, ["divides by N, not by N-1"]
}
