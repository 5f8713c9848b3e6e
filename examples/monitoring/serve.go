package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/tokentiming/tokentiming/examples/monitoring/pipeline"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
)

// patience is how long each of what ends may take to end.
const patience = 5 * time.Second

// serve lets the traffic run and serves the page of its figures until the context ends, and then ends both in order.
func serve(ctx context.Context, listener net.Listener, p *pipeline.Pipeline, t *traffic.Traffic, drain time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{Handler: newHandler(t, p.Handler), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(listener)
		stop() // traffic that nobody can see is of no use
	}()
	t.Run(ctx)
	err := shutdown(context.WithoutCancel(ctx), server, p, drain)
	if failure := <-ended; !errors.Is(failure, http.ErrServerClosed) {
		err = errors.Join(failure, err)
	}
	return err
}

// shutdown ends what is left when the traffic has ended. The order is the point of it, and it is the same in any application:
//
//  1. The streams end. Only then has every request its record: ended too late, its figures are lost. That was Run.
//  2. What is pushed is pushed, at once: whatever else may hang, these figures are out.
//  3. The page is served a little longer: what is scraped needs a last scrape, and nobody can ask for one.
//  4. The server ends, before what it serves does: an empty page would look to Prometheus as if nothing had ever been there.
//  5. The pipeline ends.
func shutdown(ctx context.Context, server *http.Server, p *pipeline.Pipeline, drain time.Duration) error {
	_ = within(ctx, p.MeterProvider.ForceFlush) // should it fail, the last step tries again and says so
	time.Sleep(drain)
	return errors.Join(within(ctx, server.Shutdown), within(ctx, p.Shutdown))
}

// within does something that is to take no longer than the patience.
func within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return do(ctx)
}
