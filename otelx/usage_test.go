package otelx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// What a provider does not state is not zero.
func TestUsageThatIsNotStatedIsAbsent(t *testing.T) {
	const input, output = "gen_ai.client.inference.operation.input_tokens", "gen_ai.client.inference.operation.output_tokens"
	text := tpot.Event{Kind: tpot.KindText}
	usage := func(u tpot.Usage) tpot.Event { return tpot.Event{Kind: tpot.KindUsage, Usage: u} }
	for name, c := range map[string]struct {
		events                    []tpot.Event
		end                       error
		inputTokens, outputTokens []float64 // of the histograms of successes
		types                     []string  // of gen_ai.client.token.usage
		inputTotal, outputTotal   float64
	}{
		"neither":          {},
		"output alone":     {events: []tpot.Event{text, usage(tpot.Usage{Output: 7})}, outputTokens: []float64{7}, types: []string{"output"}, outputTotal: 7},
		"input alone":      {events: []tpot.Event{text, usage(tpot.Usage{Input: 5})}, inputTokens: []float64{5}, types: []string{"input"}, inputTotal: 5},
		"both, of failure": {events: []tpot.Event{text, usage(tpot.Usage{Input: 5, Output: 7})}, end: assert.AnError, types: []string{"input", "output"}, inputTotal: 5, outputTotal: 7},
	} {
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01)).Start(t.Context(), request())
		for _, e := range c.events {
			r.ObserveAt(ms(10), e)
		}
		r.EndAt(ms(20), c.end)
		assert.Equal(t, c.inputTokens, values(b.points(t, input)), name)
		assert.Equal(t, c.outputTokens, values(b.points(t, output)), name)
		var types []string
		for _, p := range b.points(t, "gen_ai.client.token.usage") {
			types = append(types, p.attrs["gen_ai.token.type"])
		}
		assert.ElementsMatch(t, c.types, types, name)
		assert.Equal(t, c.inputTotal, b.only(t, "gen_ai.client.inference.usage.input_tokens").value, name)
		assert.Equal(t, c.outputTotal, b.only(t, "gen_ai.client.inference.usage.output_tokens").value, name)
	}
}

func values(ps []point) (all []float64) {
	for _, p := range ps {
		all = append(all, p.value)
	}
	return all
}

// Where tokens come from is told of tokens and of the time for each alike.
func TestTheSourceOfTokensIsTold(t *testing.T) {
	for source, c := range map[string]struct {
		counted int // tokens of each chunk
		usage   tpot.Usage
		tokens  float64
	}{
		"reported": {2, tpot.Usage{Output: 5}, 5},
		"counted":  {2, tpot.Usage{}, 4},
		"chunks":   {0, tpot.Usage{}, 2},
	} {
		spans, provider := newTracing()
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
		r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText, Tokens: c.counted})
		r.ObserveAt(ms(22), tpot.Event{Kind: tpot.KindText | tpot.KindUsage, Tokens: c.counted, Usage: c.usage})
		r.EndAt(ms(30), nil)
		tokens := b.only(t, "tokentiming.output_tokens")
		assert.Equal(t, c.tokens, tokens.value, source)
		assert.Equal(t, requestAttributes("tokentiming.token.source", source), tokens.attrs)
		each := b.only(t, "tokentiming.time_per_output_token")
		assert.InDelta(t, 0.012/(c.tokens-1), each.value, 1e-9, source)
		assert.Equal(t, requestAttributes("tokentiming.token.source", source), each.attrs)
		end := spans.Ended()[0].Events()[2]
		assert.Equal(t, source, attributeOf(end.Attributes, "tokentiming.token.source").AsString())
	}
}

// The conventions of inference are not about what infers nothing.
func TestEmbeddingsHaveNoTokensOfInference(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvGenAIV01)).Start(t.Context(), tpot.Request{Operation: "embeddings"})
	r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 5}})
	r.EndAt(ms(2), nil)
	for name := range b.metrics(t) {
		assert.NotContains(t, name, "inference")
	}
}
