package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestOpenAIResponses(t *testing.T) {
	type consumer = matrix.Consumer[responses.ResponseStreamEventUnion]
	open := func(ctx context.Context, client *http.Client) *ssestream.Stream[responses.ResponseStreamEventUnion] {
		c := openai.NewClient(option.WithHTTPClient(client), option.WithAPIKey("key"))
		return c.Responses.NewStreaming(ctx, responses.ResponseNewParams{
			Model: "m",
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
		})
	}
	matrix.Run(t, matrix.SDK[responses.ResponseStreamEventUnion]{
		Name: "openai-go responses",
		Wire: matrix.OpenAIResponses,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Pull(open(ctx, client))
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Pull(stream.Pull(rec, open(ctx, client), nil))
			return nil
		},
		Kind: func(e responses.ResponseStreamEventUnion) llmtest.Kind {
			switch e.AsAny().(type) {
			case responses.ResponseTextDeltaEvent:
				return llmtest.KindText
			case responses.ResponseReasoningSummaryTextDeltaEvent:
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "openai responses",
		Traits: matrix.Traits{Retries: true, HidesEnd: true, HidesError: true},
	})
}
