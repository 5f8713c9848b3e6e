package otelx

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/tokentiming/tokentiming/tpot"
)

// Names of span events. The conventions define none for streams.
const (
	eventFirstToken       = "tokentiming.first_token"
	eventFirstOutputToken = "tokentiming.first_output_token"
	eventStall            = "tokentiming.stall"
	eventEnd              = "tokentiming.end"
)

// maxStallEvents is how many stalls of a request become span events. The end event counts them all.
const maxStallEvents = 8

// annotation is what a request tells a span: its own, or that of somebody else.
type annotation struct {
	span  trace.Span
	own   bool
	start time.Time // of the request
}

// startSpan opens the span of a request.
func (o *Observer) startSpan(ctx context.Context, req tpot.Request, attrs []attribute.KeyValue, start time.Time) (context.Context, trace.Span) {
	name := strings.TrimRight(cmp.Or(clean(req.Operation), unknown)+" "+clean(req.Model), " ")
	if req.MaxTokens > 0 {
		attrs = append(slices.Clip(attrs), keyRequestMaxTokens.Int(req.MaxTokens))
	}
	return o.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(start), trace.WithAttributes(attrs...))
}

func (a *annotation) event(name string, at time.Duration, attrs ...attribute.KeyValue) {
	if !a.span.IsRecording() {
		return
	}
	a.span.AddEvent(name, trace.WithTimestamp(a.start.Add(at)), trace.WithAttributes(attrs...))
}

// end tells how the request ended, and ends the span if it is the request's own.
func (a *annotation) end(s tpot.Stats, at time.Duration, errorType string, genAI01 bool) {
	if a.span.IsRecording() {
		a.event(eventEnd, at, figures(s)...)
		a.span.SetAttributes(responseAttributes(s, genAI01)...)
	}
	if !a.own {
		return
	}
	if errorType != "" {
		a.span.SetAttributes(keyErrorType.String(errorType))
		a.span.SetStatus(codes.Error, s.Cause)
	}
	a.span.End(trace.WithTimestamp(a.start.Add(at)))
}

// figures are the attributes of the end event.
func figures(s tpot.Stats) []attribute.KeyValue {
	attrs := []attribute.KeyValue{keyConvention.String(tpot.Convention), keyOutcome.String(s.Outcome.String())}
	if s.Cause != "" {
		attrs = append(attrs, keyCause.String(s.Cause))
	}
	seconds := func(key attribute.Key, d time.Duration, ok bool) {
		if ok {
			attrs = append(attrs, key.Float64(d.Seconds()))
		}
	}
	ttft, ok := s.TTFT()
	seconds(keyTTFT, ttft, ok)
	perToken, ok := s.TPOT()
	seconds(keyTPOT, perToken, ok)
	seconds(keyWait, s.Wait, true)
	seconds(keyHold, s.Hold, true)
	if s.Tokens > 0 {
		attrs = append(attrs, keyTokens.Int(s.Tokens), keySource.String(s.Source.String()))
	}
	if cv, ok := s.Gaps().CV(); ok {
		attrs = append(attrs, keyGapCV.Float64(cv))
	}
	if s.Stalls.Count > 0 {
		attrs = append(attrs, keyStallCount.Int(s.Stalls.Count))
		seconds(keyLongestStall, s.Stalls.Longest, true)
	}
	return attrs
}

// responseAttributes are the conventions' attributes of a response.
func responseAttributes(s tpot.Stats, genAI01 bool) []attribute.KeyValue {
	var attrs []attribute.KeyValue
	if s.Chunks > 0 || s.Request.Stream {
		attrs = append(attrs, keyRequestStream.Bool(true))
	}
	if s.Model != "" {
		attrs = append(attrs, keyResponseModel.String(s.Model))
	}
	if ttft, ok := s.TTFT(); ok {
		attrs = append(attrs, keyTimeToFirstChunk.Float64(ttft.Seconds()))
	}
	if s.FinishReason != "" {
		attrs = append(attrs, keyFinishReasons.StringSlice([]string{s.FinishReason}))
	} else if genAI01 && s.Outcome != tpot.OutcomeOK {
		attrs = append(attrs, keyFinishReasons.StringSlice([]string{finishReasonMissing}))
	}
	tokens := func(key attribute.Key, n int) {
		if n > 0 {
			attrs = append(attrs, key.Int(n))
		}
	}
	tokens(keyInputTokens, s.Usage.Input)
	tokens(keyCachedTokens, s.Usage.Cached)
	tokens(keyOutputTokens, s.Usage.Output)
	tokens(keyReasoningTokens, s.Usage.Reasoning)
	return attrs
}
