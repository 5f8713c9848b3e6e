package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// script is an answer with all that makes timing hard: a role event long before the first token, reasoning, several tokens in one chunk, a
// freeze, and a usage event at the end.
func script() llmtest.Script {
	ai := llmtest.OpenAI{Model: "scripted-1"}
	s := llmtest.SSE().
		After(60*time.Millisecond, ai.Role()).
		After(240*time.Millisecond, ai.Reasoning("Sunlight")).
		Every(30*time.Millisecond, ai.Reasoning(" is"), ai.Reasoning(" scattered."))
	words := strings.SplitAfter("Air scatters blue light more than red light, so blue reaches the eye from all over the sky. ", " ")
	for _, word := range words[:8] {
		s = s.After(25*time.Millisecond, ai.Text(word))
	}
	s = s.After(25*time.Millisecond, ai.Text("so blue reaches ").WithTokens(3)).
		After(900*time.Millisecond, ai.Text("the "))
	for _, word := range words[12:18] {
		s = s.After(25*time.Millisecond, ai.Text(word))
	}
	tokens := 0
	for _, w := range s.Writes {
		for _, e := range w.Events {
			tokens += e.Tokens
		}
	}
	return s.After(5*time.Millisecond, ai.Finish("stop"),
		ai.Usage(llmtest.Usage{Input: 16, Output: tokens, Reasoning: 3}), ai.Done())
}

// runScripted streams the scripted answer over loopback and compares what was measured with what the server did.
func runScripted(ctx context.Context, out, errs io.Writer) int {
	server, err := llmtest.Listen(script())
	if err != nil {
		fmt.Fprintln(errs, "quickstart: cannot listen on loopback:", err)
		return exitUnreachable
	}
	defer server.Close()
	c := chat{client: server.Client(), url: server.URL, model: "scripted-1"}
	h, code := c.ask(ctx, "Why is the sky blue?", out, errs)
	if code != exitOK {
		return code
	}
	if !compare(h, server.Log()[0], out) {
		fmt.Fprintln(errs, "quickstart: what was measured is not what the server did")
		return exitDiffers
	}
	return exitOK
}

// compare prints each figure beside what follows from the server's log, and reports whether they agree.
//
// A chunk was written at a time that the server knows and was in this program's hands at a time that it noted itself; the
// Recorder's stamp lies between the two. So the longest such passage bounds every difference there can be, and anything
// beyond it is an error of the measurement.
func compare(h heard, x llmtest.Exchange, out io.Writer) bool {
	truth := serverFacts(h, x)
	s := h.stats
	table := comparison{w: tabwriter.NewWriter(out, 0, 0, 3, ' ', 0), agree: true}
	fmt.Fprintf(out, "\nThe server's own log says the same, but for the way here: at most %v for each chunk.\n\n", truth.passage)
	fmt.Fprintln(table.w, "\tmeasured\tserver\tdifference\tat most")
	table.row("TTFT", s.TTFT, truth.ttft, truth.passage)
	table.row("TTFO", s.TTFO, truth.ttfo, truth.passage)
	table.row("TPOT", s.TPOT, truth.tpot, truth.passage/time.Duration(truth.tokens-1)+1)
	table.row("longest gap", s.Gaps().Max, truth.longest, truth.passage)
	table.row("longest stall", func() (time.Duration, bool) { return s.Stalls.Longest, true }, truth.longest, truth.passage+truth.hold)
	table.count("stalls", s.Stalls.Count, truth.stalls)
	table.count("tokens", s.Tokens, truth.tokens)
	table.count("chunks", s.Chunks, truth.chunks)
	_ = table.w.Flush()
	return table.agree
}

// facts are the figures by the definitions, made of the server's log alone but for the passage and the hold, which are this
// program's.
type facts struct {
	ttft, ttfo, tpot, longest time.Duration
	stalls, tokens, chunks    int
	passage                   time.Duration // the longest way of a chunk from the server's write to here
	hold                      time.Duration // the longest time between having a chunk and asking for the next
}

func serverFacts(h heard, x llmtest.Exchange) facts {
	var f facts
	var first, last time.Duration
	generated := h.generated()
	for sent, event := range x.Chunks() {
		at := x.Arrived.Add(sent.Began).Sub(h.stats.Start)
		if f.chunks == 0 {
			first = at
		} else {
			f.longest = max(f.longest, at-last)
			if at-last >= 500*time.Millisecond {
				f.stalls++
			}
		}
		if event.Kind == llmtest.KindText && f.ttfo == 0 {
			f.ttfo = at
		}
		f.passage = max(f.passage, generated[f.chunks].got.Sub(h.stats.Start)-at)
		last = at
		f.chunks++
		f.tokens += event.Tokens
	}
	f.ttft = first
	f.tpot = (last - first) / time.Duration(f.tokens-1)
	for i := 1; i < len(h.turns); i++ {
		f.hold = max(f.hold, h.turns[i].asked.Sub(h.turns[i-1].got))
	}
	return f
}

// generated is the turns that brought output.
func (h heard) generated() (turns []turn) {
	for _, t := range h.turns {
		if t.generated {
			turns = append(turns, t)
		}
	}
	return turns
}

// comparison is a table of figures.
type comparison struct {
	w     *tabwriter.Writer
	agree bool
}

func (c *comparison) row(name string, figure func() (time.Duration, bool), want, bound time.Duration) {
	got, ok := figure()
	difference := got - want
	c.check(ok && max(difference, -difference) <= bound)
	fmt.Fprintf(c.w, "%s\t%v\t%v\t%v\t%v\n", name, round(got), round(want), round(difference), round(bound))
}

func (c *comparison) count(name string, got, want int) {
	c.check(got == want)
	fmt.Fprintf(c.w, "%s\t%d\t%d\n", name, got, want)
}

func (c *comparison) check(ok bool) { c.agree = c.agree && ok }

func round(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
