package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// settings are what the flags say, and the key.
type settings struct {
	url, key, model, prompt string

	requests    int           // 0: no limit
	duration    time.Duration // 0: no limit
	concurrency int           // of a closed loop
	rate        float64       // of an open loop, in requests a second; 0: a closed loop
	warmup      int

	slo  tpot.SLO
	json bool
}

// The defaults that depend on other flags.
const (
	defaultRequests    = 100
	defaultConcurrency = 10
	simulatedModel     = "simulated-1"
)

// parse reads the flags, and says on errs what is wrong with them.
func parse(args []string, errs io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("loadtest", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&s.url, "url", "", "an OpenAI-compatible endpoint, such as http://localhost:8000/v1; empty: a simulated server of our own")
	flags.StringVar(&s.model, "model", "", "the model to ask for; needed with -url")
	flags.StringVar(&s.prompt, "prompt", "Explain in three sentences why the sky is blue.", "what to ask")
	flags.IntVar(&s.requests, "requests", 0, "how many requests to make (default 100, or as many as there is time for with -duration)")
	flags.DurationVar(&s.duration, "duration", 0, "how long to start requests; those in flight then may end")
	flags.IntVar(&s.concurrency, "concurrency", 0, "how many requests to keep in flight (default 10, unless there is a -rate)")
	flags.Float64Var(&s.rate, "rate", 0, "how many requests to start a second, whether or not earlier ones have ended")
	flags.IntVar(&s.warmup, "warmup", 0, "how many requests to make before, which do not count")
	flags.DurationVar(&s.slo.TTFT, "slo-ttft", 0, "for the goodput, a limit on the time to first token")
	flags.DurationVar(&s.slo.TTFO, "slo-ttfo", 0, "on the time to first output token, which is not reasoning")
	flags.DurationVar(&s.slo.TPOT, "slo-tpot", 0, "on the time per output token")
	flags.DurationVar(&s.slo.ITL99, "slo-itl99", 0, "on the 99th percentile of a request's inter-token latencies")
	flags.DurationVar(&s.slo.Stall, "slo-stall", 0, "on the longest wait between two chunks")
	flags.DurationVar(&s.slo.E2E, "slo-e2e", 0, "on the time from start to end")
	flags.BoolVar(&s.json, "json", false, "print the result as JSON")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if err := s.check(flags.Args()); err != nil {
		fmt.Fprintln(errs, "loadtest:", err)
		return s, err
	}
	return s.complete(), nil
}

// check says what is wrong with the settings.
func (s settings) check(rest []string) error {
	target, err := url.Parse(s.url)
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is no argument; did you mean -url %[1]s?", rest[0])
	case s.url != "" && (err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https"):
		return fmt.Errorf("the endpoint %q is no URL such as http://localhost:8000/v1 or https://api.openai.com/v1", s.url)
	case s.url != "" && s.model == "":
		return errors.New("which -model is to be asked?")
	case s.concurrency != 0 && s.rate != 0:
		return errors.New("with a -rate requests start at their times, however many are in flight: there is no -concurrency to keep")
	case !(s.rate >= 0) || math.IsInf(s.rate, 0):
		return errors.New("a -rate is a number above zero")
	case min(s.requests, s.concurrency, s.warmup) < 0 || s.duration < 0:
		return errors.New("numbers and durations are not below zero")
	}
	return nil
}

// complete fills in the defaults.
func (s settings) complete() settings {
	if s.requests == 0 && s.duration == 0 {
		s.requests = defaultRequests
	}
	if s.concurrency == 0 && s.rate == 0 {
		s.concurrency = defaultConcurrency
	}
	if s.model == "" {
		s.model = simulatedModel
	}
	return s
}

// quota is how many requests may start, and until when. It is safe for concurrent use.
type quota struct {
	requests int
	end      time.Time
	taken    atomic.Int64
}

// quota is that of a run that begins now.
func (s settings) quota(began time.Time) *quota {
	q := &quota{requests: math.MaxInt, end: began.Add(longest)}
	if s.requests > 0 {
		q.requests = s.requests
	}
	if s.duration > 0 {
		q.end = began.Add(s.duration)
	}
	return q
}

// take asks for one request that starts at the time.
func (q *quota) take(at time.Time) bool {
	return at.Before(q.end) && q.taken.Add(1) <= int64(q.requests)
}
