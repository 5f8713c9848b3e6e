package otelx

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/tokentiming/tokentiming/tpot"
)

// count adds a finished request to the counters of our own. They carry what was known of it at its start.
func (o *Observer) count(ctx context.Context, sr *series, s tpot.Stats) {
	add(ctx, o.requests, 1, sr.with(keyOutcome, s.Outcome.String()))
	if reason := noTokenReason(s); reason != "" {
		add(ctx, o.noFirstToken, 1, sr.with(keyReason, reason))
	}
	add(ctx, o.stalls, s.Stalls.Count, &sr.labels)
	if s.Tokens > 0 {
		add(ctx, o.generated, s.Tokens, sr.with(keySource, s.Source.String()))
	}
	if met, applicable := s.SLOMet(); applicable {
		add(ctx, o.sloRequests, 1, &sr.labels)
		good := 0 // a miss counts as zero, so that the series is there
		if met {
			good = 1
		}
		add(ctx, o.sloGood, good, &sr.labels)
	}
	if o.spent.Enabled(ctx) {
		o.spent.Add(ctx, s.Setup.Seconds(), sr.with(keyPhase, "setup").add...)
		o.spent.Add(ctx, s.Wait.Seconds(), sr.with(keyPhase, "wait").add...)
		o.spent.Add(ctx, s.Hold.Seconds(), sr.with(keyPhase, "hold").add...)
	}
}

// duration records how long a finished request took, whatever came of it.
func (o *Observer) duration(ctx context.Context, sr *series, s tpot.Stats, end time.Duration) {
	l := &sr.labels
	if kind := errorType(s); kind != "" {
		l = sr.with(keyErrorType, o.labeler.string(keyErrorType, kind).Value.AsString())
	}
	o.core.duration.record(ctx, end, l)
	o.genAI.duration.record(ctx, end, l)
}

// measure records the other figures of a finished request.
func (o *Observer) measure(ctx context.Context, sr *series, s tpot.Stats) {
	if perToken, ok := s.TPOT(); ok {
		o.perToken.record(ctx, perToken, sr.with(keySource, s.Source.String()))
	}
	if cv, ok := s.Gaps().CV(); ok && o.gapCV.Enabled(ctx) {
		o.gapCV.Record(ctx, cv, sr.record...)
	}
	o.usage(ctx, sr, s)
}

// usage records the tokens that the provider reports. A request without a report has none; the counters of SemconvGenAIV01
// are to show that as zero.
func (o *Observer) usage(ctx context.Context, sr *series, s tpot.Stats) {
	u, reported := s.Usage, s.Usage != tpot.Usage{}
	if u.Input > 0 {
		record(ctx, o.tokenUsage, u.Input, sr.with(keyTokenType, "input"))
	}
	if u.Output > 0 {
		record(ctx, o.tokenUsage, u.Output, sr.with(keyTokenType, "output"))
	}
	if reported && s.Outcome == tpot.OutcomeOK {
		record(ctx, o.inputTokens, u.Input, &sr.labels)
		record(ctx, o.outputTokens, u.Output, &sr.labels)
	}
	if !o.genAI01 {
		return
	}
	l := sr.with(keyTokenModality, modalityUnknown)
	add(ctx, o.inputTotal, u.Input, l)
	add(ctx, o.outputTotal, u.Output, l)
	add(ctx, o.cachedTotal, u.Cached, l)
	add(ctx, o.reasonedTotal, u.Reasoning, l)
}

// add adds to a counter if it is Enabled.
func add(ctx context.Context, c metric.Int64Counter, n int, l *labels) {
	if c.Enabled(ctx) {
		c.Add(ctx, int64(n), l.add...)
	}
}

// record records a number if the histogram is Enabled.
func record(ctx context.Context, h metric.Int64Histogram, n int, l *labels) {
	if h.Enabled(ctx) {
		h.Record(ctx, int64(n), l.record...)
	}
}
