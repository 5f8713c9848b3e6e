package otelx

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/tokentiming/tokentiming/tpot"
)

// Observer is a [tpot.Observer] that reports requests to OpenTelemetry. Make it with [NewObserver], one for a program, and
// give it to the Trackers. It is safe for concurrent use.
type Observer struct {
	instruments *instruments
	names       Semconv
	tracer      trace.Tracer // nil without WithSpan
	allowed     []attribute.Key
	bounds      bounds
	registry    *registry
}

// NewObserver makes an Observer. Without options it reports metrics to the global provider, with the names of [SemconvV141]
// beside our own, and annotates the span in the context. The error says which instruments the provider refused, or which
// option was wrong.
func NewObserver(opts ...Option) (*Observer, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	convention := keyConvention.String(tpot.Convention)
	meter := c.meters.Meter(ScopeName, metric.WithInstrumentationVersion(Version), metric.WithInstrumentationAttributes(convention))
	in, err := newInstruments(meter, c.names)
	if err != nil {
		return nil, err
	}
	o := &Observer{instruments: in, names: c.names, allowed: c.allowed, bounds: newBounds(c.allowed), registry: newRegistry()}
	if c.span {
		o.tracer = c.tracers.Tracer(ScopeName, trace.WithInstrumentationVersion(Version), trace.WithInstrumentationAttributes(convention))
	}
	return o, nil
}

// Start implements [tpot.Observer]. With [WithSpan] the context returned carries the span. Without it, a request of which
// nothing would be recorded, since no instrument is Enabled and no span is recording, has no Observation and costs nothing more.
func (o *Observer) Start(ctx context.Context, req tpot.Request, r *tpot.Recorder) (context.Context, tpot.Observation) {
	span := trace.SpanFromContext(ctx)
	measured := o.instruments.anyEnabled(ctx)
	if o.tracer == nil && !measured && !span.IsRecording() {
		return ctx, nil
	}
	attrs := requestAttributes(ctx, req, o.allowed)
	start := time.Now().Add(-r.Elapsed())
	if o.tracer != nil {
		ctx, span = o.startSpan(ctx, req, attrs, start)
	}
	ob := &observation{observer: o, recorder: r, span: annotation{span: span, own: o.tracer != nil, start: start}}
	if measured {
		ob.metrics.begin(ctx, o, o.registry.request(o.bounds.apply(attrs), o.instruments, r))
	}
	return ctx, ob
}

// reports is whether metrics have the names of a set.
func (o *Observer) reports(set Semconv) bool { return o.names&set != 0 }

// notInference are the conventions' operations that generate nothing: they have a duration, under the name of SemconvV141 in both
// sets, and are not to have a first token.
var notInference = []string{
	"embeddings", "retrieval", "create_agent", "invoke_agent", "invoke_workflow", "execute_tool", "plan", "fetch_response",
}

func isInference(operation string) bool { return !slices.Contains(notInference, operation) }
