package otelx_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// printer is an exporter that prints what the examples are about.
type printer struct {
	sdkmetric.Exporter
	name string
}

func (p printer) Export(_ context.Context, all *metricdata.ResourceMetrics) error {
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == p.name {
				p.print(m)
			}
		}
	}
	return nil
}

func (p printer) print(m metricdata.Metrics) {
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		for _, point := range data.DataPoints {
			fmt.Printf("%s: %d in %.2f %s\n", m.Name, point.Count, point.Sum, m.Unit)
		}
	case metricdata.Sum[int64]:
		for _, point := range data.DataPoints {
			fmt.Printf("%s: %d\n", m.Name, point.Value)
		}
	}
}

func (printer) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

func (printer) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

func (printer) ForceFlush(context.Context) error { return nil }
func (printer) Shutdown(context.Context) error   { return nil }

func ExampleObserver() {
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(
		printer{name: "gen_ai.client.operation.time_per_output_chunk"})))
	observer, err := otelx.NewObserver(otelx.WithMeterProvider(provider))
	if err != nil {
		fmt.Println(err)
		return
	}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}

	_, rec := tracker.Start(context.Background(), tpot.Request{Operation: "chat", Provider: "openai", Model: "gpt-5"})
	for i := range 5 {
		rec.ObserveAt(time.Duration(300+40*i)*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	}
	rec.EndAt(500*time.Millisecond, nil)

	_ = provider.Shutdown(context.Background())
	// Output:
	// gen_ai.client.operation.time_per_output_chunk: 4 in 0.16 s
}

// The streams end first, then the provider is shut down, which sends what they reported at their ends.
func ExampleNewObserver_shutdown() {
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(printer{name: "tokentiming.active_streams"})))
	observer, err := otelx.NewObserver(otelx.WithMeterProvider(provider))
	if err != nil {
		fmt.Println(err)
		return
	}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}

	streams, cancel := context.WithCancel(context.Background())
	answer := func(yield func(string, error) bool) { // until its context ends
		for yield("token ", nil) && streams.Err() == nil {
		}
	}
	var handlers sync.WaitGroup
	for range 3 {
		handlers.Go(func() {
			_, rec := tracker.Start(streams, tpot.Request{})
			for range stream.Seq2(rec, answer, stream.Each) {
			}
		})
	}

	cancel()                                      // 1. no more streams, and those that are open end
	handlers.Wait()                               // 2. all have reported
	err = provider.Shutdown(context.Background()) // 3. what they reported is sent
	fmt.Println(err)
	// Output:
	// tokentiming.active_streams: 0
	// <nil>
}

func ExampleOption() {
	spans := tracetest.NewSpanRecorder()
	observer, err := otelx.NewObserver(
		otelx.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))),
		otelx.WithSpan(),
		otelx.WithAttributes(otelx.ScenarioKey, "tier"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}

	ctx := otelx.ContextWithAttributes(context.Background(), attribute.String("tier", "free"), attribute.String("user", "not allowed"))
	_, rec := tracker.Start(ctx, tpot.Request{Operation: "chat", Model: "gpt-5", Scenario: "support"}) // the context returned is for the call
	rec.ObserveAt(300*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	rec.EndAt(400*time.Millisecond, tpot.EarlyClose)

	span := spans.Ended()[0]
	fmt.Println(span.Name(), span.SpanKind(), span.Status().Code)
	for _, kv := range span.Attributes() {
		fmt.Println(" ", kv.Key, "=", kv.Value.AsInterface())
	}
	for _, e := range span.Events() {
		fmt.Println(e.Time.Sub(span.StartTime()), e.Name)
	}
	// Output:
	// chat gpt-5 client Unset
	//   gen_ai.operation.name = chat
	//   gen_ai.provider.name = unknown
	//   gen_ai.request.model = gpt-5
	//   tokentiming.scenario = support
	//   tier = free
	//   gen_ai.request.stream = true
	//   gen_ai.response.time_to_first_chunk = 0.3
	// 300ms tokentiming.first_token
	// 300ms tokentiming.first_output_token
	// 400ms tokentiming.end
}

func ExampleSemconv() {
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(printer{name: "gen_ai.client.inference.duration"})))
	observer, err := otelx.NewObserver(otelx.WithMeterProvider(provider),
		otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01)) // both, while dashboards move from the old names to the new
	if err != nil {
		fmt.Println(err)
		return
	}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}
	_, rec := tracker.Start(context.Background(), tpot.Request{})
	rec.EndAt(2*time.Second, nil)
	_ = provider.Shutdown(context.Background())
	// Output:
	// gen_ai.client.inference.duration: 1 in 2.00 s
}
