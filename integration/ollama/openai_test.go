package ollama

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func openaiClient(c *http.Client) openai.Client {
	return openai.NewClient(option.WithBaseURL(server+"/v1"), option.WithAPIKey("none"), option.WithHTTPClient(c))
}

// openaiUsage asks for usage, without which there is none.
var openaiUsage = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}

func openaiChat(ctx context.Context, c *http.Client, rec *tpot.Recorder) (answer, error) {
	return openaiChatWith(ctx, c, rec, openaiUsage)
}

func openaiChatUnasked(ctx context.Context, c *http.Client, rec *tpot.Recorder) (answer, error) {
	return openaiChatWith(ctx, c, rec, openai.ChatCompletionStreamOptionsParam{})
}

func openaiChatWith(ctx context.Context, c *http.Client, rec *tpot.Recorder, options openai.ChatCompletionStreamOptionsParam) (a answer, err error) {
	client := openaiClient(c)
	params := openai.ChatCompletionNewParams{
		Model:         model,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
		MaxTokens:     openai.Int(tokens),
		Seed:          openai.Int(seed),
		StreamOptions: options,
	}
	s := stream.Pull(rec, client.Chat.Completions.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		chunk := s.Current()
		for _, choice := range chunk.Choices {
			a.piece(choice.Delta.Content)
			a.finish += choice.FinishReason
		}
		a.openaiUsage(chunk.Usage)
	}
	return a, s.Err()
}

func openaiCompletions(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	client := openaiClient(c)
	params := openai.CompletionNewParams{
		Model:         model,
		Prompt:        openai.CompletionNewParamsPromptUnion{OfString: openai.String(prompt)},
		MaxTokens:     openai.Int(tokens),
		Seed:          openai.Int(seed),
		StreamOptions: openaiUsage,
	}
	s := stream.Pull(rec, client.Completions.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		chunk := s.Current()
		for _, choice := range chunk.Choices {
			a.piece(choice.Text)
			a.finish += string(choice.FinishReason)
		}
		a.openaiUsage(chunk.Usage)
	}
	return a, s.Err()
}

// openaiUsage takes what a chunk has of usage: in all but the last it is zero.
func (a *answer) openaiUsage(u openai.CompletionUsage) {
	a.usage = tpot.Usage{Input: int(u.PromptTokens), Output: int(u.CompletionTokens)}
}

func openaiResponses(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	client := openaiClient(c)
	params := responses.ResponseNewParams{
		Model:           model,
		Input:           responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)},
		MaxOutputTokens: openai.Int(tokens),
	}
	s := stream.Pull(rec, client.Responses.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		switch e := s.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			a.piece(e.Delta)
		case responses.ResponseCompletedEvent:
			a.finish = string(e.Response.Status)
			a.usage = tpot.Usage{Input: int(e.Response.Usage.InputTokens), Output: int(e.Response.Usage.OutputTokens)}
		}
	}
	return a, s.Err()
}
