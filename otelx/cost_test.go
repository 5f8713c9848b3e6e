package otelx_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// drop is a view that drops the instruments whose names match the pattern.
func drop(pattern string) sdkmetric.Option {
	return sdkmetric.WithView(sdkmetric.NewView(sdkmetric.Instrument{Name: pattern}, sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}))
}

// observation is what an Observer makes of a request.
func observation(t testing.TB, opts ...otelx.Option) tpot.Observation {
	o, err := otelx.NewObserver(opts...)
	if err != nil {
		t.Fatal(err)
	}
	_, ob := o.Start(context.Background(), request(), tpot.Start(context.Background()))
	return ob
}

func chunk(i int) tpot.Arrival {
	return tpot.Arrival{At: ms(20 * i), Gap: ms(20), Wait: ms(20), HasGap: i > 0, First: i == 0, Chunk: true, Event: tpot.Event{Kind: tpot.KindText}}
}

func TestAChunkAllocatesNothing(t *testing.T) {
	for name, opts := range map[string][]otelx.Option{
		"default":   {otelx.WithMeterProvider(newBackend().provider)},
		"both sets": {otelx.WithMeterProvider(newBackend().provider), otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01)},
		"dropped":   {otelx.WithMeterProvider(newBackend(drop("*chunk")).provider)},
		"noop": {otelx.WithMeterProvider(metricnoop.NewMeterProvider()), otelx.WithTracerProvider(tracenoop.NewTracerProvider()),
			otelx.WithSpan()},
	} {
		ob := observation(t, opts...)
		ob.Observe(chunk(0))
		ob.Observe(chunk(1))
		counted := chunk(2)
		counted.Event.Tokens = 4
		assert.Zero(t, testing.AllocsPerRun(100, func() { ob.Observe(chunk(2)) }), name)
		assert.Zero(t, testing.AllocsPerRun(100, func() { ob.Observe(counted) }), name)
	}
}

func TestARequestOfWhichNothingIsReportedIsNotObserved(t *testing.T) {
	noop := []otelx.Option{otelx.WithMeterProvider(metricnoop.NewMeterProvider()), otelx.WithTracerProvider(tracenoop.NewTracerProvider())}
	assert.Nil(t, observation(t, noop...))
	assert.Nil(t, observation(t), "nobody has set a global provider")
	assert.Nil(t, observation(t, otelx.WithMeterProvider(newBackend(drop("*")).provider)))
	assert.NotNil(t, observation(t, append(noop, otelx.WithSpan())...))
	for _, name := range []string{"tokentiming.stalls", "gen_ai.client.operation.duration", "tokentiming.time_to_first_token"} {
		only := sdkmetric.WithView(func(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
			return sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}, i.Name != name
		})
		assert.NotNil(t, observation(t, otelx.WithMeterProvider(newBackend(only).provider)), name)
	}
}

func TestARequestsSeriesAreMadeOnce(t *testing.T) {
	tracker := newBackend().tracker(t)
	whole := func() {
		_, r := tracker.Start(context.Background(), request())
		play(r)
	}
	whole()
	assert.LessOrEqual(t, testing.AllocsPerRun(100, whole), 30.0)
}

// The two to compare: a chunk of a request, and one Record with options that were made before.

func BenchmarkRecord(b *testing.B) {
	h, err := newBackend().provider.Meter("bench").Float64Histogram("bench", metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(
		0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.32, 0.5, 0.64,
		1, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
	if err != nil {
		b.Fatal(err)
	}
	set := attribute.NewSet(attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", "openai"),
		attribute.String("gen_ai.request.model", "small-1"), attribute.String("gen_ai.response.model", "small-1-2026"),
		attribute.String("server.address", "llm.example"), attribute.Int("server.port", 8443))
	opts := []metric.RecordOption{metric.WithAttributeSet(set)}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		h.Record(ctx, ms(20).Seconds(), opts...)
	}
}

func benchmarkChunk(b *testing.B, opts ...otelx.Option) {
	ob := observation(b, opts...)
	first := chunk(0)
	first.Model = "small-1-2026"
	ob.Observe(first)
	a := chunk(1)
	b.ReportAllocs()
	for b.Loop() {
		ob.Observe(a)
	}
}

func BenchmarkChunk(b *testing.B) { benchmarkChunk(b, otelx.WithMeterProvider(newBackend().provider)) }

func BenchmarkChunkNoop(b *testing.B) {
	benchmarkChunk(b, otelx.WithMeterProvider(metricnoop.NewMeterProvider()), otelx.WithTracerProvider(tracenoop.NewTracerProvider()), otelx.WithSpan())
}

func BenchmarkClockRead(b *testing.B) {
	start := time.Now()
	for b.Loop() {
		_ = time.Since(start)
	}
}

func BenchmarkRequest(b *testing.B) {
	tracker := newBackend().tracker(b)
	b.ReportAllocs()
	for b.Loop() {
		_, r := tracker.Start(context.Background(), request())
		play(r)
	}
}
