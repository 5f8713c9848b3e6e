package sdks

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestGenai(t *testing.T) {
	type consumer = matrix.Consumer[*genai.GenerateContentResponse]
	open := func(ctx context.Context, client *http.Client) iter.Seq2[*genai.GenerateContentResponse, error] {
		c, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPClient: client})
		require.NoError(t, err)
		return c.Models.GenerateContentStream(ctx, "m", genai.Text("hi"), nil)
	}
	matrix.Run(t, matrix.SDK[*genai.GenerateContentResponse]{
		Name: "genai",
		Wire: matrix.Gemini,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Seq2(open(ctx, client))
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Seq2(stream.Seq2(rec, open(ctx, client), nil))
			return nil
		},
		Kind: func(r *genai.GenerateContentResponse) llmtest.Kind {
			for _, c := range r.Candidates {
				if c.Content == nil {
					continue
				}
				for _, p := range c.Content.Parts {
					switch {
					case p.Thought && p.Text != "":
						return llmtest.KindReasoning
					case p.Text != "":
						return llmtest.KindText
					}
				}
			}
			return ""
		},
		Format: "gemini",
		Traits: matrix.Traits{Lazy: true, HidesEnd: true, NoComments: true},
	})
}
