package stream_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// Values and errors that come on two channels are read in one loop.
func ExampleChan() {
	words, errs := make(chan string), make(chan error, 1)
	go func() {
		defer close(words)
		words <- "Hello"
		errs <- errors.New("connection lost")
	}()

	rec := tpot.Start(context.Background())
	for word, err := range stream.Chan(rec, words, errs, nil) {
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(word)
	}
	fmt.Println(rec.Stats().Outcome, "after", rec.Stats().Chunks, "chunk")
	// Output:
	// Hello
	// error: connection lost
	// failed after 1 chunk
}

// A channel that carries text and nothing beside it.
func ExampleChan_withoutErrors() {
	words := make(chan string, 2)
	words <- "Hello"
	words <- "world"
	close(words)

	rec := tpot.Start(context.Background())
	for word := range stream.Chan(rec, words, nil, nil) {
		fmt.Println(word)
	}
	fmt.Println(rec.Stats().Outcome)
	// Output:
	// Hello
	// world
	// ok
}
