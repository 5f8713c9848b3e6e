// Anyllm streams a chat completion with github.com/mozilla-ai/any-llm-go and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mozilla-ai/any-llm-go/providers"
	"github.com/mozilla-ai/any-llm-go/providers/openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()                // a stream that is left early ends with its context only
	provider, err := openai.New() // OPENAI_API_KEY
	if err != nil {
		log.Fatal(err)
	}
	params := providers.CompletionParams{
		Model:         "gpt-5.4-mini",
		Messages:      []providers.Message{{Role: "user", Content: "Tell me about the sea."}},
		StreamOptions: &providers.StreamOptions{IncludeUsage: true}, // else the tokens are a guess
	}

	rec := tpot.Start(ctx)
	chunks, errs := provider.CompletionStream(ctx, params)
	for chunk, err := range stream.Chan(rec, chunks, errs, nil) {
		if err != nil {
			log.Print(err)
			break
		}
		for _, choice := range chunk.Choices { // the event with the usage has none
			fmt.Print(choice.Delta.Content)
		}
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
