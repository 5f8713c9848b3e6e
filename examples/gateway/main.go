// Command gateway is a reverse proxy for LLM APIs that times every answer that passes through it. Neither the client nor the server is
// changed: the client's base URL is the gateway's, and that is all.
//
//	go run ./examples/gateway -upstream http://localhost:11434
//	curl http://127.0.0.1:8080/v1/chat/completions -H "Content-Type: application/json" \
//		-d '{"model":"llama3.2","stream":true,"messages":[{"role":"user","content":"Why is the sky blue?"}]}'
//
// Each request is one line of the log: how it ended, time to first token, time per output token, the longest gap. Keys and all other
// headers go on to the upstream; the gateway keeps nothing. It serves until it is interrupted, and then lets the answers on their way
// end for a while (-grace). Without -upstream it shows itself at work: it starts a scripted upstream, streams one answer through
// itself, and compares the timing with the upstream's own log.
//
// Bytes are passed on as they come, so the consumer of an answer is the client behind the gateway: where that reads slowly, the time shows
// as hold, not as a slow model.
//
// Exit codes: 0 interrupted, after a clean shutdown, or the demonstration's two sides agree; 1 bad arguments; 2 the address cannot be
// listened on; 6 the demonstration's two sides differ; 130 the demonstration was interrupted.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// newTransport is all the timing there is: each request that it makes has a record, which ends with the body of the answer.
func newTransport(ended onEnd) *stream.Transport {
	return &stream.Transport{Tracker: &tpot.Tracker{Observers: []tpot.Observer{ended}}}
}

// newGateway passes every request on to the upstream. It would be the same without the timing, but for the two lines that say so.
func newGateway(upstream *url.URL, transport http.RoundTripper, log *slog.Logger) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			// For the timing. With the client's own Accept-Encoding the upstream may compress for the client, and what passes compressed is
			// not looked into. Without it net/http asks for gzip on its own account and decodes the answer.
			r.Out.Header.Del("Accept-Encoding")
			// For the timing. The model that was asked for, and whether the answer was to be streamed, are in the request's body.
			r.Out = keepBody(r.Out)
		},
		Transport:     transport,
		FlushInterval: -1, // events are not to wait for each other, even in an answer of known length
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, "gateway: no answer from "+upstream.Host, http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // the records say the same
	}
}

// maxKept is the longest body that is kept in memory.
const maxKept = 4 << 20

// keepBody gives a request what one that a client makes has and one that a server got has not: GetBody. The Transport reads a copy
// there, and net/http can send the request again over a new connection when the old one turns out to be closed.
func keepBody(r *http.Request) *http.Request {
	if r.Body == nil || r.ContentLength < 0 || r.ContentLength > maxKept {
		return r
	}
	data, err := io.ReadAll(r.Body)
	if err != nil { // the client left before it had said what it wants: not the upstream's failure
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		return r.WithContext(ctx)
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	r.Body, _ = r.GetBody()
	return r
}

// onEnd is an Observer of the ends alone.
type onEnd func(tpot.Stats)

// Start is called when a request is made.
func (f onEnd) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, f
}

// Observe is called for every event.
func (f onEnd) Observe(tpot.Arrival) {}

// End is called once, by the goroutine that serves the client.
func (f onEnd) End(s tpot.Stats) { f(s) }

// logTo makes a log line of each record.
func logTo(log *slog.Logger) onEnd {
	return func(s tpot.Stats) {
		level, attrs := slog.LevelInfo, []slog.Attr{}
		if n := len(s.Attempts); n > 0 {
			attrs = append(attrs, slog.Int("status", s.Attempts[n-1].Status)) // 0: the upstream did not answer
		}
		attrs = append(attrs, slog.Any("", s)) // without a name a group is no group
		if s.Outcome != tpot.OutcomeOK && s.Outcome != tpot.OutcomeCanceled {
			level = slog.LevelWarn
			if s.Err != nil {
				attrs = append(attrs, slog.String("error", s.Err.Error()))
			}
		}
		log.LogAttrs(context.Background(), level, cmp.Or(s.Request.Operation, "request"), attrs...)
	}
}

const (
	exitOK          = 0
	exitUsage       = 1
	exitListen      = 2
	exitDiffers     = 6
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("gateway", flag.ContinueOnError)
	flags.SetOutput(errs)
	upstream := flags.String("upstream", "", "the server to pass requests on to, such as https://api.openai.com; empty: a demonstration")
	listen := flags.String("listen", "127.0.0.1:8080", "the address to listen on")
	grace := flags.Duration("grace", 10*time.Second, "how long answers on their way may take to end after an interrupt")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "gateway: %q is no argument; did you mean -upstream %[1]s?\n", flags.Arg(0))
		return exitUsage
	}
	log := slog.New(slog.NewTextHandler(out, nil))
	if *upstream == "" {
		return demonstrate(ctx, log, out, errs)
	}
	target, err := url.Parse(*upstream)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		fmt.Fprintf(errs, "gateway: the upstream %q is no URL such as http://localhost:11434 or https://api.openai.com\n", *upstream)
		return exitUsage
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		fmt.Fprintln(errs, "gateway:", explain(*listen, err))
		return exitListen
	}
	log.Info("listening", "url", "http://"+listener.Addr().String(), "upstream", target.Redacted())
	if err := serve(ctx, listener, newGateway(target, newTransport(logTo(log)), log), *grace); err != nil {
		fmt.Fprintln(errs, "gateway:", err)
		return exitListen
	}
	log.Info("stopped")
	return exitOK
}

// explain is what a person can do about an address that cannot be listened on.
func explain(address string, err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Sprintf("%s is in use; choose another address with -listen, port 0 for a free one", address)
	}
	return fmt.Sprintf("cannot listen on %s: %v", address, err)
}
