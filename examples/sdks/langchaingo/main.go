// Langchaingo streams an answer with github.com/tmc/langchaingo and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	llm, err := openai.New(openai.WithModel("gpt-5.4-mini")) // OPENAI_API_KEY, OPENAI_BASE_URL
	if err != nil {
		log.Fatal(err)
	}
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Tell me about the sea.")}
	show := func(text []byte) error {
		_, err := fmt.Print(string(text))
		return err
	}

	rec := tpot.Start(ctx)
	err = stream.Call(rec, func(emit func([]byte) error) error {
		streaming := llms.WithStreamingFunc(func(_ context.Context, text []byte) error { return emit(text) })
		response, err := llm.GenerateContent(ctx, messages, streaming)
		rec.Observe(stream.Auto(response)) // the usage and the stop reason, which the callback is not told
		return err
	}, show, nil)
	if err != nil {
		log.Print(err)
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
