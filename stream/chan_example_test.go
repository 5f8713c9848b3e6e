package stream_test

import (
	"context"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func ExampleChan() {
	words, errs := make(chan string), make(chan error, 1)
	go func() {
		defer close(words)
		words <- "Hello"
		errs <- fmt.Errorf("connection lost")
	}()
	rec := tpot.Start(context.Background())
	for word, err := range stream.Chan(rec, words, errs, nil) {
		fmt.Println(word, err)
	}
	fmt.Println(rec.Stats().Outcome)
	// Output:
	// Hello <nil>
	//  connection lost
	// failed
}
