// Command monitoring is an application that streams answers, measured for Prometheus, with faults that can be switched on. With the
// dashboard and the alerts beside it, it shows what an operator sees of each.
//
//	go run ./examples/monitoring
//	curl http://127.0.0.1:9464/metrics
//	curl -X POST http://127.0.0.1:9464/faults/slow-start/on
//
// Its traffic is simulated, its measuring is not: it is what an application would do, in pipeline and in traffic/answer.go. See README.md
// for Prometheus and Grafana around it.
//
// It runs until it is interrupted. Then the answers on their way are canceled, what has not been pushed is pushed, and the page is served
// for a while (-drain), so that Prometheus can get the last figures.
//
// Exit codes: 0 interrupted, after a clean shutdown; 1 bad arguments; 2 the address cannot be listened on; 5 the last figures could
// not be delivered.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/tokentiming/tokentiming/examples/monitoring/pipeline"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
)

const (
	exitOK     = 0
	exitUsage  = 1
	exitListen = 2
	exitLost   = 5
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are what the flags say.
type settings struct {
	listen   string
	drain    time.Duration
	rate     float64
	seed     uint64
	pipeline pipeline.Options
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	s, err := parse(args, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // flag has said why
	}
	p, err := pipeline.New(s.pipeline)
	if err != nil {
		fmt.Fprintln(errs, "monitoring:", err)
		return exitUsage
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		fmt.Fprintln(errs, "monitoring:", explain(s.listen, err))
		return exitListen
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	log.Info("listening", "url", "http://"+listener.Addr().String(), "requests_per_second", s.rate)
	if err := serve(ctx, listener, p, traffic.New(p.Tracker, s.rate, s.seed), s.drain); err != nil {
		fmt.Fprintln(errs, "monitoring:", err)
		return exitLost
	}
	log.Info("stopped")
	return exitOK
}

// parse reads the flags, and says on errs what is wrong with them.
func parse(args []string, errs io.Writer) (settings, error) {
	s := settings{rate: 5}
	flags := flag.NewFlagSet("monitoring", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9464", "the address to listen on")
	flags.DurationVar(&s.drain, "drain", 0, "how long the page is served after the last request, best a little longer than the scrape interval")
	flags.Var((*perSecond)(&s.rate), "rate", "`requests` a second, on average")
	flags.Uint64Var(&s.seed, "seed", 1, "of the simulation")
	flags.BoolVar(&s.pipeline.Native, "native", false, "native histograms instead of classic ones")
	flags.BoolVar(&s.pipeline.Suffixes, "suffixes", true, "names that end in their unit and in _total")
	flags.StringVar(&s.pipeline.OTLP, "otlp", "", "push over OTLP as well, to a `URL` such as http://localhost:9090/api/v1/otlp/v1/metrics")
	flags.Func("names", "the `set` of names of the metrics that OpenTelemetry defines: 141, genai01 or both (default 141)", func(text string) (err error) {
		s.pipeline.Names, err = names(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("%q is no argument", flags.Arg(0))
		fmt.Fprintln(errs, "monitoring:", err)
		return s, err
	}
	return s, nil
}

// perSecond is a flag for a rate.
type perSecond float64

func (r *perSecond) String() string { return fmt.Sprint(float64(*r)) }

func (r *perSecond) Set(text string) error {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return errors.New("a rate is a number above zero")
	}
	*r = perSecond(rate)
	return nil
}

// names are the sets of names that the flag stands for.
func names(text string) ([]otelx.Semconv, error) {
	switch text {
	case "141":
		return []otelx.Semconv{otelx.SemconvV141}, nil
	case "genai01":
		return []otelx.Semconv{otelx.SemconvGenAIV01}, nil
	case "both":
		return []otelx.Semconv{otelx.SemconvV141, otelx.SemconvGenAIV01}, nil
	}
	return nil, errors.New("one of 141, genai01 and both")
}

// explain is what a person can do about an address that cannot be listened on.
func explain(address string, err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Sprintf("%s is in use; choose another address with -listen, port 0 for a free one", address)
	}
	return fmt.Sprintf("cannot listen on %s: %v", address, err)
}
