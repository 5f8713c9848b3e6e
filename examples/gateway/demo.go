package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// answer is what the scripted upstream says: with a second's freeze in the middle.
func answer() llmtest.Script {
	ai := llmtest.OpenAI{Model: "scripted-1"}
	return llmtest.SSE().
		After(40*time.Millisecond, ai.Role()).
		After(260*time.Millisecond, ai.Text("Air")).
		Every(30*time.Millisecond, ai.Text(" scatters"), ai.Text(" blue"), ai.Text(" light")).
		After(time.Second, ai.Text(" more")).
		Every(30*time.Millisecond, ai.Text(" than"), ai.Text(" red"), ai.Text(".")).
		After(0, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 16, Output: 8}), ai.Done())
}

// demonstrate sends one request through a gateway to a scripted upstream, all over loopback, and compares what the gateway measured
// with what the upstream did and the client got.
func demonstrate(ctx context.Context, log *slog.Logger, out, errs io.Writer) int {
	upstream, err := llmtest.Listen(answer())
	if err != nil {
		fmt.Fprintln(errs, "gateway:", explain("loopback", err))
		return exitListen
	}
	defer upstream.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(errs, "gateway:", explain("loopback", err))
		return exitListen
	}
	fmt.Fprintf(out, "The upstream is %s, the gateway before it http://%v. A client streams one answer.\n\n", upstream.URL, listener.Addr())
	record := make(chan tpot.Stats, 1)
	stop := background(listener, upstream.URL, log, func(s tpot.Stats) {
		logTo(log)(s)
		record <- s
	})
	got, err := ask(ctx, "http://"+listener.Addr().String())
	stop()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "gateway: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(errs, "gateway: the client did not get its answer:", err)
		return exitDiffers
	}
	return compare(got, <-record, upstream.Log()[0], out, errs)
}

// background serves a gateway until stop is called.
func background(listener net.Listener, upstream string, log *slog.Logger, ended onEnd) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	target, _ := url.Parse(upstream) // a Server's URL is one
	go func() {
		defer close(served)
		_ = serve(ctx, listener, newGateway(target, newTransport(ended), log), 0)
	}()
	return func() {
		cancel()
		<-served
	}
}

// ask is the client. It has nothing of ours.
func ask(ctx context.Context, base string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(
		`{"model":"scripted-1","stream":true,"messages":[{"role":"user","content":"Why is the sky blue?"}]}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// compare shows what was measured and says whether it agrees with the upstream's log and with what the client got.
func compare(got []byte, s tpot.Stats, x llmtest.Exchange, out, errs io.Writer) int {
	var wrote []byte
	for _, w := range x.Writes {
		wrote = append(wrote, w.Bytes()...)
	}
	var began []time.Duration
	for sent := range x.Chunks() {
		began = append(began, sent.Began)
	}
	ttft, _ := s.TTFT()
	first := x.Arrived.Add(began[0]).Sub(s.Start)
	fmt.Fprintf(out, "\n%s\n", s.Report())
	fmt.Fprintf(out, "The client got %d bytes; the upstream wrote %d.\n", len(got), len(wrote))
	fmt.Fprintf(out, "The gateway counted %d chunks; the upstream wrote %d.\n", s.Chunks, len(began))
	fmt.Fprintf(out, "The first of them came to the gateway after %v; it was written after %v.\n",
		ttft.Round(time.Microsecond), first.Round(time.Microsecond))
	if s.Outcome != tpot.OutcomeOK || !bytes.Equal(got, wrote) || s.Chunks != len(began) || ttft < first {
		fmt.Fprintln(errs, "gateway: this does not agree")
		return exitDiffers
	}
	return exitOK
}
