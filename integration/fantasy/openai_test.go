package fantasy

import (
	"context"
	"net/http"
	"testing"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/openai"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

type consumer = matrix.Consumer[fantasy.StreamPart]

func TestOpenAI(t *testing.T) {
	provider := func(client *http.Client) (fantasy.Provider, error) {
		return openai.New(openai.WithAPIKey("key"), openai.WithHTTPClient(client))
	}
	traits := matrix.Traits{NoReasoning: true, NoModel: true, Leaks: true}
	matrix.Run(t, sdk("fantasy openai", matrix.OpenAIChat, traits, provider))
}

func TestAnthropic(t *testing.T) {
	provider := func(client *http.Client) (fantasy.Provider, error) {
		return anthropic.New(anthropic.WithAPIKey("key"), anthropic.WithHTTPClient(client))
	}
	traits := matrix.Traits{NoCount: true, NoModel: true, LateUsage: true, Leaks: true, FinishReason: "stop"}
	matrix.Run(t, sdk("fantasy anthropic", matrix.AnthropicMessages, traits, provider))
}

func sdk(name string, wire func() matrix.Wire, traits matrix.Traits, provider func(*http.Client) (fantasy.Provider, error)) matrix.SDK[fantasy.StreamPart] {
	open := func(ctx context.Context, client *http.Client) (fantasy.StreamResponse, error) {
		p, err := provider(client)
		if err != nil {
			return nil, err
		}
		model, err := p.LanguageModel(ctx, "m")
		if err != nil {
			return nil, err
		}
		return model.Stream(ctx, fantasy.Call{Prompt: fantasy.Prompt{fantasy.NewUserMessage("hi")}})
	}
	carried := func(p fantasy.StreamPart) error { return p.Error }
	return matrix.SDK[fantasy.StreamPart]{
		Name: name,
		Wire: wire,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				return err
			}
			c.Seq(s, carried)
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				rec.End(err)
				return err
			}
			c.Seq(stream.Seq(rec, s, nil), carried)
			return nil
		},
		Kind: func(p fantasy.StreamPart) llmtest.Kind {
			switch p.Type {
			case fantasy.StreamPartTypeTextDelta:
				return llmtest.KindText
			case fantasy.StreamPartTypeReasoningDelta:
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "fantasy",
		Traits: traits,
	}
}
