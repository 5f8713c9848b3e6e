package otelx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// documentedErrors are the types of errors in a stream that the package comment lists.
func documentedErrors(t *testing.T) (all []string) {
	_, words := table(t)
	for _, provider := range []string{"openai", "vllm", "anthropic", "google", "bedrock", "tgi", "tokentiming"} {
		all = append(all, strings.Fields(words[provider])...)
	}
	assert.Len(t, all, 61)
	return all
}

// fail plays a request that an event of an error ends.
func fail(tracker *tpot.Tracker, kind string) {
	_, r := tracker.Start(context.Background(), tpot.Request{})
	r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindError, ErrorType: kind})
	r.EndAt(ms(2), nil)
}

func TestDocumentedErrorsAreReportedAsTheyAre(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t)
	for _, kind := range documentedErrors(t) {
		fail(tracker, kind)
		assert.Equal(t, uint64(1), b.where(t, "gen_ai.client.operation.duration", "error.type", kind).count)
	}
}

// An HTTP status is three digits, and that of an error.
func TestNumbersThatAreNoStatusOfAnError(t *testing.T) {
	for _, number := range []string{"200", "399", "600", "+404", "0404", "-500", "40", "4e2"} {
		b := newBackend()
		fail(b.tracker(t), number)
		assert.Equal(t, "_OTHER", b.only(t, "gen_ai.client.operation.duration").attrs["error.type"], number)
	}
	for _, status := range []string{"400", "599"} {
		b := newBackend()
		fail(b.tracker(t), status)
		assert.Equal(t, status, b.only(t, "gen_ai.client.operation.duration").attrs["error.type"])
	}
}

// Beyond the bound an error is what the conventions call other, on the span too. A request that ended well takes no place.
func TestErrorTypesBeyondTheBound(t *testing.T) {
	spans, provider := newTracing()
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider))
	_, r := tracker.Start(t.Context(), tpot.Request{})
	r.EndAt(ms(1), nil)
	var kinds []string
	for status := 400; status <= 599; status++ {
		kinds = append(kinds, fmt.Sprint(status))
	}
	kinds = append(kinds, documentedErrors(t)...)
	assert.Greater(t, len(kinds), otelx.MaxValues)
	for i, kind := range kinds {
		fail(tracker, kind)
		want := kind
		if i >= otelx.MaxValues {
			want = "_OTHER"
		}
		assert.Equal(t, want, attributeOf(spans.Ended()[i+1].Attributes(), "error.type").AsString())
	}
	other := b.where(t, "gen_ai.client.operation.duration", "error.type", "_OTHER")
	assert.Equal(t, uint64(len(kinds)-otelx.MaxValues), other.count)
	assert.Len(t, b.points(t, "gen_ai.client.operation.duration"), otelx.MaxValues+2)
}
