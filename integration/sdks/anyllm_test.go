package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/mozilla-ai/any-llm-go/config"
	"github.com/mozilla-ai/any-llm-go/providers"
	"github.com/mozilla-ai/any-llm-go/providers/openai"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestAnyLLM(t *testing.T) {
	type consumer = matrix.Consumer[providers.ChatCompletionChunk]
	open := func(ctx context.Context, client *http.Client) (<-chan providers.ChatCompletionChunk, <-chan error) {
		provider, err := openai.New(config.WithAPIKey("key"), config.WithHTTPClient(client))
		require.NoError(t, err)
		return provider.CompletionStream(ctx, providers.CompletionParams{
			Model:         "m",
			Messages:      []providers.Message{{Role: "user", Content: "hi"}},
			StreamOptions: &providers.StreamOptions{IncludeUsage: true},
		})
	}
	matrix.Run(t, matrix.SDK[providers.ChatCompletionChunk]{
		Name: "any-llm-go openai",
		Wire: matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			chunks, errs := open(ctx, client)
			c.Chan(chunks)
			if !c.Left {
				c.Fail(<-errs)
			}
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			chunks, errs := open(ctx, client)
			c.Seq2(stream.Chan(rec, chunks, errs, nil))
			return nil
		},
		Kind: func(chunk providers.ChatCompletionChunk) llmtest.Kind {
			switch {
			case len(chunk.Choices) == 0:
			case chunk.Choices[0].Delta.Content != "":
				return llmtest.KindText
			case chunk.Choices[0].Delta.Reasoning != nil:
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "openai",
		Traits: matrix.Traits{Retries: true, Lazy: true, NoReasoning: true, NoCount: true, HidesEnd: true, Leaks: true, Lingers: true, NoComments: true},
	})
}
