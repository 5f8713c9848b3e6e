// Genkit streams an answer with github.com/firebase/genkit/go and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai/openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	g := genkit.Init(ctx, genkit.WithPlugins(&openai.OpenAI{}), genkit.WithDefaultModel("openai/gpt-4o-mini")) // OPENAI_API_KEY

	rec := tpot.Start(ctx)
	answer := genkit.GenerateStream(ctx, g, ai.WithPrompt("Tell me about the sea."))
	for value, err := range stream.Seq2(rec, answer, nil) { // sends the request
		if err != nil {
			log.Print(err)
			continue // not break: version 1.4 panics when a stream is left early
		}
		if !value.Done {
			fmt.Print(value.Chunk.Text())
		}
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
