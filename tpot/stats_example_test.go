package tpot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// answer is the figures of an answer of 60 steady chunks with one freeze.
func answer() tpot.Stats {
	rec := tpot.Start(context.Background())
	at := 280 * time.Millisecond
	rec.BeginWaitAt(3 * time.Millisecond)
	for i := range 60 {
		at += 20 * time.Millisecond
		if i == 40 {
			at += 800 * time.Millisecond
		}
		rec.ObserveAt(at, tpot.Event{Kind: tpot.KindText | tpot.KindMarked, Model: "acme-large-0613"})
		rec.BeginWaitAt(at + time.Millisecond)
	}
	rec.ObserveAt(at+2*time.Millisecond, tpot.Event{Kind: tpot.KindFinish, FinishReason: "stop"})
	rec.ObserveAt(at+2*time.Millisecond, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 31, Output: 90}})
	return rec.EndAt(at+4*time.Millisecond, nil)
}

// Absent is not zero: every figure that may be absent says whether it is there.
func ExampleStats() {
	s := answer()
	if ttft, ok := s.TTFT(); ok {
		fmt.Println("TTFT", ttft)
	}
	if perToken, ok := s.TPOT(); ok {
		fmt.Println("TPOT", perToken.Round(time.Microsecond), "over", s.Tokens, "tokens,", s.Source)
	}
	_, ok := s.TTFB() // nobody told the Recorder of the HTTP attempts
	fmt.Println("TTFB", ok)
	// Output:
	// TTFT 300ms
	// TPOT 22.247ms over 90 tokens, reported
	// TTFB false
}

// One line for a person: how it ended, with the reason, and the figures that there are.
func ExampleStats_String() {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(310*time.Millisecond, tpot.Event{Kind: tpot.KindText | tpot.KindMarked})
	s := rec.EndAt(360*time.Millisecond, nil) // no error, but no end marker either
	fmt.Println(s)
	// Output: truncated (no end marker), TTFT 310ms, E2E 360ms
}

// The freeze is seen at once.
func ExampleStats_Report() {
	fmt.Print(answer().Report())
	// Output:
	// request  answered by acme-large-0613
	// outcome  ok, stop
	// tokens   90 tokens in 60 chunks of 62 events, reported, input 31
	// first    TTFT 300ms, TTFO 300ms, TTST 20.0ms
	// pace     TPOT 22.2ms, 44.9 tokens/s, answer TPOT 22.2ms
	// gaps     p50 20.0ms p90 20.0ms p95 20.0ms p99 356ms  min 20.0ms  max 820ms
	//          mean 33.6ms  sd 103ms  variance 10664 ms²  CV 3.08  jitter 27.6ms
	// stalls   1, 819ms in all, longest 819ms
	// time     E2E 2.28s, setup 3.00ms, wait 2.22s, hold 62.0ms
	// figures  by the convention tokentiming
	// course   ▁▁▁▁▁▁▁▁▁▁▁█████████████▁▁▁▁▁▁  a mark is 67.1ms, the highest a gap of 820ms
}

// Units are in the keys, and what is absent is left out: one chunk came and then nothing, so there is a TTFT, a stall
// and no TPOT.
func ExampleStats_MarshalJSON() {
	rec := tpot.Start(context.Background())
	rec.BeginWaitAt(5 * time.Millisecond)
	rec.ObserveAt(300*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.BeginWaitAt(310 * time.Millisecond)
	s := rec.EndAt(1600*time.Millisecond, context.DeadlineExceeded)
	s.Start = time.Time{} // the wall clock, which differs from run to run
	data, _ := json.MarshalIndent(s, "", "  ")
	fmt.Println(string(data))
	// Output:
	// {
	//   "convention": "tokentiming",
	//   "outcome": "timeout",
	//   "cause": "context",
	//   "error_type": "timeout",
	//   "tokens": 1,
	//   "token_source": "chunks",
	//   "events": 1,
	//   "chunks": 1,
	//   "choices": 1,
	//   "ttft_ms": 300,
	//   "ttfo_ms": 300,
	//   "e2e_ms": 1600,
	//   "first_event_ms": 300,
	//   "throughput_tokens_per_second": 0.625,
	//   "setup_ms": 5,
	//   "wait_ms": 1585,
	//   "hold_ms": 10,
	//   "hold_bound": 0,
	//   "stalls": {
	//     "count": 1,
	//     "total_ms": 1290,
	//     "longest_ms": 1290
	//   },
	//   "itl_basis": "chunks"
	// }
}

// A log line has the figures that it has room for, in a group. Here each is put on a line of its own.
func ExampleStats_LogValue() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	var line strings.Builder
	log := slog.New(slog.NewTextHandler(&line, &slog.HandlerOptions{ReplaceAttr: noTime}))
	log.Info("answered", "llm", answer())
	fmt.Println(strings.ReplaceAll(line.String(), " ", "\n"))
	// Output:
	// level=INFO
	// msg=answered
	// llm.outcome=ok
	// llm.model=acme-large-0613
	// llm.ttft=300ms
	// llm.ttfo=300ms
	// llm.tpot=22.247191ms
	// llm.e2e=2.284s
	// llm.tokens=90
	// llm.token_source=reported
	// llm.chunks=60
	// llm.gap_p99=356ms
	// llm.gap_max=820ms
	// llm.stalled=819ms
	// llm.setup=3ms
	// llm.wait=2.219s
	// llm.hold=62ms
	// llm.convention=tokentiming
}

// A stall is a gap whose wait reached the Tracker's threshold: 500 ms unless set.
func ExampleStalls() {
	stalls := answer().Stalls
	fmt.Println(stalls.Count, "stall, longest", stalls.Longest)
	// Output: 1 stall, longest 819ms
}

// One freeze in an even response, as a strip of the longest gap in each step.
func ExampleStats_Course() {
	rec := tpot.Start(context.Background())
	for _, ms := range []int{100, 102, 104, 106, 112, 114} {
		rec.ObserveAt(time.Duration(ms)*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	}
	step, longest := rec.EndAt(time.Second, nil).Course()
	fmt.Println(step, longest)
	// Output: 1.048576ms [2ms 2ms 2ms 2ms 2ms 6ms 6ms 6ms 6ms 6ms 6ms 6ms 2ms 2ms]
}
