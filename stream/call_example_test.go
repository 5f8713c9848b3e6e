package stream_test

import (
	"context"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// chatClient hands its answer to a callback, chunk by chunk, as Ollama's client does.
type chatClient struct{}

func (chatClient) Chat(_ context.Context, fn func(word string) error) error {
	for _, word := range []string{"Hello", "world"} {
		if err := fn(word); err != nil {
			return err
		}
	}
	return nil
}

// The client is given emit where it was given the callback.
func ExampleCall() {
	ctx, client := context.Background(), chatClient{}
	show := func(word string) error {
		fmt.Println(word)
		return nil
	}

	rec := tpot.Start(ctx)
	err := stream.Call(rec, func(emit func(string) error) error {
		return client.Chat(ctx, emit) // was: client.Chat(ctx, show)
	}, show, nil)
	fmt.Println(err, rec.Stats().Outcome, rec.Stats().Chunks)
	// Output:
	// Hello
	// world
	// <nil> ok 2
}
