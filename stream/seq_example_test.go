package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func ExampleSeq2() {
	generate := func(yield func(string, error) bool) {
		_ = yield("Hello", nil) && yield("", errors.New("overloaded"))
	}
	rec := tpot.Start(context.Background())
	for word, err := range stream.Seq2(rec, generate, nil) {
		fmt.Println(word, err)
	}
	fmt.Println(rec.Stats().Outcome, rec.Stats().Chunks)
	// Output:
	// Hello <nil>
	//  overloaded
	// failed 1
}

func ExampleSeq() {
	rec := tpot.Start(context.Background())
	for word := range stream.Seq(rec, slices.Values([]string{"Hello", "world", "!"}), nil) {
		if word == "world" {
			break
		}
	}
	fmt.Println(rec.Stats().Outcome, rec.Stats().Cause, rec.Stats().Chunks)
	// Output: canceled break 2
}
