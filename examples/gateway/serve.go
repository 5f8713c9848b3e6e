package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// serve serves until the context ends. Then it accepts nothing more, and cancels the requests that have not ended after the grace.
// When it returns every request has had its record.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, grace time.Duration) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var open connections
	server := &http.Server{
		Handler:           handler,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnState:         open.count,
		ReadHeaderTimeout: 10 * time.Second, // there is no limit to the answers: a long one is no slow one
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, leave := context.WithTimeout(requests, grace)
	defer leave()
	if server.Shutdown(patience) != nil {
		cancel()
		_ = server.Close() // clients that do not even read hold their requests up
	}
	<-ended // from here on no connection is added
	open.Wait()
	return nil
}

// connections counts those that are open. One that was upgraded counts no more: its record has ended.
type connections struct{ sync.WaitGroup }

func (c *connections) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.Add(1)
	case http.StateHijacked, http.StateClosed:
		c.Done()
	}
}
