package otelx_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// way is a way for a request to end, and what is to be reported of it.
type way struct {
	name               string
	events             []tpot.Event
	attempt            *tpot.Attempt
	end                error
	outcome, errorType string
	reason             string // why no first token
}

func ways() []way {
	text := tpot.Event{Kind: tpot.KindText | tpot.KindMarked}
	done := tpot.Event{Kind: tpot.KindDone}
	failure := func(kind string) tpot.Event { return tpot.Event{Kind: tpot.KindError, ErrorType: kind} }
	return []way{
		{"ok", []tpot.Event{text, done}, nil, nil, "ok", "", ""},
		{"ok, without output", []tpot.Event{done}, nil, nil, "ok", "", "no_output"},
		{"ok, without an event", nil, nil, nil, "ok", "", "no_output"},
		{"ok, not understood", []tpot.Event{{}}, nil, nil, "ok", "", "unclassified"},
		{"ok, asked for as a stream over HTTP", nil, &tpot.Attempt{Status: 200, Headers: ms(1)}, nil, "ok", "", "no_output"},
		{"ok, and no stream", nil, &tpot.Attempt{Status: 200, Headers: ms(1)}, nil, "ok", "", ""},
		{"early close", []tpot.Event{text}, nil, tpot.EarlyClose, "canceled", "", ""},
		{"break before the first token", nil, nil, tpot.Break, "canceled", "", "canceled"},
		{"panic", []tpot.Event{text}, nil, tpot.Panic, "canceled", "", ""},
		{"abandoned", []tpot.Event{text}, nil, tpot.Abandoned, "canceled", "", ""},
		{"abandoned before it began", nil, nil, tpot.Abandoned, "canceled", "", "canceled"},
		{"context canceled", []tpot.Event{text}, nil, context.Canceled, "canceled", "", ""},
		{"deadline", nil, nil, context.DeadlineExceeded, "timeout", "timeout", "timeout"},
		{"no end marker", []tpot.Event{text}, nil, nil, "truncated", "truncated", ""},
		{"cut", []tpot.Event{text}, nil, io.ErrUnexpectedEOF, "truncated", "truncated", ""},
		{"cut before the first token", []tpot.Event{{Kind: tpot.KindRole | tpot.KindMarked}}, nil, io.ErrUnexpectedEOF, "truncated", "truncated", "truncated"},
		{"refused", nil, &tpot.Attempt{Status: 429, Headers: ms(1)}, assert.AnError, "failed", "429", "failed"},
		{"unreachable", nil, nil, &net.OpError{Op: "dial", Err: io.EOF}, "failed", "*net.OpError", "failed"},
		{"wrapped", nil, nil, fmt.Errorf("wrapped: %w", &net.DNSError{Err: "no such host"}), "failed", "*net.DNSError", "failed"},
		{"error in the stream", []tpot.Event{text, failure("overloaded_error")}, nil, nil, "failed", "overloaded_error", ""},
		{"status in the stream", []tpot.Event{text, failure("503")}, nil, nil, "failed", "503", ""},
		{"number in the stream", []tpot.Event{text, failure("1234567")}, nil, nil, "failed", "_OTHER", ""},
		{"error of anybody's naming", []tpot.Event{text, failure("user 4711 has no credit")}, nil, nil, "failed", "_OTHER", ""},
		{"error after all", []tpot.Event{text, done}, nil, io.ErrUnexpectedEOF, "ok", "", ""},
	}
}

func (w way) play(r *tpot.Recorder) {
	if w.attempt != nil {
		r.Attempt(*w.attempt)
	}
	for i, e := range w.events {
		r.ObserveAt(ms(10*(i+1)), e)
	}
	r.EndAt(ms(100), w.end)
}

func TestEveryWayOutIsReportedOnce(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			b := newBackend()
			spans := tracetest.NewSpanRecorder()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
			req := request()
			req.Stream = w.name == "ok, asked for as a stream over HTTP"
			_, r := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider)).Start(t.Context(), req)
			w.play(r)
			w.play(r) // nothing more

			assert.Equal(t, 1.0, b.where(t, "tokentiming.requests", "tokentiming.outcome", w.outcome).value)
			requests, _ := b.total(t, "tokentiming.requests")
			assert.Equal(t, 1.0, requests)
			assert.Zero(t, b.only(t, "tokentiming.active_streams").value)
			untold, _ := b.total(t, "tokentiming.no_first_token")
			if w.reason == "" {
				assert.Zero(t, untold)
			} else {
				assert.Equal(t, 1.0, untold)
				assert.Equal(t, 1.0, b.where(t, "tokentiming.no_first_token", "tokentiming.reason", w.reason).value)
			}
			require.Len(t, spans.Ended(), 1)
			w.checkSpan(t, spans.Ended()[0])
			if w.end == tpot.Abandoned && w.events == nil {
				assert.Empty(t, b.points(t, "gen_ai.client.operation.duration"), "nobody knows how long it took")
				return
			}
			duration, took := b.only(t, "gen_ai.client.operation.duration"), spans.Ended()[0].EndTime().Sub(spans.Ended()[0].StartTime())
			assert.Equal(t, uint64(1), duration.count)
			assert.Equal(t, w.errorType, duration.attrs["error.type"])
			assert.InDelta(t, took.Seconds(), duration.value, 1e-9, "the metric is the span's duration")
		})
	}
}

func (w way) checkSpan(t *testing.T, span sdktrace.ReadOnlySpan) {
	kind := attributeOf(span.Attributes(), "error.type")
	assert.Equal(t, w.errorType, kind.AsString())
	if w.errorType == "" {
		assert.Equal(t, sdktrace.Status{}, span.Status())
	} else {
		assert.Equal(t, codes.Error, span.Status().Code)
		cause := attributeOf(span.Events()[len(span.Events())-1].Attributes, "tokentiming.cause").AsString()
		assert.NotEmpty(t, cause)
		assert.Equal(t, cause, span.Status().Description)
	}
	last := span.Events()[len(span.Events())-1]
	outcome := attributeOf(last.Attributes, "tokentiming.outcome")
	assert.Equal(t, "tokentiming.end", last.Name)
	assert.Equal(t, w.outcome, outcome.AsString())
	assert.Equal(t, span.EndTime(), last.Time)
}

// A fault in one figure leaves no request active.
func TestARequestIsNoLongerActiveWhenAMetricPanics(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithMeterProvider(panicking{b.provider, "tokentiming.stall.duration"}))
	_, r := tracker.Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(ms(10))
	r.EndAt(ms(2010), assert.AnError)
	assert.Zero(t, b.only(t, "tokentiming.active_streams").value)
}
