// Command conventions shows the same streams under the definitions of many tools: what vLLM's benchmark, AIPerf, GuideLLM and others would
// report of them, and what makes each figure another.
//
//	go run ./examples/conventions
//
// replays a captured stream over loopback, at its own pace, and compares the trace of it. The times are those that were measured, so they are
// a little later than the capture's. With files of traces, JSON Lines as a [tpot.TraceWriter] writes them, it compares those; of several
// requests it prints statistics.
//
//	go run ./examples/conventions -o trace.jsonl
//	go run ./examples/conventions -format markdown trace.jsonl
//
// Exit codes: 0 the comparison was printed; 1 bad arguments; 2 no loopback, or a file that cannot be read or written; 5 a line was no trace,
// and is left out, or a file had none; 130 interrupted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/tokentiming/tokentiming/convention"
)

const (
	exitOK          = 0
	exitUsage       = 1
	exitFile        = 2
	exitNoTrace     = 5
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// formats are the forms that a comparison can be printed in.
var formats = map[string]func(convention.Comparison) string{
	"text":     convention.Comparison.String,
	"markdown": convention.Comparison.Markdown,
	"json":     toJSON,
}

func toJSON(c convention.Comparison) string {
	data, _ := json.Marshal(c) // which always has a form
	return string(data) + "\n"
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("conventions", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprintln(errs, "conventions [flags] [file of traces ...]")
		flags.PrintDefaults()
	}
	format := flags.String("format", "text", "the form of the comparison: text, markdown or json")
	save := flags.String("o", "", "the file to write the traces to that are compared")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	show := formats[*format]
	if show == nil {
		fmt.Fprintf(errs, "conventions: -format %q is none of text, markdown and json\n", *format)
		return exitUsage
	}
	lines, err := open(ctx, flags.Args())
	if err != nil {
		return explain(ctx, err, errs)
	}
	traces, code := read(lines, errs)
	if *save != "" {
		if err := write(*save, traces); err != nil {
			return explain(ctx, err, errs)
		}
	}
	if _, err := io.WriteString(out, show(convention.Compare(traces))); err != nil {
		return explain(ctx, err, errs)
	}
	return code
}

// explain says what went wrong, and returns the exit code that goes with it.
func explain(ctx context.Context, err error, errs io.Writer) int {
	if ctx.Err() != nil {
		fmt.Fprintln(errs, "conventions: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(errs, "conventions:", err)
	return exitFile
}
