package ollama

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// complete holds what is true of every response.
func complete(t *testing.T, w wire, by way, a answer, s tpot.Stats) {
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.NoError(t, s.Err)
	assert.Equal(t, w.finish, s.FinishReason)
	assert.Equal(t, a.finish, s.FinishReason)
	assert.Equal(t, w.format, s.Wire)
	assert.Equal(t, model, s.Model)
	assert.Equal(t, a.pieces, s.Chunks)
	assert.Less(t, s.Chunks, tokens, "the tokens of some bytes should have been held back")
	assert.Zero(t, s.Unclassified)
	assert.Zero(t, s.Unread)
	assert.Zero(t, s.Faults)
	assert.Equal(t, serverTimings(a), s.Server)
	inOrder(t, s)
	attempts(t, by, s)
}

func inOrder(t *testing.T, s tpot.Stats) {
	ttft, ok := s.TTFT()
	require.True(t, ok)
	ttfo, ok := s.TTFO()
	require.True(t, ok)
	e2e, ok := s.E2E()
	require.True(t, ok)
	assert.Positive(t, ttft)
	assert.Equal(t, ttft, ttfo, "nothing of it was reasoning")
	assert.LessOrEqual(t, ttfo+s.Gaps().Sum(), e2e)
}

func attempts(t *testing.T, by way, s tpot.Stats) {
	if !by.taps {
		assert.Empty(t, s.Attempts)
		return
	}
	require.Len(t, s.Attempts, 1)
	assert.Equal(t, 200, s.Attempts[0].Status)
}

func hasUsage(t *testing.T, a answer, s tpot.Stats) {
	assert.Equal(t, tpot.SourceReported, s.Source)
	assert.Equal(t, tokens, s.Tokens)
	assert.Equal(t, tokens, s.Usage.Output)
	assert.Equal(t, a.usage, s.Usage)
	assert.Contains(t, s.String(), "over 240 tokens (reported)")
	assert.Equal(t, spread(s.Gaps().Sum(), tokens), tpotOf(t, s))
}

func isGuess(t *testing.T, a answer, s tpot.Stats) {
	assert.Equal(t, tpot.SourceChunks, s.Source)
	assert.Equal(t, a.pieces, s.Tokens)
	assert.Zero(t, s.Usage)
	assert.Contains(t, s.String(), "chunks (a guess at the tokens)")
	assert.Equal(t, spread(s.Gaps().Sum(), a.pieces), tpotOf(t, s))
}

// spread is the time from the first of n to the last, over the n-1 that it took.
func spread(window time.Duration, n int) time.Duration {
	return time.Duration(math.Round(float64(window) / float64(n-1)))
}

func tpotOf(t *testing.T, s tpot.Stats) time.Duration {
	d, ok := s.TPOT()
	require.True(t, ok)
	return d
}

// serverTimings is what the SDK's own last response says, if it does.
func serverTimings(a answer) tpot.ServerTimings {
	m := a.metrics
	if m.EvalCount == 0 {
		return tpot.ServerTimings{}
	}
	return tpot.ServerTimings{
		Source: "ollama", Total: m.TotalDuration, Load: m.LoadDuration,
		Prompt: m.PromptEvalDuration, PromptTokens: m.PromptEvalCount,
		Output: m.EvalDuration, OutputTokens: m.EvalCount,
	}
}
