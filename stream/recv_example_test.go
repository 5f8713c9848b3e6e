package stream_test

import (
	"context"
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

func ExampleRecv() {
	s := stream.Recv(tpot.Start(context.Background()), &receiverOf{values: []string{"Hello", ", ", "world"}}, stream.Each)
	defer s.Close()
	for {
		word, err := s.Recv()
		if err == io.EOF {
			break
		}
		fmt.Print(word)
	}
	fmt.Println()
	fmt.Println(s.Stats().Outcome, s.Stats().Tokens, "tokens")
	// Output:
	// Hello, world
	// ok 3 tokens
}

// A RecvStream is used as the stream it wraps, and closes it too.
func ExampleRecvStream() {
	s := stream.Recv(tpot.Start(context.Background()), &receiverOf{values: []string{"Hello", "world"}}, nil)
	_, _ = s.Recv()
	_ = s.Close()
	fmt.Println(s.Stats().Outcome, s.Stats().Cause)
	// Output: canceled early close
}

// Whatever has this one method can be wrapped.
func ExampleReceiver() {
	var r stream.Receiver[string] = &receiverOf{values: []string{"Hello"}}
	s := stream.Recv(tpot.Start(context.Background()), r, nil)
	word, err := s.Recv()
	fmt.Println(word, err)
	_, err = s.Recv()
	fmt.Println(err)
	// Output:
	// Hello <nil>
	// EOF
}
