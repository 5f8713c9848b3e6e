// Command fallback is an application that asks a large model, and a smaller one while the large one is too slow.
//
//	go run ./examples/fallback
//
// The application is in app.go: a [monitor.Rule] on the time to first token of the large model decides which model users get, a few requests
// go on probing the large one meanwhile, and a watchdog cancels answers that stand still. It asks a server of its own, whose large model
// becomes slow for two seconds, and says what it does and when.
//
// Exit codes: 0 the story has come to its end; 2 no server; 130 interrupted.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// A user comes every pace. In the figures here no two things happen at the same time, so that what happens when is arithmetic.
const (
	users = 120
	pace  = 50 * time.Millisecond
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	server, err := llmtest.Listen()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fallback: cannot listen on loopback:", err)
		os.Exit(2)
	}
	play(ctx, server, os.Stdout)
	server.Close()
	if ctx.Err() != nil {
		os.Exit(130)
	}
}

// play lets users come to an application of a server, and tells what happens.
func play(ctx context.Context, server *llmtest.Server, out io.Writer) {
	a := open(server, newTeller(out))
	defer a.monitor.Close()
	serve(ctx, a, users)
}

// open is an application whose provider is the server.
func open(server *llmtest.Server, tell func(string, ...any)) *app {
	server.Choose = (&provider{began: time.Now(), tell: tell}).answer
	tell("users get %s", large)
	return newApp(server.URL, server.Client().Transport, tell)
}

// serve lets users come to the application and waits until they have their answers.
func serve(ctx context.Context, a *app, users int) {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	time.Sleep(pace / 2) // out of step with the Monitor
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for range users {
		waiting.Go(func() {
			if s := a.ask(ctx, "Why is the sky blue?"); s.Outcome != tpot.OutcomeOK && ctx.Err() == nil {
				a.tell("a user is told that the answer broke off: %s after %d pieces", s.Cause, s.Chunks)
			}
		})
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// newTeller tells things with the time since now.
func newTeller(out io.Writer) func(format string, args ...any) {
	began := time.Now()
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, "%5.3f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
}
