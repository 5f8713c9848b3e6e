package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// Errors pass through where they come. Here one is the stream's last word, and so how the request ended.
func ExampleSeq2() {
	generate := func(yield func(string, error) bool) { // stands for an SDK's call
		_ = yield("Hello", nil) && yield("", errors.New("overloaded"))
	}
	rec := tpot.Start(context.Background())
	for word, err := range stream.Seq2(rec, generate, nil) {
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(word)
	}
	stats := rec.Stats()
	fmt.Println(stats.Outcome, stats.Cause, stats.Chunks)
	// Output:
	// Hello
	// error: overloaded
	// failed error from stream 1
}

// Leaving the loop is leaving the stream.
func ExampleSeq() {
	words := slices.Values([]string{"Hello", "world", "!"})
	rec := tpot.Start(context.Background())
	for word := range stream.Seq(rec, words, nil) {
		if word == "world" {
			break
		}
	}
	fmt.Println(rec.Stats().Outcome, rec.Stats().Cause, rec.Stats().Chunks)
	// Output: canceled break 2
}
