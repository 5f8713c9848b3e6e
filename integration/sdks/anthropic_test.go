package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestAnthropic(t *testing.T) {
	type consumer = matrix.Consumer[anthropic.MessageStreamEventUnion]
	open := func(ctx context.Context, client *http.Client) *ssestream.Stream[anthropic.MessageStreamEventUnion] {
		c := anthropic.NewClient(option.WithHTTPClient(client), option.WithAPIKey("key"))
		return c.Messages.NewStreaming(ctx, anthropic.MessageNewParams{
			Model:     "m",
			MaxTokens: 100,
			Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
		})
	}
	matrix.Run(t, matrix.SDK[anthropic.MessageStreamEventUnion]{
		Name: "anthropic-sdk-go",
		Wire: matrix.AnthropicMessages,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Pull(open(ctx, client))
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Pull(stream.Pull(rec, open(ctx, client), nil))
			return nil
		},
		Kind: func(e anthropic.MessageStreamEventUnion) llmtest.Kind {
			switch {
			case e.Delta.Text != "":
				return llmtest.KindText
			case e.Delta.Thinking != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "anthropic",
		Traits: matrix.Traits{Retries: true, HidesEnd: true},
	})
}
