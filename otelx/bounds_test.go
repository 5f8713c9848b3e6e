package otelx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// fillModels uses up the values of the request's model.
func fillModels(tracker *tpot.Tracker) {
	for i := range otelx.MaxValues {
		tracker.Start(context.Background(), tpot.Request{Model: fmt.Sprint("model ", i)})
	}
}

// Each attribute has its own bound.
func TestOneAttributeBeyondItsBoundLeavesTheOthers(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithAttributes("tenant"))
	fillModels(tracker)
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tenant", "acme"))
	_, r := tracker.Start(ctx, request())
	play(r)
	want := allAttributes("tenant", "acme")
	want["gen_ai.request.model"] = "_other"
	assert.Equal(t, want, b.only(t, "gen_ai.client.operation.duration").attrs)
}

// What tells the request or its response cannot be told by a context as well.
func TestAttributesOfTheTableCannotBeAllowed(t *testing.T) {
	documented, words := table(t)
	var rows strings.Builder
	for _, r := range documented {
		fmt.Fprintln(&rows, spelled(r, words).attributes)
	}
	keys := strings.Fields(rows.String())
	assert.Contains(t, keys, "gen_ai.response.model")
	for _, key := range keys {
		_, err := otelx.NewObserver(otelx.WithAttributes(attribute.Key(key)))
		assert.ErrorContains(t, err, key)
	}
}

func TestNumbersAreTextInFull(t *testing.T) {
	for want, one := range map[string]attribute.KeyValue{
		"0.25": attribute.Float64("tier", 0.25), "1e+100": attribute.Float64("tier", 1e100), "-7": attribute.Int("tier", -7),
		"false": attribute.Bool("tier", false),
	} {
		b := newBackend()
		b.tracker(t, otelx.WithAttributes("tier")).Start(otelx.ContextWithAttributes(t.Context(), one), tpot.Request{})
		assert.Equal(t, want, b.only(t, "tokentiming.active_streams").attrs["tier"])
	}
}

func TestAScenarioThatIsNotNamedIsAbsent(t *testing.T) {
	b := newBackend()
	b.tracker(t, otelx.WithAttributes(otelx.ScenarioKey)).Start(t.Context(), tpot.Request{})
	assert.NotContains(t, b.only(t, "tokentiming.active_streams").attrs, otelx.ScenarioKey)
}
