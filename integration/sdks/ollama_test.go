package sdks

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestOllama(t *testing.T) {
	type consumer = matrix.Consumer[api.ChatResponse]
	chat := func(ctx context.Context, client *http.Client, show api.ChatResponseFunc) error {
		c := api.NewClient(&url.URL{Scheme: "http", Host: "llm.test"}, client)
		return c.Chat(ctx, &api.ChatRequest{Model: "m", Messages: []api.Message{{Role: "user", Content: "hi"}}}, show)
	}
	matrix.Run(t, matrix.SDK[api.ChatResponse]{
		Name: "ollama chat",
		Wire: matrix.OllamaChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			return chat(ctx, client, c.Show)
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			return stream.Call(rec, func(emit func(api.ChatResponse) error) error {
				return chat(ctx, client, emit)
			}, c.Show, nil)
		},
		Kind: func(r api.ChatResponse) llmtest.Kind {
			switch {
			case r.Message.Content != "":
				return llmtest.KindText
			case r.Message.Thinking != "":
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "ollama",
		Traits: matrix.Traits{HidesCut: true, GarblesCut: true, Lazy: true, HidesCancel: true, HidesEnd: true},
	})
}
