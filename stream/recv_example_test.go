package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// receiverOf gives its values, then io.EOF.
type receiverOf struct{ values []string }

func (r *receiverOf) Recv() (string, error) {
	if len(r.values) == 0 {
		return "", io.EOF
	}
	v := r.values[0]
	r.values = r.values[1:]
	return v, nil
}

// The loop is the one that was there before. Each says that every word is one token.
func ExampleRecv() {
	words := &receiverOf{values: []string{"Hello", ",", " world"}}
	s := stream.Recv(tpot.Start(context.Background()), words, stream.Each)
	for {
		word, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Print(word)
	}
	fmt.Println()
	fmt.Println(s.Stats().Outcome, s.Stats().Tokens, "tokens", s.Stats().Source)
	// Output:
	// Hello, world
	// ok 3 tokens counted
}

// A RecvStream has a Close whether or not the stream it wraps has one: called early it says that the reader left.
func ExampleRecvStream() {
	s := stream.Recv(tpot.Start(context.Background()), &receiverOf{values: []string{"Hello", "world"}}, nil)
	_, _ = s.Recv()
	_ = s.Close()
	fmt.Printf("%v (%s)\n", s.Stats().Outcome, s.Stats().Cause)
	// Output: canceled (early close)
}

// Whatever has this one method can be wrapped, and what comes back has it too: code that reads one reads the other.
func ExampleReceiver() {
	first := func(r stream.Receiver[string]) string {
		word, _ := r.Recv()
		return word
	}
	fmt.Println(first(&receiverOf{values: []string{"Hello"}}))
	timed := stream.Recv(tpot.Start(context.Background()), &receiverOf{values: []string{"Hello"}}, nil)
	fmt.Println(first(timed))
	// Output:
	// Hello
	// Hello
}
