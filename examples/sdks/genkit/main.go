// Genkit streams an answer with github.com/firebase/genkit/go and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai/openai"
	oai "github.com/openai/openai-go"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	g := genkit.Init(ctx, genkit.WithPlugins(&openai.OpenAI{}), genkit.WithDefaultModel("openai/gpt-4o-mini")) // OPENAI_API_KEY

	rec := tpot.Start(ctx)
	usage := oai.ChatCompletionNewParams{StreamOptions: oai.ChatCompletionStreamOptionsParam{IncludeUsage: oai.Bool(true)}} // else the tokens are a guess
	answer := genkit.GenerateStream(ctx, g, ai.WithPrompt("Tell me about the sea."), ai.WithConfig(usage))
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
