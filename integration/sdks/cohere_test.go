package sdks

import (
	"context"
	"net/http"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/cohere-ai/cohere-go/v2/client"
	"github.com/cohere-ai/cohere-go/v2/core"
	"github.com/cohere-ai/cohere-go/v2/option"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestCohere(t *testing.T) {
	type consumer = matrix.Consumer[cohere.V2ChatStreamResponse]
	open := func(ctx context.Context, httpClient *http.Client) (*core.Stream[cohere.V2ChatStreamResponse], error) {
		c := client.NewClient(option.WithHTTPClient(httpClient), option.WithToken("key"))
		return c.V2.ChatStream(ctx, &cohere.V2ChatStreamRequest{Model: "m", Messages: cohere.ChatMessages{
			{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: "hi"}}},
		}})
	}
	goesOn := func(err error) bool { return err.Error() == "unexpected end of JSON input" }
	matrix.Run(t, matrix.SDK[cohere.V2ChatStreamResponse]{
		Name: "cohere",
		Wire: matrix.CohereChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				return err
			}
			c.RecvOn(s, goesOn)
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				rec.End(err)
				return err
			}
			c.RecvOn(stream.Recv(rec, s, nil), goesOn)
			return nil
		},
		Kind: func(r cohere.V2ChatStreamResponse) llmtest.Kind {
			if r.ContentDelta == nil {
				return ""
			}
			switch content := r.ContentDelta.Delta.Message.Content; {
			case content.Text != nil && *content.Text != "":
				return llmtest.KindText
			case content.Thinking != nil && *content.Thinking != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "cohere",
		Traits: matrix.Traits{Retries: true, HidesEnd: true, HidesError: true, Stutters: true, NoComments: true},
	})
}
