// Responses streams a response of OpenAI's Responses API with github.com/openai/openai-go/v3 and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client := openai.NewClient() // OPENAI_API_KEY, OPENAI_BASE_URL
	params := responses.ResponseNewParams{
		Model: openai.ChatModelGPT5_4Mini,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Tell me about the sea.")},
	}

	s := stream.Pull(tpot.Start(ctx), client.Responses.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		if e, ok := s.Current().AsAny().(responses.ResponseTextDeltaEvent); ok {
			fmt.Print(e.Delta)
		}
	}
	if err := s.Err(); err != nil { // nil also after response.failed: the Stats know
		log.Print(err)
	}

	fmt.Println()
	fmt.Print(s.Stats().Report())
}
