package stream_test

import (
	"context"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// wordEvents has its words in a channel.
type wordEvents struct{ words chan string }

func (w wordEvents) Events() <-chan string { return w.words }
func (w wordEvents) Err() error            { return nil }

func newWordEvents(words ...string) wordEvents {
	w := wordEvents{make(chan string, len(words))}
	for _, word := range words {
		w.words <- word
	}
	close(w.words)
	return w
}

func ExampleEvents() {
	rec := tpot.Start(context.Background())
	for word, err := range stream.Events(rec, newWordEvents("Hello", "world"), nil) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(word)
	}
	fmt.Println(rec.Stats().Outcome)
	// Output:
	// Hello
	// world
	// ok
}

// Whatever has these two methods can be wrapped.
func ExampleEventSource() {
	var s stream.EventSource[string] = newWordEvents("Hello")
	rec := tpot.Start(context.Background())
	for word := range stream.Events(rec, s, nil) {
		fmt.Println(word)
	}
	// Output: Hello
}
