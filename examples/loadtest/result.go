package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// result is what a run came to.
type result struct {
	row         monitor.Row
	late        *tpot.Histogram // how late each request was started; nil in a closed loop, where no request has a time
	interrupted bool

	mu       sync.Mutex
	failures map[string]int // requests by what went wrong
}

// count takes in a request that ended.
func (r *result) count(s tpot.Stats) {
	if s.Outcome == tpot.OutcomeOK || s.Outcome == tpot.OutcomeCanceled {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures[cmp.Or(s.ErrorType, s.Outcome.String())]++
}

// tolerable is how late a request may be started without a word.
const tolerable = 10 * time.Millisecond

// report prints the result, and returns the exit code.
func (r *result) report(s settings, out, errs io.Writer) int {
	if s.json {
		_ = json.NewEncoder(out).Encode(r.document(s))
	} else {
		r.print(s, out)
	}
	if latest, _ := r.late.Max(); latest > tolerable {
		fmt.Fprintf(errs, "loadtest: this machine did not keep up: requests were made up to %s ms late, which their figures include\n", ms(latest, true))
	}
	failed := 0
	for _, n := range r.failures {
		failed += n
	}
	switch {
	case r.interrupted:
		fmt.Fprintln(errs, "loadtest: interrupted")
		return exitInterrupted
	case failed > 0:
		fmt.Fprintf(errs, "loadtest: %d of %d requests failed\n", failed, r.row.Requests)
		return exitFailed
	}
	return exitOK
}

// document is the result for a program to read: what was asked for, and what came of it.
func (r *result) document(s settings) any {
	return struct {
		URL         string          `json:"url"`
		Model       string          `json:"model"`
		Concurrency int             `json:"concurrency,omitempty"`
		Rate        float64         `json:"rate,omitempty"`
		Warmup      int             `json:"warmup,omitempty"`
		Interrupted bool            `json:"interrupted,omitempty"`
		Failures    map[string]int  `json:"failures,omitempty"`
		Late        *tpot.Histogram `json:"start_late,omitempty"`
		Row         monitor.Row     `json:"result"`
	}{s.url, s.model, s.concurrency, s.rate, s.warmup, r.interrupted, r.failures, r.late, r.row}
}

// print prints the result as a table.
func (r *result) print(s settings, out io.Writer) {
	row := &r.row
	pace := fmt.Sprintf("%d in flight", s.concurrency)
	if s.rate > 0 {
		pace = fmt.Sprintf("%g a second", s.rate)
	}
	fmt.Fprintf(out, "%s, model %s: %d requests in %.1f s, %s\n\n", s.url, s.model, row.Requests, row.Span.Seconds(), pace)
	fmt.Fprintf(out, line, "ms", "count", "mean", "CV", "p50", "p90", "p95", "p99")
	printDistribution(out, "TTFT", &row.TTFT)
	printDistribution(out, "TTFO", &row.TTFO)
	printDistribution(out, "TPOT", &row.TPOT)
	printDistribution(out, "ITL", &row.ITL)
	printDistribution(out, "E2E", &row.E2E)
	if r.late != nil {
		printDistribution(out, "start late", r.late)
	}
	fmt.Fprintf(out, "\nfigures          by the convention %s\n", tpot.Convention)
	fmt.Fprintf(out, "requests/min     %s\n", number(row.RequestsPerMinute()))
	fmt.Fprintf(out, "tokens/s         %s\n", number(row.TokensPerSecond()))
	fmt.Fprintf(out, "token count from %s\n", counts(row.Sources[:], tpot.TokenSource.String))
	fmt.Fprintf(out, "ended            %s\n", counts(row.Outcomes[:], tpot.Outcome.String))
	if len(r.failures) > 0 {
		fmt.Fprintf(out, "failed by        %s\n", named(r.failures))
	}
	fmt.Fprintf(out, "stalls           %d in %d of %d answers, the longest %s ms\n",
		row.Stalls.Count, row.Stalled, row.Streamed, ms(row.Stalls.Longest, true))
	if share, ok := row.Goodput(); ok {
		m := row.Misses
		misses := map[string]int{"TTFT": m.TTFT, "TTFO": m.TTFO, "TPOT": m.TPOT, "ITL": m.ITL99, "stall": m.Stall, "E2E": m.E2E, "end": m.End}
		fmt.Fprintf(out, "goodput          %.1f %%, %s a minute\n", share*100, number(row.GoodPerMinute()))
		fmt.Fprintf(out, "missed           %s\n", named(misses))
	}
	printLoads(out, row.Loads())
}

const line = "%-10s %8v %10s %6s %10s %10s %10s %10s\n"

func printDistribution(out io.Writer, name string, h *tpot.Histogram) {
	cv := "-"
	if v, ok := h.CV(); ok {
		cv = fmt.Sprintf("%.2f", v)
	}
	fmt.Fprintf(out, line, name, h.Count(), ms(h.Mean()), cv, ms(h.Quantile(0.5)), ms(h.Quantile(0.9)), ms(h.Quantile(0.95)), ms(h.Quantile(0.99)))
}

// printLoads shows TPOT beside the number of requests in flight: whether the server is slow, or slow because it is loaded.
func printLoads(out io.Writer, loads []monitor.Load) {
	fmt.Fprintf(out, "\n%-10s %8s %10s %10s\n", "in flight", "requests", "mean TTFT", "mean TPOT")
	for _, l := range loads {
		flight := fmt.Sprint(l.From)
		if l.To > l.From {
			flight = fmt.Sprintf("%d to %d", l.From, l.To)
		}
		fmt.Fprintf(out, "%-10s %8d %10s %10s\n", flight, l.Requests, ms(l.MeanTTFT()), ms(l.MeanTPOT()))
	}
}

// ms is a duration in milliseconds, or a dash where it is absent.
func ms(d time.Duration, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", d.Seconds()*1000)
}

func number(v float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}

// counts is each count with the name of what it counts.
func counts[T ~uint8](counts []int, name func(T) string) string {
	byName := make(map[string]int)
	for i, n := range counts {
		byName[name(T(i))] = n
	}
	return named(byName)
}

// named is the counts by name that are not zero.
func named(counts map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", name, n))
		}
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
