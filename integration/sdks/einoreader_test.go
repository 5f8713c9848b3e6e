package sdks

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// Where eino wants a *schema.StreamReader, the shortest way to time one is a conversion that converts nothing: all but the end comes
// by itself, and all waiting counts as the model's.
func TestEinoStreamReader(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		ai := llmtest.OpenAI{}
		server := llmtest.Start(llmtest.SSE().
			After(100*ms, ai.Role()).
			Every(20*ms, ai.Reasoning("Let me think."), ai.Text("The"), ai.Text(" sea")).
			After(0, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 3, Output: 11, Reasoning: 5}), ai.Done()))
		defer server.Close()
		model, err := openai.NewChatModel(t.Context(), &openai.ChatModelConfig{APIKey: "key", Model: "m", HTTPClient: server.Client()})
		require.NoError(t, err)

		rec := tpot.Start(t.Context())
		opened, err := model.Stream(t.Context(), []*schema.Message{schema.UserMessage("hi")})
		require.NoError(t, err)
		timed := schema.StreamReaderWithConvert(opened, func(m *schema.Message) (*schema.Message, error) {
			rec.Observe(stream.Auto(m))
			return m, nil
		})
		defer timed.Close()
		for err == nil {
			_, err = timed.Recv()
		}
		require.True(t, errors.Is(err, io.EOF))
		s := rec.End(nil)

		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, "stop", s.FinishReason)
		assert.Equal(t, 3, s.Chunks)
		assert.Equal(t, 11, s.Tokens)
		ttft, _ := s.TTFT()
		ttfo, _ := s.TTFO()
		perToken, _ := s.TPOT()
		assert.Equal(t, []time.Duration{120 * ms, 140 * ms, 4 * ms}, []time.Duration{ttft, ttfo, perToken}) // (160 - 120) / 10
		assert.Zero(t, s.Unclassified)
	})
}
