// Ollama streams a chat with github.com/ollama/ollama/api and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/ollama/ollama/api"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client, err := api.ClientFromEnvironment() // OLLAMA_HOST
	if err != nil {
		log.Fatal(err)
	}
	request := &api.ChatRequest{Model: "llama3.2", Messages: []api.Message{{Role: "user", Content: "Tell me about the sea."}}}
	show := func(r api.ChatResponse) error {
		_, err := fmt.Print(r.Message.Content)
		return err
	}

	rec := tpot.Start(ctx)
	err = stream.Call(rec, func(emit func(api.ChatResponse) error) error {
		return client.Chat(ctx, request, emit)
	}, show, nil)
	if err != nil { // nil also after a cut or a cancel: the Stats know
		log.Print(err)
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
