package otelx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestOnlyAllowedAttributesAreReported(t *testing.T) {
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tier", "free"), attribute.String("user", "4711"))
	ctx = otelx.ContextWithAttributes(ctx, attribute.Int("shard", 7), attribute.String("tier", "paid"))
	for name, c := range map[string]struct {
		allowed []attribute.Key
		want    map[attribute.Key]string
	}{
		"nothing":  {nil, requestAttributes()},
		"scenario": {[]attribute.Key{otelx.ScenarioKey}, requestAttributes("tokentiming.scenario", "support")},
		"two":      {[]attribute.Key{"tier", "shard"}, requestAttributes("tier", "paid", "shard", "7")},
		"absent":   {[]attribute.Key{"region"}, requestAttributes()},
	} {
		b := newBackend()
		b.tracker(t, otelx.WithAttributes(c.allowed...)).Start(ctx, request())
		assert.Equal(t, c.want, b.only(t, "tokentiming.active_streams").attrs, name)
	}
}

func TestAnAttributeKeepsItsType(t *testing.T) {
	b := newBackend()
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.Int("shard", 7))
	b.tracker(t, otelx.WithAttributes("shard")).Start(ctx, tpot.Request{})
	sums := b.metrics(t)["tokentiming.active_streams"]
	assert.Contains(t, fmt.Sprint(sums), "{shard {2 7")
}

// Whatever attribute a stranger can choose the value of, a metric has few values of it.
func TestDistinctValuesAreBounded(t *testing.T) {
	const requests = 3 * otelx.MaxValues
	for key, play := range map[attribute.Key]func(tracker *tpot.Tracker, value string){
		"gen_ai.operation.name": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Operation: v}) },
		"gen_ai.provider.name":  func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Provider: v}) },
		"gen_ai.request.model":  func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Model: v}) },
		"server.address": func(tr *tpot.Tracker, v string) {
			tr.Start(t.Context(), tpot.Request{ServerAddress: v, ServerPort: len(v)})
		},
		"tokentiming.scenario": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Scenario: v}) },
		"tenant": func(tr *tpot.Tracker, v string) {
			tr.Start(otelx.ContextWithAttributes(t.Context(), attribute.String("tenant", v)), tpot.Request{})
		},
	} {
		b := newBackend()
		tracker := b.tracker(t, otelx.WithAttributes(otelx.ScenarioKey, "tenant"))
		for i := range requests {
			play(tracker, fmt.Sprintf("value %d", i))
		}
		total, _ := b.total(t, "tokentiming.active_streams")
		assert.Equal(t, float64(requests), total, "%s: none is lost", key)
		points := b.points(t, "tokentiming.active_streams")
		assert.Len(t, points, otelx.MaxValues+1, key)
		other := b.where(t, "tokentiming.active_streams", key, "_other")
		assert.Equal(t, float64(requests-otelx.MaxValues), other.value, key)
		assert.NotContains(t, other.attrs, attribute.Key("server.port"))
	}
}

func TestDistinctResponseModelsAndErrorsAreBounded(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t)
	for i := range 2 * otelx.MaxValues {
		_, r := tracker.Start(t.Context(), tpot.Request{})
		r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindText, Model: fmt.Sprintf("model %d", i)})
		r.ObserveAt(ms(2), tpot.Event{Kind: tpot.KindError, ErrorType: fmt.Sprintf("request %d failed", i)})
		r.EndAt(ms(3), nil)
	}
	points := b.points(t, "gen_ai.client.operation.duration")
	assert.Len(t, points, otelx.MaxValues+1)
	for _, p := range points {
		assert.Equal(t, "_OTHER", p.attrs["error.type"])
	}
}

// A value that no exporter could send would take all metrics with it.
func TestValuesAreShortAndValid(t *testing.T) {
	b := newBackend()
	b.tracker(t).Start(t.Context(), tpot.Request{Model: "m\xffodel", Provider: strings.Repeat("x", 1<<20)})
	p := b.only(t, "tokentiming.active_streams")
	assert.Equal(t, "model", p.attrs["gen_ai.request.model"])
	assert.Equal(t, "_other", p.attrs["gen_ai.provider.name"])
}

func TestAnUnknownNameSetIsAnError(t *testing.T) {
	_, err := otelx.NewObserver(otelx.WithSemconv(otelx.Semconv(64)))
	require.ErrorContains(t, err, "unknown Semconv 64")
}
