package otelx_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// The first hundred combinations begin at zero, and the next does not.
func TestAHundredCombinationsBeginAtZero(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t)
	for range 2 { // the second time they are known
		for i := range 101 {
			tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint("model ", i)})
		}
	}
	begun := b.points(t, "tokentiming.stalls")
	assert.Len(t, begun, 100)
	for _, p := range begun {
		assert.NotEqual(t, "model 100", p.attrs["gen_ai.request.model"])
	}
	assert.Len(t, b.points(t, "tokentiming.requests"), 100*5, "outcomes")
	assert.Len(t, b.points(t, "tokentiming.no_first_token"), 100*6, "reasons")
}

// The combinations beyond the bound are one series, of the response too, that names nothing.
func TestCombinationsBeyondTheBoundNameNothing(t *testing.T) {
	b := newBackend(sdkmetric.WithCardinalityLimit(0))
	tracker := b.tracker(t, otelx.WithAttributes("tenant"))
	for model := range 80 {
		for provider := range 25 {
			tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(model), Provider: fmt.Sprint(provider)})
		}
	}
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tenant", "acme"))
	_, r := tracker.Start(ctx, request())
	play(r)
	other := map[attribute.Key]string{"gen_ai.operation.name": "_other", "gen_ai.provider.name": "_other", "gen_ai.request.model": "_other"}
	assert.Equal(t, other, b.only(t, "gen_ai.client.operation.duration").attrs)
	assert.Equal(t, other, b.only(t, "gen_ai.client.operation.time_per_output_chunk").attrs)
	assert.Zero(t, b.where(t, "tokentiming.active_streams", "gen_ai.request.model", "_other").value)
}

// An exemplar leads to a request that had what is counted.
func TestARequestWithoutStallsIsNoExampleOfThem(t *testing.T) {
	_, provider := newTracing()
	b := newBackend()
	_, r := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText})
	r.EndAt(ms(20), nil)
	for _, p := range b.metrics(t)["tokentiming.stalls"].Data.(metricdata.Sum[int64]).DataPoints {
		assert.Empty(t, p.Exemplars)
	}
}

// A request that is not measured, since nothing is Enabled, does not take the beginning from the first that is.
func TestASeriesBeginsAtZeroWhenMetricsAreSwitchedOn(t *testing.T) {
	_, provider := newTracing()
	b := newBackend()
	on := false
	g := &gates{open: func(string) bool { return on }}
	tracker := b.tracker(t, otelx.WithMeterProvider(gated{b.provider, g}), otelx.WithSpan(), otelx.WithTracerProvider(provider))
	tracker.Start(t.Context(), request())
	on = true
	tracker.Start(t.Context(), request())
	assert.Len(t, b.points(t, "tokentiming.requests"), 5, "outcomes")
	assert.Len(t, b.points(t, "tokentiming.no_first_token"), 6, "reasons")
}

// missed plays a request that misses a limit of 100 ms on its first token.
func missed(tracker *tpot.Tracker, req tpot.Request) {
	_, r := tracker.Start(context.Background(), req)
	r.ObserveAt(ms(200), tpot.Event{Kind: tpot.KindText})
	r.EndAt(ms(300), nil)
}

// good_requests over requests has no value where there is no series of good_requests, and an alert on it stays silent while every
// request misses.
func TestWhereEveryRequestMissesThereAreNoGoodOnesAndTheirNumberIsZero(t *testing.T) {
	for name, before := range map[string]func(tracker *tpot.Tracker){
		"after a hundred other models": func(tracker *tpot.Tracker) {
			for i := range 100 {
				tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(i)})
			}
		},
		"after a Tracker without limits": func(tracker *tpot.Tracker) {
			(&tpot.Tracker{Observers: tracker.Observers}).Start(t.Context(), request())
		},
	} {
		b := newBackend()
		tracker := b.tracker(t)
		tracker.SLO = tpot.SLO{TTFT: ms(100)}
		before(tracker)
		missed(tracker, request())
		assert.Equal(t, 1.0, b.where(t, "tokentiming.slo.requests", "gen_ai.request.model", "small-1").value, name)
		var good []float64
		for _, p := range b.points(t, "tokentiming.slo.good_requests") {
			if p.attrs["gen_ai.request.model"] == "small-1" {
				good = append(good, p.value)
			}
		}
		assert.Equal(t, []float64{0}, good, name)
	}
}
