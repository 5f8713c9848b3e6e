package stream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// described returns what a Transport makes of a request, and the bytes of it that the server got.
func described(t *testing.T, transport *stream.Transport, req *http.Request) (s tpot.Stats, sent string) {
	records := &endings{}
	transport.Tracker = tracking(t, records)
	transport.Base = answering(func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			data, _ := io.ReadAll(req.Body)
			sent = string(data)
		}
		return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: req}, nil
	})
	_, err := transport.RoundTrip(req)
	require.NoError(t, err)
	return records.one(t), sent
}

// answering is a transport made of a function.
type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestWhatARequestSays(t *testing.T) {
	for _, c := range []struct {
		url, body string
		want      tpot.Request
	}{
		{
			"https://api.openai.com/v1/chat/completions", `{"messages":[{"model":"no"}],"model":"m-1","stream":true,"max_completion_tokens":9}`,
			tpot.Request{Operation: "chat", Provider: "openai", Model: "m-1", ServerAddress: "api.openai.com", ServerPort: 443, MaxTokens: 9, Stream: true},
		},
		{
			"https://api.openai.com/v1/responses", `{"model":"m-1","stream":false,"max_output_tokens":7}`,
			tpot.Request{Operation: "chat", Provider: "openai", Model: "m-1", ServerAddress: "api.openai.com", ServerPort: 443, MaxTokens: 7},
		},
		{
			"https://api.anthropic.com/v1/messages", `{"m\u006fdel":"c-1","max_tokens":1024,"stream":true}`,
			tpot.Request{Operation: "chat", Provider: "anthropic", Model: "c-1", ServerAddress: "api.anthropic.com", ServerPort: 443, MaxTokens: 1024, Stream: true},
		},
		{
			"https://generativelanguage.googleapis.com/v1beta/models/g-1:streamGenerateContent?alt=sse", `{"generationConfig":{"maxOutputTokens":5}}`,
			tpot.Request{
				Operation: "generate_content", Provider: "gcp.gemini", Model: "g-1", ServerAddress: "generativelanguage.googleapis.com", ServerPort: 443,
				MaxTokens: 5, Stream: true,
			},
		},
		{
			"https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google/models/g-1:generateContent", `{}`,
			tpot.Request{Operation: "generate_content", Provider: "gcp.vertex_ai", Model: "g-1", ServerAddress: "eu-aiplatform.googleapis.com", ServerPort: 443},
		},
		{
			"https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.c-1%3A0/converse-stream", `{"inferenceConfig":{"maxTokens":3}}`,
			tpot.Request{
				Operation: "chat", Provider: "aws.bedrock", Model: "anthropic.c-1:0", ServerAddress: "bedrock-runtime.eu-west-1.amazonaws.com",
				ServerPort: 443, MaxTokens: 3, Stream: true,
			},
		},
		{
			"https://x.openai.azure.com/openai/deployments/d-1/chat/completions?api-version=1", `{"stream":true}`,
			tpot.Request{Operation: "chat", Provider: "azure.ai.openai", Model: "d-1", ServerAddress: "x.openai.azure.com", ServerPort: 443, Stream: true},
		},
		{
			"http://localhost:11434/api/chat", `{"model":"tiny","options":{"num_predict":8}}`,
			tpot.Request{Operation: "chat", Model: "tiny", ServerAddress: "localhost", ServerPort: 11434, MaxTokens: 8, Stream: true},
		},
		{
			"http://localhost:11434/api/generate", `{"model":"tiny","stream":false}`,
			tpot.Request{Operation: "text_completion", Model: "tiny", ServerAddress: "localhost", ServerPort: 11434},
		},
		{
			"http://[::1]:8000/generate_stream", `not JSON`,
			tpot.Request{Operation: "text_completion", ServerAddress: "::1", ServerPort: 8000, Stream: true},
		},
		{
			"http://evilopenai.com/", ``,
			tpot.Request{ServerAddress: "evilopenai.com", ServerPort: 80},
		},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(c.body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		s, sent := described(t, &stream.Transport{}, req)
		assert.Equal(t, c.want, s.Request, c.url)
		assert.Equal(t, c.body, sent)
		assert.Zero(t, s.Faults)
	}
}

func TestARequestIsNeverConsumed(t *testing.T) {
	once := func(getBody func() (io.ReadCloser, error)) *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://llm.test/v1/messages", io.NopCloser(strings.NewReader(chatRequest)))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.GetBody = getBody
		return req
	}
	for name, getBody := range map[string]func() (io.ReadCloser, error){
		"nothing to get":  nil,
		"an error":        func() (io.ReadCloser, error) { return nil, errors.New("gone") },
		"a broken reader": func() (io.ReadCloser, error) { return &closing{Reader: iotest.ErrReader(errors.New("broken"))}, nil },
	} {
		s, sent := described(t, &stream.Transport{}, once(getBody))
		assert.Equal(t, chatRequest, sent, name)
		assert.Empty(t, s.Request.Model, name)
		assert.Zero(t, s.Faults, name)
	}
	s, sent := described(t, &stream.Transport{}, once(func() (io.ReadCloser, error) { panic("boom") }))
	assert.Equal(t, chatRequest, sent)
	assert.Equal(t, 1, s.Faults)
}

func TestTheCallersDescription(t *testing.T) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://llm.test", nil)
	require.NoError(t, err)
	s, _ := described(t, &stream.Transport{Request: func(r *http.Request) tpot.Request {
		return tpot.Request{Scenario: r.URL.Host}
	}}, req)
	assert.Equal(t, tpot.Request{Scenario: "llm.test"}, s.Request)

	s, _ = described(t, &stream.Transport{Request: func(*http.Request) tpot.Request { panic("boom") }}, req)
	assert.Equal(t, tpot.Request{}, s.Request)
	assert.Equal(t, 1, s.Faults)
}
