// Cohere streams a chat with github.com/cohere-ai/cohere-go/v2 and times it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/cohere-ai/cohere-go/v2/client"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	co := client.NewClient(client.WithToken(os.Getenv("CO_API_KEY")))
	request := &cohere.V2ChatStreamRequest{
		Model: "command-a-03-2025",
		Messages: cohere.ChatMessages{
			{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: "Tell me about the sea."}}},
		},
	}

	rec := tpot.Start(ctx)
	opened, err := co.V2.ChatStream(ctx, request)
	if err != nil {
		rec.End(err) // there is no stream that would end it
		log.Fatal(err)
	}
	s := stream.Recv(rec, opened, nil)
	defer s.Close()
	for {
		event, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && err.Error() == "unexpected end of JSON input" {
			continue // version 2.15 gives it after an event that comes alone, and goes on
		}
		if err != nil {
			log.Print(err)
			break
		}
		if delta := event.ContentDelta; delta != nil && delta.Delta.Message.Content.Text != nil {
			fmt.Print(*delta.Delta.Message.Content.Text)
		}
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
