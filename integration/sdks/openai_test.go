package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestOpenAIChat(t *testing.T) {
	params := openai.ChatCompletionNewParams{
		Model:         "m",
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	matrix.Run(t, openAIChat("openai-go chat", matrix.OpenAIChat, params))
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	matrix.Run(t, openAIChat("openai-go chat, usage unasked", matrix.OpenAIChatUnasked, params))
}

func openAIChat(name string, wire func() matrix.Wire, params openai.ChatCompletionNewParams) matrix.SDK[openai.ChatCompletionChunk] {
	type consumer = matrix.Consumer[openai.ChatCompletionChunk]
	open := func(ctx context.Context, client *http.Client) *ssestream.Stream[openai.ChatCompletionChunk] {
		c := openai.NewClient(option.WithHTTPClient(client), option.WithAPIKey("key"))
		return c.Chat.Completions.NewStreaming(ctx, params)
	}
	return matrix.SDK[openai.ChatCompletionChunk]{
		Name: name,
		Wire: wire,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Pull(open(ctx, client))
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Pull(stream.Pull(rec, open(ctx, client), nil))
			return nil
		},
		Kind: func(chunk openai.ChatCompletionChunk) llmtest.Kind {
			switch {
			case len(chunk.Choices) == 0:
			case chunk.Choices[0].Delta.Content != "":
				return llmtest.KindText
			case chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"].Raw() != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "openai",
		Traits: matrix.Traits{Retries: true, HidesEnd: true},
	}
}
