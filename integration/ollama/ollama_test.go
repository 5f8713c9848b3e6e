package ollama

import (
	"context"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func ollamaChat(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	client := ollamaClient(c)
	req := &api.ChatRequest{
		Model:    model,
		Messages: []api.Message{{Role: "user", Content: prompt}},
		Options:  map[string]any{"num_predict": tokens, "seed": seed},
	}
	show := func(r api.ChatResponse) error {
		a.piece(r.Message.Content)
		if r.Done {
			a.own(r.DoneReason, r.Metrics)
		}
		return nil
	}
	err = stream.Call(rec, func(emit func(api.ChatResponse) error) error {
		return client.Chat(ctx, req, emit)
	}, show, nil)
	return a, err
}

func ollamaGenerate(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	client := ollamaClient(c)
	req := &api.GenerateRequest{
		Model:   model,
		Prompt:  prompt,
		Options: map[string]any{"num_predict": tokens, "seed": seed},
	}
	show := func(r api.GenerateResponse) error {
		a.piece(r.Response)
		if r.Done {
			a.own(r.DoneReason, r.Metrics)
		}
		return nil
	}
	err = stream.Call(rec, func(emit func(api.GenerateResponse) error) error {
		return client.Generate(ctx, req, emit)
	}, show, nil)
	return a, err
}

func ollamaClient(c *http.Client) *api.Client {
	base, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	return api.NewClient(base, c)
}
