// Command quickstart streams an answer, prints it as it comes, and then says how it came: time to first token, time per output token,
// the gaps with their spread, and how the stream ended.
//
//	go run ./examples/quickstart
//
// streams over real HTTP from a small server of its own, which knows when it wrote what, and compares the two. With -url it does
// the same against any OpenAI-compatible endpoint; the key comes from OPENAI_API_KEY.
//
//	go run ./examples/quickstart -url http://localhost:11434/v1 -model llama3.2 -prompt "Why is the sky blue?"
//
// Exit codes: 0 the answer came whole; 1 bad arguments; 2 no connection; 3 the key is not accepted; 4 no such model or address;
// 5 the answer failed or was cut; 6 what was measured and what the server did differ; 130 interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const (
	exitOK          = 0
	exitUsage       = 1
	exitUnreachable = 2
	exitKey         = 3
	exitNotFound    = 4
	exitFailed      = 5
	exitDiffers     = 6
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Getenv("OPENAI_API_KEY"), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, key string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(errs)
	url := flags.String("url", "", "an OpenAI-compatible endpoint, such as https://api.openai.com/v1; empty: a server of our own")
	model := flags.String("model", "gpt-4o-mini", "the model to ask for")
	prompt := flags.String("prompt", "Explain in three sentences why the sky is blue.", "what to ask")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if *url == "" {
		return runScripted(ctx, out, errs)
	}
	c := chat{client: http.DefaultClient, url: *url, key: key, model: *model}
	_, code := c.ask(ctx, *prompt, out, errs)
	return code
}

// heard is what this program itself saw of a stream, apart from the timing: when it asked for each chunk, and when it had it.
type heard struct {
	stats tpot.Stats
	turns []turn
}

type turn struct {
	asked, got time.Time
	generated  bool
}

// ask streams one answer and reports on it. The stream is wrapped in one line, and used as before.
func (c chat) ask(ctx context.Context, prompt string, out, errs io.Writer) (heard, int) {
	waiting := startProgress(errs)
	defer waiting.stop()

	_, rec := new(tpot.Tracker).Start(ctx, tpot.Request{Operation: "chat", Model: c.model})
	answer, err := c.open(ctx, prompt)
	if err != nil {
		rec.End(err)
		waiting.stop()
		message, code := c.explain(err)
		fmt.Fprintln(errs, "quickstart:", message)
		return heard{stats: rec.Stats()}, code
	}
	s := stream.Recv(rec, answer, nil)
	defer s.Close()

	show := printer{out: out}
	h := heard{}
	for {
		asked := time.Now()
		chunk, err := s.Recv()
		got := time.Now()
		if err != nil {
			break
		}
		text, reasoning := chunk.text()
		h.turns = append(h.turns, turn{asked, got, text != ""})
		if text != "" {
			waiting.stop()
			show.print(text, reasoning)
		}
	}
	s.Close()
	waiting.stop()
	h.stats = s.Stats()
	fmt.Fprintf(out, "\n\n%v\n\n%s", h.stats, h.stats.Report())
	return h, c.verdict(h.stats, errs)
}

// verdict is the exit code for an answer, with a word on what went wrong.
func (c chat) verdict(s tpot.Stats, errs io.Writer) int {
	switch s.Outcome {
	case tpot.OutcomeOK:
		return exitOK
	case tpot.OutcomeTruncated:
		fmt.Fprintln(errs, "quickstart: the answer is not whole: the stream was cut off,", s.Cause)
	case tpot.OutcomeCanceled:
		fmt.Fprintln(errs, "quickstart: interrupted")
		return exitInterrupted
	default:
		fmt.Fprintf(errs, "quickstart: the answer %s: %s, %s\n", s.Outcome, s.Cause, s.ErrorType)
	}
	return exitFailed
}
