package ollama

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/sashabaranov/go-openai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func goOpenAIClient(c *http.Client) *openai.Client {
	config := openai.DefaultConfig("none")
	config.BaseURL = server + "/v1"
	config.HTTPClient = c
	return openai.NewClientWithConfig(config)
}

// goOpenAIUsage asks for usage, without which there is none.
var goOpenAIUsage = &openai.StreamOptions{IncludeUsage: true}

func goOpenAIChat(ctx context.Context, c *http.Client, rec *tpot.Recorder) (answer, error) {
	return goOpenAIChatWith(ctx, c, rec, goOpenAIUsage)
}

func goOpenAIChatUnasked(ctx context.Context, c *http.Client, rec *tpot.Recorder) (answer, error) {
	return goOpenAIChatWith(ctx, c, rec, nil)
}

func goOpenAIChatWith(ctx context.Context, c *http.Client, rec *tpot.Recorder, options *openai.StreamOptions) (a answer, err error) {
	opened, err := goOpenAIClient(c).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model:         model,
		Messages:      []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: prompt}},
		MaxTokens:     tokens, //lint:ignore SA1019 the server does not know the newer one
		Seed:          new(seed),
		StreamOptions: options,
	})
	if err != nil {
		rec.End(err)
		return a, err
	}
	s := stream.Recv(rec, opened, nil)
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		for _, choice := range chunk.Choices {
			a.piece(choice.Delta.Content)
			a.finish += string(choice.FinishReason)
		}
		a.goOpenAIUsage(chunk.Usage)
	}
}

func goOpenAICompletions(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	opened, err := goOpenAIClient(c).CreateCompletionStream(ctx, openai.CompletionRequest{
		Model:         model,
		Prompt:        prompt,
		MaxTokens:     tokens,
		Seed:          new(seed),
		StreamOptions: goOpenAIUsage,
	})
	if err != nil {
		rec.End(err)
		return a, err
	}
	s := stream.Recv(rec, opened, nil)
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		for _, choice := range chunk.Choices {
			a.piece(choice.Text)
			a.finish += choice.FinishReason
		}
		a.goOpenAIUsage(chunk.Usage)
	}
}

// goOpenAIUsage takes what a chunk has of usage: in all but the last it is nil or zero.
func (a *answer) goOpenAIUsage(u *openai.Usage) {
	if u != nil {
		a.usage = tpot.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	}
}
