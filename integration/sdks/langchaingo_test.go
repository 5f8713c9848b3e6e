package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestLangchaingo(t *testing.T) {
	type consumer = matrix.Consumer[[]byte]
	generate := func(ctx context.Context, client *http.Client, show func([]byte) error) (*llms.ContentResponse, error) {
		llm, err := openai.New(openai.WithToken("key"), openai.WithModel("m"), openai.WithHTTPClient(client))
		require.NoError(t, err)
		return llm.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hi")},
			llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error { return show(chunk) }))
	}
	matrix.Run(t, matrix.SDK[[]byte]{
		Name: "langchaingo openai",
		Wire: matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			_, err := generate(ctx, client, c.Show)
			return err
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			return stream.Call(rec, func(emit func([]byte) error) error {
				answer, err := generate(ctx, client, emit)
				rec.Observe(stream.Auto(answer))
				return err
			}, c.Show, nil)
		},
		Kind: func(chunk []byte) llmtest.Kind {
			if len(chunk) > 0 {
				return llmtest.KindText
			}
			return ""
		},
		Response: true,
		Traits:   matrix.Traits{NoModel: true, Lazy: true, HidesEnd: true, RacesCancel: true, HidesError: true, NoError: true, NoReasoning: true},
	})
}
