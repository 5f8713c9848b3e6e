package sdks

import (
	"context"
	"net/http"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestGoOpenAI(t *testing.T) {
	type consumer = matrix.Consumer[goopenai.ChatCompletionStreamResponse]
	open := func(ctx context.Context, client *http.Client) (*goopenai.ChatCompletionStream, error) {
		config := goopenai.DefaultConfig("key")
		config.HTTPClient = client
		return goopenai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{
			Model:         "m",
			Messages:      []goopenai.ChatCompletionMessage{{Role: "user", Content: "hi"}},
			StreamOptions: &goopenai.StreamOptions{IncludeUsage: true},
		})
	}
	matrix.Run(t, matrix.SDK[goopenai.ChatCompletionStreamResponse]{
		Name: "go-openai",
		Wire: matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				return err
			}
			c.Recv(s)
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				rec.End(err)
				return err
			}
			c.Recv(stream.Recv(rec, s, nil))
			return nil
		},
		Kind: func(r goopenai.ChatCompletionStreamResponse) llmtest.Kind {
			switch {
			case len(r.Choices) == 0:
			case r.Choices[0].Delta.Content != "":
				return llmtest.KindText
			case r.Choices[0].Delta.ReasoningContent != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "openai",
		Traits: matrix.Traits{HidesEnd: true},
	})
}
