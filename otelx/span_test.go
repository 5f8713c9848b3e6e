package otelx_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

func newTracing() (*tracetest.SpanRecorder, *sdktrace.TracerProvider) {
	spans := tracetest.NewSpanRecorder()
	return spans, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
}

// moment is a span event with its offset from the start of the request.
type moment struct {
	name string
	at   time.Duration
}

func moments(span sdktrace.ReadOnlySpan, start time.Time) (all []moment) {
	for _, e := range span.Events() {
		all = append(all, moment{e.Name, e.Time.Sub(start)})
	}
	return all
}

func TestASpanOfItsOwn(t *testing.T) {
	spans, provider := newTracing()
	tracker := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider), otelx.WithAttributes(otelx.ScenarioKey))
	parent, root := provider.Tracer("caller").Start(t.Context(), "handler")
	req := request()
	req.MaxTokens = 500
	ctx, r := tracker.Start(parent, req)
	assert.NotEqual(t, root.SpanContext(), trace.SpanContextFromContext(ctx), "the call goes on with the new span")
	gapCV, _ := play(r).Gaps().CV()

	require.Len(t, spans.Ended(), 1)
	span := spans.Ended()[0]
	assert.Equal(t, root.SpanContext().SpanID(), span.Parent().SpanID())
	assert.Equal(t, "chat small-1", span.Name())
	assert.Equal(t, trace.SpanKindClient, span.SpanKind())
	assert.Equal(t, otelx.ScopeName, span.InstrumentationScope().Name)
	assert.Equal(t, attribute.NewSet(attribute.String("tokentiming.convention", "tokentiming")), span.InstrumentationScope().Attributes)
	assert.Equal(t, []moment{
		{"tokentiming.first_token", ms(100)}, {"tokentiming.first_output_token", ms(140)},
		{"tokentiming.stall", ms(900)}, {"tokentiming.end", ms(920)},
	}, moments(span, span.StartTime()))
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.provider.name", "openai"),
		attribute.String("gen_ai.request.model", "small-1"),
		attribute.String("gen_ai.response.model", "small-1-2026"),
		attribute.String("server.address", "llm.example"),
		attribute.Int("server.port", 8443),
		attribute.String("tokentiming.scenario", "support"),
		attribute.Int("gen_ai.request.max_tokens", 500),
		attribute.Bool("gen_ai.request.stream", true),
		attribute.Float64("gen_ai.response.time_to_first_chunk", 0.1),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{"stop"}),
		attribute.Int("gen_ai.usage.input_tokens", 12),
		attribute.Int("gen_ai.usage.cache_read.input_tokens", 3),
		attribute.Int("gen_ai.usage.output_tokens", 9),
		attribute.Int("gen_ai.usage.reasoning.output_tokens", 1),
	}, span.Attributes())
	assert.Equal(t, []attribute.KeyValue{attribute.Float64("tokentiming.stall.length", 0.73)}, span.Events()[2].Attributes)
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("tokentiming.convention", "tokentiming"),
		attribute.String("tokentiming.outcome", "ok"),
		attribute.Float64("tokentiming.response.time_to_first_token", 0.1),
		attribute.Float64("tokentiming.response.time_per_output_token", 0.1),
		attribute.Float64("tokentiming.response.wait", 0.883),
		attribute.Float64("tokentiming.response.hold", 0.027),
		attribute.Int("tokentiming.response.output_tokens", 9),
		attribute.String("tokentiming.token.source", "reported"),
		attribute.Int("tokentiming.response.stall.count", 1),
		attribute.Float64("tokentiming.response.stall.longest", 0.73),
		attribute.Float64("tokentiming.response.chunk_gap.cv", gapCV),
	}, span.Events()[3].Attributes)
}

// A span begins with its request, however late the observer hears of it.
func TestASpanBeginsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans, provider := newTracing()
		tracker := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider))
		tracker.Observers = append([]tpot.Observer{slow{}}, tracker.Observers...)
		began := time.Now()
		_, r := tracker.Start(t.Context(), request())
		time.Sleep(time.Second)
		r.Observe(tpot.Event{Kind: tpot.KindText})
		r.End(nil)
		span := spans.Ended()[0]
		assert.Equal(t, began, span.StartTime())
		assert.Equal(t, []moment{{"tokentiming.first_token", 4 * time.Second}, {"tokentiming.first_output_token", 4 * time.Second},
			{"tokentiming.end", 4 * time.Second}}, moments(span, began))
	})
}

// slow is an observer that takes its time to start.
type slow struct{}

func (slow) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	time.Sleep(3 * time.Second)
	return ctx, nil
}

func TestAStallThatTheEndCutsOffIsAnEventAtTheEnd(t *testing.T) {
	spans, provider := newTracing()
	_, r := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindReasoning})
	r.BeginWaitAt(ms(10))
	r.EndAt(ms(2010), assert.AnError)
	span := spans.Ended()[0]
	assert.Equal(t, []moment{{"tokentiming.first_token", ms(10)}, {"tokentiming.stall", ms(2010)}, {"tokentiming.end", ms(2010)}},
		moments(span, span.StartTime()))
}

// A fault of ours costs a figure, not the span.
func TestASpanEndsWhenAMetricPanics(t *testing.T) {
	spans, provider := newTracing()
	b := newBackend()
	o, err := otelx.NewObserver(otelx.WithMeterProvider(panicking{b.provider, "tokentiming.chunk_gap.cv"}), otelx.WithSpan(), otelx.WithTracerProvider(provider))
	require.NoError(t, err)
	_, r := (&tpot.Tracker{Observers: []tpot.Observer{o}}).Start(t.Context(), request())
	assert.Equal(t, 1, play(r).Faults)
	assert.Len(t, spans.Ended(), 1)
}

// panicking is a provider of a histogram that panics.
type panicking struct {
	metric.MeterProvider
	name string // of the histogram
}

func (p panicking) Meter(name string, opts ...metric.MeterOption) metric.Meter {
	return panickingMeter{p.MeterProvider.Meter(name, opts...), p.name}
}

type panickingMeter struct {
	metric.Meter
	name string
}

func (m panickingMeter) Float64Histogram(name string, opts ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	h, err := m.Meter.Float64Histogram(name, opts...)
	if name == m.name {
		return panickingHistogram{h}, err
	}
	return h, err
}

type panickingHistogram struct{ metric.Float64Histogram }

func (panickingHistogram) Record(context.Context, float64, ...metric.RecordOption) { panic("Record") }

func attributeOf(attrs []attribute.KeyValue, key attribute.Key) attribute.Value {
	for _, kv := range attrs {
		if kv.Key == key {
			return kv.Value
		}
	}
	return attribute.Value{}
}

func TestTheSpanInTheContextIsAnnotatedAndLeftToItsOwner(t *testing.T) {
	spans, provider := newTracing()
	ctx, owner := provider.Tracer("sdk").Start(t.Context(), "sdk.call")
	ctx, r := newBackend().tracker(t).Start(ctx, request())
	assert.Equal(t, owner, trace.SpanFromContext(ctx))
	r.ObserveAt(ms(100), tpot.Event{Kind: tpot.KindText})
	r.EndAt(ms(200), assert.AnError)
	assert.Empty(t, spans.Ended())
	owner.End()

	span := spans.Ended()[0]
	assert.Equal(t, "sdk.call", span.Name())
	assert.Equal(t, sdktrace.Status{}, span.Status())
	assert.Len(t, span.Events(), 3)
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.Bool("gen_ai.request.stream", true), attribute.Float64("gen_ai.response.time_to_first_chunk", 0.1),
	}, span.Attributes())
}

func TestAFinishReasonThatNeverCame(t *testing.T) {
	for set, want := range map[otelx.Semconv]string{otelx.SemconvV141: "", otelx.SemconvGenAIV01: "error"} {
		spans, provider := newTracing()
		_, r := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider), otelx.WithSemconv(set)).Start(t.Context(), request())
		r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindText})
		r.EndAt(ms(2), tpot.EarlyClose)
		var got []string
		for _, kv := range spans.Ended()[0].Attributes() {
			if kv.Key == "gen_ai.response.finish_reasons" {
				got = kv.Value.AsStringSlice()
			}
		}
		if want == "" {
			assert.Empty(t, got)
		} else {
			assert.Equal(t, []string{want}, got)
		}
	}
}

func TestSpanEventsAreFewHoweverManyStallsThereAre(t *testing.T) {
	spans, provider := newTracing()
	_, r := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), tpot.Request{})
	for i := range 1000 {
		r.ObserveAt(time.Duration(i)*time.Second, tpot.Event{Kind: tpot.KindText})
	}
	r.EndAt(time.Hour, nil)
	span := spans.Ended()[0]
	assert.Equal(t, "unknown", span.Name())
	assert.Len(t, span.Events(), 2+8+1)
	count := attributeOf(span.Events()[10].Attributes, "tokentiming.response.stall.count")
	assert.Equal(t, int64(999), count.AsInt64())
}

func TestExemplarsLeadToTheTrace(t *testing.T) {
	_, provider := newTracing()
	b := newBackend()
	ctx, r := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	play(r)
	id := trace.SpanContextFromContext(ctx).SpanID()
	for _, name := range []string{"gen_ai.client.operation.time_per_output_chunk", "gen_ai.client.operation.time_to_first_chunk",
		"gen_ai.client.operation.duration", "tokentiming.time_per_output_token", "tokentiming.stall.duration"} {
		exemplars := b.only(t, name).exemplars
		require.NotEmpty(t, exemplars, name)
		assert.Equal(t, id[:], exemplars[0].SpanID, name)
	}
}

func TestASpanWithoutMetrics(t *testing.T) {
	spans, provider := newTracing()
	b := newBackend(sdkmetric.WithView(func(sdkmetric.Instrument) (sdkmetric.Stream, bool) {
		return sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}, true
	}))
	_, r := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	play(r)
	assert.Len(t, spans.Ended(), 1)
	assert.Empty(t, b.metrics(t))
}
