package tpot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
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
		rec.ObserveAt(at, tpot.Event{Kind: tpot.KindText | tpot.KindMarked, Model: "m-large-0613"})
		rec.BeginWaitAt(at + time.Millisecond)
	}
	rec.ObserveAt(at+2*time.Millisecond, tpot.Event{Kind: tpot.KindFinish, FinishReason: "stop"})
	rec.ObserveAt(at+2*time.Millisecond, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 31, Output: 90}})
	return rec.EndAt(at+4*time.Millisecond, nil)
}

func ExampleStats() {
	s := answer()
	if ttft, ok := s.TTFT(); ok { // absent is not zero
		fmt.Println("TTFT", ttft)
	}
	fmt.Println(s)
	// Output:
	// TTFT 300ms
	// ok, TTFT 300ms, TPOT 22.2ms over 90 tokens (reported), gaps p50 20.0ms p99 356ms max 820ms, 1 stall of 819ms, E2E 2.28s
}

// The freeze is seen at once.
func ExampleStats_Report() {
	fmt.Print(answer().Report())
	// Output:
	// request  answered by m-large-0613
	// outcome  ok, stop
	// tokens   90 tokens in 60 chunks of 62 events, reported, input 31
	// first    TTFT 300ms, TTFO 300ms, TTST 20.0ms
	// pace     TPOT 22.2ms, 44.9 tokens/s, answer TPOT 22.2ms
	// gaps     p50 20.0ms p90 20.0ms p95 20.0ms p99 356ms  min 20.0ms  max 820ms
	//          mean 33.6ms  sd 103ms  variance 10664 ms²  CV 3.08  jitter 27.6ms
	// stalls   1, 819ms in all, longest 819ms
	// time     E2E 2.28s, setup 3.00ms, wait 2.22s, hold 62.0ms
	// course   ▁▁▁▁▁▁▁▁▁▁▁█████████████▁▁▁▁▁▁  a mark is 67.1ms, the highest a gap of 820ms
}

func ExampleStats_MarshalJSON() {
	data, _ := json.Marshal(answer())
	var fields struct {
		Convention string
		TTFT       float64 `json:"ttft_ms"`
		Source     string  `json:"token_source"`
		Stalls     any
	}
	_ = json.Unmarshal(data, &fields)
	fmt.Println(fields.Convention, fields.TTFT, fields.Source, fields.Stalls)
	// Output: tokentiming 300 reported map[count:1 longest_ms:819 total_ms:819]
}

func ExampleStats_LogValue() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}))
	log.Info("answered", "llm", answer())
	// Output:
	// level=INFO msg=answered llm.outcome=ok llm.model=m-large-0613 llm.ttft=300ms llm.ttfo=300ms llm.tpot=22.247191ms llm.e2e=2.284s llm.tokens=90 llm.token_source=reported llm.chunks=60 llm.gap_p99=356ms llm.gap_max=820ms llm.stalled=819ms llm.wait=2.219s llm.hold=62ms
}

func ExampleStalls() {
	stalls := answer().Stalls
	fmt.Println(stalls.Count, stalls.Longest)
	// Output: 1 819ms
}
