// Eino streams an answer with github.com/cloudwego/eino and times it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/schema"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	model, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{APIKey: os.Getenv("OPENAI_API_KEY"), Model: "gpt-5.4-mini"})
	if err != nil {
		log.Fatal(err)
	}

	rec := tpot.Start(ctx)
	opened, err := model.Stream(ctx, []*schema.Message{schema.UserMessage("Tell me about the sea.")})
	if err != nil {
		rec.End(err) // there is no stream that would end it
		log.Fatal(err)
	}
	s := stream.Recv(rec, opened, nil)
	defer s.Close()
	for {
		message, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Print(err)
			break
		}
		fmt.Print(message.Content)
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
