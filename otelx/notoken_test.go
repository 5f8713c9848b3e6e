package otelx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestWhyASuccessHadNoFirstToken(t *testing.T) {
	role := tpot.Event{Kind: tpot.KindRole}
	for name, c := range map[string]struct {
		play func(r *tpot.Recorder)
		want string
	}{
		"an event that was not understood": {func(r *tpot.Recorder) { r.ObserveAt(ms(1), tpot.Event{}) }, "unclassified"},
		"a body that was not looked into":  {func(r *tpot.Recorder) { r.Unread() }, "unclassified"},
		"a stream over HTTP with no output, which Request does not tell of": {func(r *tpot.Recorder) {
			r.Attempt(tpot.Attempt{Status: 200, Headers: ms(1)})
			r.ObserveAt(ms(2), role)
		}, "no_output"},
	} {
		b := newBackend()
		_, r := b.tracker(t).Start(t.Context(), request())
		c.play(r)
		r.EndAt(ms(10), nil)
		assert.Equal(t, 1.0, b.where(t, "tokentiming.no_first_token", "tokentiming.reason", c.want).value, name)
		untold, _ := b.total(t, "tokentiming.no_first_token")
		assert.Equal(t, 1.0, untold, name)
	}
}

// The conventions' operations that generate nothing.
func TestOperationsWithoutInference(t *testing.T) {
	for _, operation := range []string{"embeddings", "retrieval", "create_agent", "invoke_agent", "invoke_workflow", "execute_tool", "plan", "fetch_response"} {
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvGenAIV01)).Start(t.Context(), tpot.Request{Operation: operation})
		r.EndAt(ms(2), assert.AnError)
		untold, _ := b.total(t, "tokentiming.no_first_token")
		assert.Zero(t, untold, operation)
		assert.Equal(t, uint64(1), b.only(t, "gen_ai.client.operation.duration").count, operation)
		assert.Empty(t, b.points(t, "gen_ai.client.inference.duration"), operation)
	}
	for _, operation := range []string{"chat", "generate_content", "text_completion", "", "anything"} {
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvGenAIV01)).Start(t.Context(), tpot.Request{Operation: operation})
		r.EndAt(ms(2), assert.AnError)
		assert.Equal(t, 1.0, b.where(t, "tokentiming.no_first_token", "tokentiming.reason", "failed").value, operation)
		assert.Empty(t, b.points(t, "gen_ai.client.operation.duration"), operation)
		assert.Equal(t, uint64(1), b.only(t, "gen_ai.client.inference.duration").count, operation)
	}
}
