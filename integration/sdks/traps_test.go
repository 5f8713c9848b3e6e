package sdks

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const ms = time.Millisecond

// served runs a test in a bubble with a server that plays the script.
func served(t *testing.T, script llmtest.Script, test func(*testing.T, *llmtest.Server)) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start(script)
		defer server.Close()
		test(t, server)
	})
}

// reasoningFirst is an answer whose reasoning is in the member "reasoning", as vLLM and OpenRouter have it.
func reasoningFirst() llmtest.Script {
	ai := llmtest.OpenAI{}
	return llmtest.SSE().
		After(100*ms, llmtest.Raw(`data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"reasoning":"Hm."}}]}`+"\n\n")).
		After(50*ms, ai.Text("The")).
		After(0, ai.Finish("stop"), ai.Done())
}

func TestOpenAIReadsReasoning(t *testing.T) {
	served(t, reasoningFirst(), func(t *testing.T, server *llmtest.Server) {
		client := openai.NewClient(option.WithHTTPClient(server.Client()), option.WithAPIKey("key"))
		s := stream.Pull(tpot.Start(t.Context()), client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{}), nil)
		for s.Next() {
		}
		assert.Equal(t, [2]time.Duration{100 * ms, 150 * ms}, firsts(t, s.Stats()))
	})
}

func TestGoOpenAIDropsReasoning(t *testing.T) {
	served(t, reasoningFirst(), func(t *testing.T, server *llmtest.Server) {
		config := goopenai.DefaultConfig("key")
		config.HTTPClient = server.Client()
		rec := tpot.Start(t.Context())
		opened, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(t.Context(), goopenai.ChatCompletionRequest{})
		require.NoError(t, err)
		s := stream.Recv(rec, opened, nil)
		for err == nil {
			_, err = s.Recv()
		}
		require.True(t, errors.Is(err, io.EOF))
		require.NoError(t, s.Close())
		assert.Equal(t, [2]time.Duration{150 * ms, 150 * ms}, firsts(t, s.Stats()))
	})
}

// firsts is the time to the first token, and to the first output token.
func firsts(t *testing.T, s tpot.Stats) [2]time.Duration {
	ttft, ok := s.TTFT()
	require.True(t, ok)
	ttfo, ok := s.TTFO()
	require.True(t, ok)
	return [2]time.Duration{ttft, ttfo}
}

func TestAnthropicSwallowsPings(t *testing.T) {
	an := llmtest.Anthropic{}
	script := llmtest.SSE().
		After(100*ms, an.Start(3), an.OpenText(), an.Text("The")).
		Every(400*ms, an.Ping(), an.Ping(), an.Text(" sea")).
		After(0, an.Close(), an.Finish("end_turn", llmtest.Usage{Input: 3, Output: 2}), an.Done())
	served(t, script, func(t *testing.T, server *llmtest.Server) {
		client := anthropic.NewClient(anthropicoption.WithHTTPClient(server.Client()), anthropicoption.WithAPIKey("key"))
		s := stream.Pull(tpot.Start(t.Context()), client.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{}), nil)
		types := map[string]int{}
		for s.Next() {
			types[s.Current().Type]++
		}
		require.NoError(t, s.Err())
		assert.Zero(t, types["ping"])
		assert.Equal(t, 2, types["content_block_delta"])
		assert.Equal(t, tpot.Stalls{Count: 1, Total: 1200 * ms, Longest: 1200 * ms}, s.Stats().Stalls)
	})
}

func TestGenaiTellsTheTokensOfChunks(t *testing.T) {
	ai := llmtest.Gemini{Usage: llmtest.Usage{Input: 3}}
	first := ai.Text("The")
	ai.Usage.Output += 2 // and one that the builder adds
	second := ai.Text(" deep blue sea").WithTokens(3)
	served(t, llmtest.SSE().After(100*ms, first).After(90*ms, second).After(0, ai.Finish("STOP", "")), func(t *testing.T, server *llmtest.Server) {
		rec := tpot.Start(t.Context())
		for range stream.Seq2(rec, generate(t, server), nil) {
		}
		s := rec.Stats()
		assert.Equal(t, 4, s.Tokens)
		assert.Equal(t, 3, s.ITL().Count())
		perToken, _ := s.ITL().Mean()
		assert.Equal(t, 30*ms, perToken)
	})
}

func TestGenaiSendsAgainWhenRangedAgain(t *testing.T) {
	ai := llmtest.Gemini{Usage: llmtest.Usage{Input: 3}}
	served(t, llmtest.SSE().After(100*ms, ai.Text("The"), ai.Finish("STOP", "")), func(t *testing.T, server *llmtest.Server) {
		rec := tpot.Start(t.Context())
		answer := stream.Seq2(rec, generate(t, server), nil)
		assert.Empty(t, server.Log())
		for range answer {
		}
		first := rec.Stats()
		for range answer {
		}
		assert.Len(t, server.Log(), 2)
		assert.Equal(t, first, rec.Stats())
	})
}

func generate(t *testing.T, server *llmtest.Server) func(yield func(*genai.GenerateContentResponse, error) bool) {
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPClient: server.Client()})
	require.NoError(t, err)
	return client.Models.GenerateContentStream(t.Context(), "m", genai.Text("hi"), nil)
}
