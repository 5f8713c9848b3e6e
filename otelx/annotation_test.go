package otelx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// Absent is not zero on a span either.
func TestTheEndOfARequestWithoutAnything(t *testing.T) {
	spans, provider := newTracing()
	req := request()
	req.Stream = true
	_, r := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider), otelx.WithSemconv(otelx.SemconvGenAIV01)).Start(t.Context(), req)
	r.EndAt(ms(30), nil)
	span := spans.Ended()[0]
	assert.Equal(t, otelx.Version, span.InstrumentationScope().Version)
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", "openai"),
		attribute.String("gen_ai.request.model", "small-1"),
		attribute.String("server.address", "llm.example"),
		attribute.Int("server.port", 8443),
		attribute.Bool("gen_ai.request.stream", true), // it was asked for, and did not come
	}, span.Attributes())
	assert.Equal(t, []moment{{"tokentiming.end", ms(30)}}, moments(span, span.StartTime()))
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("tokentiming.convention", "tokentiming"),
		attribute.String("tokentiming.outcome", "ok"),
		attribute.Float64("tokentiming.response.wait", 0.03),
		attribute.Float64("tokentiming.response.hold", 0),
	}, span.Events()[0].Attributes)
}

func TestTheLongestStallOfSeveral(t *testing.T) {
	spans, provider := newTracing()
	_, r := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	for _, at := range []int{0, 600, 1500} {
		r.ObserveAt(ms(at), tpot.Event{Kind: tpot.KindText})
	}
	r.EndAt(ms(1500), nil)
	events := spans.Ended()[0].Events()
	end := events[len(events)-1].Attributes
	assert.Equal(t, int64(2), attributeOf(end, "tokentiming.response.stall.count").AsInt64())
	assert.InDelta(t, 0.9, attributeOf(end, "tokentiming.response.stall.longest").AsFloat64(), 1e-9)
}

// A span needs no metrics to be annotated in full.
func TestWithoutMetricsASpanHasAllItsEvents(t *testing.T) {
	spans, provider := newTracing()
	_, r := newBackend(drop("*")).tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	r.ObserveAt(ms(100), tpot.Event{Kind: tpot.KindReasoning})
	r.ObserveAt(ms(140), tpot.Event{Kind: tpot.KindText})
	r.ObserveAt(ms(900), tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(ms(900))
	s := r.EndAt(ms(2000), assert.AnError)
	assert.Zero(t, s.Faults)
	span := spans.Ended()[0]
	assert.Equal(t, []moment{
		{"tokentiming.first_token", ms(100)}, {"tokentiming.first_output_token", ms(140)}, {"tokentiming.stall", ms(900)},
		{"tokentiming.stall", ms(2000)}, {"tokentiming.end", ms(2000)},
	}, moments(span, span.StartTime()))
}

// The span of somebody else is annotated where nothing is measured.
func TestWithoutMetricsTheSpanInTheContextIsAnnotated(t *testing.T) {
	spans, provider := newTracing()
	ctx, owner := provider.Tracer("sdk").Start(t.Context(), "sdk.call")
	_, r := newBackend(drop("*")).tracker(t).Start(ctx, request())
	r.ObserveAt(ms(100), tpot.Event{Kind: tpot.KindText})
	assert.Zero(t, r.EndAt(ms(200), nil).Faults)
	owner.End()
	assert.Len(t, spans.Ended()[0].Events(), 3)
}
