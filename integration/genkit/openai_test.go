package genkit

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai/openai"
	"github.com/openai/openai-go/option"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

type consumer = matrix.Consumer[*ai.ModelStreamValue]

// current is the transport of the request under way. Genkit cannot be started in a bubble, since it listens to signals.
type current struct{ http.RoundTripper }

func TestOpenAI(t *testing.T) {
	var transport current
	client := &http.Client{Transport: &transport}
	g := genkit.Init(t.Context(), genkit.WithPlugins(&openai.OpenAI{APIKey: "key", Opts: []option.RequestOption{option.WithHTTPClient(client)}}))
	open := func(ctx context.Context, client *http.Client) iter.Seq2[*ai.ModelStreamValue, error] {
		transport.RoundTripper = client.Transport
		return genkit.GenerateStream(ctx, g, ai.WithModelName("openai/gpt-4o-mini"), ai.WithPrompt("hi"))
	}
	matrix.Run(t, matrix.SDK[*ai.ModelStreamValue]{
		Name:  "genkit openai",
		Wire:  matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) { c.Seq2(open(ctx, client)) },
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) {
			c.Seq2(stream.Seq2(rec, open(ctx, client), nil))
		},
		Kind: func(v *ai.ModelStreamValue) llmtest.Kind {
			switch {
			case v.Chunk == nil:
			case v.Chunk.Text() != "":
				return llmtest.KindText
			case v.Chunk.Reasoning() != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Traits: matrix.Traits{Retries: true, Lazy: true, NoReasoning: true, NoCount: true, HidesEnd: true, Leaks: true, PanicsAtEnd: true},
	})
}
