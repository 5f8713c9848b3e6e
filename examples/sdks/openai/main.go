// Openai streams a chat completion with github.com/openai/openai-go/v3 and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/openai/openai-go/v3"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client := openai.NewClient() // OPENAI_API_KEY, OPENAI_BASE_URL
	params := openai.ChatCompletionNewParams{
		Model:         openai.ChatModelGPT5_4Mini,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Tell me about the sea.")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}, // else the tokens are a guess
	}

	s := stream.Pull(tpot.Start(ctx), client.Chat.Completions.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		for _, choice := range s.Current().Choices { // the event with the usage has none
			fmt.Print(choice.Delta.Content)
		}
	}
	if err := s.Err(); err != nil {
		log.Print(err)
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
