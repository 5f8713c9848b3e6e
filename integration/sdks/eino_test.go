package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestEino(t *testing.T) {
	type consumer = matrix.Consumer[*schema.Message]
	open := func(ctx context.Context, client *http.Client) (*schema.StreamReader[*schema.Message], error) {
		model, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{APIKey: "key", Model: "m", HTTPClient: client})
		require.NoError(t, err)
		return model.Stream(ctx, []*schema.Message{schema.UserMessage("hi")})
	}
	matrix.Run(t, matrix.SDK[*schema.Message]{
		Name: "eino openai",
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
		Kind: func(m *schema.Message) llmtest.Kind {
			switch {
			case m.Content != "":
				return llmtest.KindText
			case m.ReasoningContent != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "eino",
		Traits: matrix.Traits{NoCount: true, NoModel: true, HidesEnd: true, Lingers: true},
	})
}
