package otelx

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/tokentiming/tokentiming/tpot"
)

// Observer is a [tpot.Observer] that reports requests to OpenTelemetry. Make it with [NewObserver], one for a program, and
// give it to the Trackers. It is safe for concurrent use.
type Observer struct {
	*instruments
	labeler  *labeler
	registry registry
	tracer   trace.Tracer // nil without WithSpan
	genAI01  bool
}

// NewObserver makes an Observer. Without options it reports metrics to the global provider, with the names of [SemconvV141]
// beside our own, and annotates the span in the context. The error says which instruments the provider refused, or which
// option was wrong.
func NewObserver(opts ...Option) (*Observer, error) {
	c := newConfig(opts)
	if c.err != nil {
		return nil, c.err
	}
	in, err := newInstruments(c.meters.Meter(ScopeName, metric.WithInstrumentationVersion(Version)), c.names)
	if err != nil {
		return nil, err
	}
	o := &Observer{instruments: in, labeler: newLabeler(c.allowed), genAI01: c.names&SemconvGenAIV01 != 0}
	if c.span {
		o.tracer = c.tracers.Tracer(ScopeName, trace.WithInstrumentationVersion(Version))
	}
	return o, nil
}

// Start implements [tpot.Observer]. With [WithSpan] the context returned carries the span. A request of which nothing would be
// recorded, since no instrument is Enabled and no span is recording, has no Observation and costs nothing more.
func (o *Observer) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	span := trace.SpanFromContext(ctx)
	measured := o.anyEnabled(ctx)
	if o.tracer == nil && !measured && !span.IsRecording() {
		return ctx, nil
	}
	ob := &observation{observer: o, recorder: r, request: o.requestSeries(ctx, req)}
	start := time.Now().Add(-r.Elapsed())
	if o.tracer != nil {
		ctx, span = o.startSpan(ctx, req, ob.request.attrs, start)
	}
	ob.ctx = ctx
	ob.span = annotation{span: span, own: o.tracer != nil, start: start}
	if measured {
		ob.gaps = o.gaps(ctx, ob.room[:0])
		ob.perToken = o.interToken.Enabled(ctx)
	}
	if ob.active = o.active.Enabled(ctx); ob.active {
		o.active.Add(ctx, 1, ob.request.add...)
	}
	return ctx, ob
}

// requestSeries is the series of what is known of a request at its start.
func (o *Observer) requestSeries(ctx context.Context, req tpot.Request) *series {
	s, isNew := o.registry.series(o.labeler.request(ctx, req))
	if isNew {
		s.begin(ctx, o.instruments)
	}
	return s
}
