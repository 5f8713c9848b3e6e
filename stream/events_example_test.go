package stream_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// wordEvents has its words in a channel, and the error it ends with apart, as Bedrock's event streams do.
type wordEvents struct {
	words chan string
	err   error
}

func (w *wordEvents) Events() <-chan string { return w.words }
func (w *wordEvents) Err() error            { return w.err }
func (w *wordEvents) Close() error          { return nil }

func newWordEvents(err error, words ...string) *wordEvents {
	w := &wordEvents{make(chan string, len(words)), err}
	for _, word := range words {
		w.words <- word
	}
	close(w.words)
	return w
}

// Who opened the source closes it, as without Events.
func ExampleEvents() {
	source := newWordEvents(nil, "Hello", "world")
	defer source.Close()

	rec := tpot.Start(context.Background())
	for word, err := range stream.Events(rec, source, nil) {
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

// Whatever has these two methods can be wrapped. The error it ends with comes after the last value.
func ExampleEventSource() {
	var source stream.EventSource[string] = newWordEvents(errors.New("throttled"), "Hello")
	for word, err := range stream.Events(tpot.Start(context.Background()), source, nil) {
		fmt.Printf("%q %v\n", word, err)
	}
	// Output:
	// "Hello" <nil>
	// "" throttled
}
