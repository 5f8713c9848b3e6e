// Anthropic streams a message with github.com/anthropics/anthropic-sdk-go/v2 and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client := anthropic.NewClient() // ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
	params := anthropic.MessageNewParams{
		Model:     anthropic.ModelClaudeHaiku4_5,
		MaxTokens: 1000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Tell me about the sea."))},
	}

	s := stream.Pull(tpot.Start(ctx), client.Messages.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		fmt.Print(s.Current().Delta.Text)
	}
	if err := s.Err(); err != nil {
		log.Print(err)
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
