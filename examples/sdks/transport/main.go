// Transport times whatever an SDK does with its HTTP client, here github.com/sashabaranov/go-openai, with no change where the SDK is
// called.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"

	"github.com/sashabaranov/go-openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// logger is an observer that logs each request when it ends.
type logger struct{}

func (logger) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, logger{}
}
func (logger) Observe(tpot.Arrival) {}
func (logger) End(s tpot.Stats)     { slog.Info("answer", "timing", s) }

func main() {
	tracker := &tpot.Tracker{Observers: []tpot.Observer{logger{}}}
	config := openai.DefaultConfig(os.Getenv("OPENAI_API_KEY"))
	config.HTTPClient = &http.Client{Transport: &stream.Transport{Tracker: tracker}}
	client := openai.NewClientWithConfig(config)

	s, err := client.CreateChatCompletionStream(context.Background(), openai.ChatCompletionRequest{
		Model:         "gpt-5.4-mini",
		Messages:      []openai.ChatCompletionMessage{{Role: "user", Content: "Tell me about the sea."}},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true}, // else the tokens are a guess
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Print(err)
			break
		}
		for _, choice := range chunk.Choices { // the event with the usage has none
			fmt.Print(choice.Delta.Content)
		}
	}
}
