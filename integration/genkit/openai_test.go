package genkit

import (
	"context"
	"iter"
	"net/http"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai/openai"
	oai "github.com/openai/openai-go"
	"github.com/openai/openai-go/option"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// app is a genkit with one transport after the other. It cannot be started in a bubble, since it listens to signals.
type app struct {
	*genkit.Genkit
	http.RoundTripper
}

func newApp(ctx context.Context) *app {
	a := &app{}
	client := option.WithHTTPClient(&http.Client{Transport: a})
	a.Genkit = genkit.Init(ctx, genkit.WithPlugins(&openai.OpenAI{APIKey: "key", Opts: []option.RequestOption{client}}))
	return a
}

var (
	question = []ai.GenerateOption{ai.WithModelName("openai/gpt-4o-mini"), ai.WithPrompt("hi")}
	usage    = ai.WithConfig(oai.ChatCompletionNewParams{StreamOptions: oai.ChatCompletionStreamOptionsParam{IncludeUsage: oai.Bool(true)}})
)

func TestGenerateStream(t *testing.T) {
	a := newApp(t.Context())
	matrix.Run(t, generateStream("genkit openai", matrix.OpenAIChat, a, append(question, usage)))
	matrix.Run(t, generateStream("genkit openai, usage unasked", matrix.OpenAIChatUnasked, a, question))
}

func generateStream(name string, wire func() matrix.Wire, a *app, question []ai.GenerateOption) matrix.SDK[*ai.ModelStreamValue] {
	type consumer = matrix.Consumer[*ai.ModelStreamValue]
	open := func(ctx context.Context, client *http.Client) iter.Seq2[*ai.ModelStreamValue, error] {
		a.RoundTripper = client.Transport
		return genkit.GenerateStream(ctx, a.Genkit, question...)
	}
	return matrix.SDK[*ai.ModelStreamValue]{
		Name: name,
		Wire: wire,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Seq2(open(ctx, client))
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			c.Seq2(stream.Seq2(rec, open(ctx, client), nil))
			return nil
		},
		Kind:   func(v *ai.ModelStreamValue) llmtest.Kind { return kind(v.Chunk) },
		Format: "genkit",
		Traits: matrix.Traits{
			Retries: true, Lazy: true, NoReasoning: true, NoCount: true, NoModel: true, HidesEnd: true, NoComments: true, Leaks: true,
			PanicsWhenLeft: true,
		},
	}
}

func TestGenerate(t *testing.T) {
	type consumer = matrix.Consumer[*ai.ModelResponseChunk]
	a := newApp(t.Context())
	generate := func(ctx context.Context, client *http.Client, show func(*ai.ModelResponseChunk) error) (*ai.ModelResponse, error) {
		a.RoundTripper = client.Transport
		callback := ai.WithStreaming(func(_ context.Context, chunk *ai.ModelResponseChunk) error { return show(chunk) })
		return genkit.Generate(ctx, a.Genkit, append(question, usage, callback)...)
	}
	matrix.Run(t, matrix.SDK[*ai.ModelResponseChunk]{
		Name: "genkit openai, callback",
		Wire: matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			_, err := generate(ctx, client, c.Show)
			return err
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			return stream.Call(rec, func(emit func(*ai.ModelResponseChunk) error) error {
				answer, err := generate(ctx, client, emit)
				rec.Observe(stream.Auto(answer))
				return err
			}, c.Show, nil)
		},
		Kind:     kind,
		Format:   "genkit",
		Response: true,
		Traits:   matrix.Traits{Retries: true, Lazy: true, NoReasoning: true, NoCount: true, NoModel: true, HidesEnd: true, NoComments: true, Leaks: true},
	})
}

func kind(chunk *ai.ModelResponseChunk) llmtest.Kind {
	switch {
	case chunk == nil:
	case chunk.Text() != "":
		return llmtest.KindText
	case chunk.Reasoning() != "":
		return llmtest.KindReasoning
	}
	return ""
}
