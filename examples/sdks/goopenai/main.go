// Goopenai streams a chat completion with github.com/sashabaranov/go-openai and times it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sashabaranov/go-openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client := openai.NewClient(os.Getenv("OPENAI_API_KEY"))
	request := openai.ChatCompletionRequest{
		Model:         "gpt-5.4-mini",
		Messages:      []openai.ChatCompletionMessage{{Role: "user", Content: "Tell me about the sea."}},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true}, // else the tokens are a guess
	}

	rec := tpot.Start(ctx)
	opened, err := client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		rec.End(err) // there is no stream that would end it
		log.Fatal(err)
	}
	s := stream.Recv(rec, opened, nil)
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) { // also without an end marker: the Stats know
			break
		}
		if err != nil {
			log.Print(err)
			break
		}
		for _, choice := range chunk.Choices { // the event with the usage has none
			fmt.Print(choice.Delta.Content)
		}
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
