// Fantasy streams an answer with charm.land/fantasy and times it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel() // a stream that is left early ends with its context only
	provider, err := openai.New(openai.WithAPIKey(os.Getenv("OPENAI_API_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	model, err := provider.LanguageModel(ctx, "gpt-5.4-mini")
	if err != nil {
		log.Fatal(err)
	}

	rec := tpot.Start(ctx)
	parts, err := model.Stream(ctx, fantasy.Call{Prompt: fantasy.Prompt{fantasy.NewUserMessage("Tell me about the sea.")}})
	if err != nil {
		rec.End(err) // there is no stream that would end it
		log.Fatal(err)
	}
	for part := range stream.Seq(rec, parts, nil) {
		switch part.Type {
		case fantasy.StreamPartTypeTextDelta:
			fmt.Print(part.Delta)
		case fantasy.StreamPartTypeError:
			log.Print(part.Error)
		}
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
