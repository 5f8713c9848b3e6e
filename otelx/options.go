package otelx

import (
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Option is a setting of [NewObserver].
type Option interface{ apply(*config) }

type config struct {
	meters  metric.MeterProvider
	tracers trace.TracerProvider
	names   Semconv
	span    bool
	allowed []attribute.Key
	err     error
}

func newConfig(opts []Option) config {
	c := config{meters: otel.GetMeterProvider(), tracers: otel.GetTracerProvider(), names: SemconvV141}
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	return c
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

// WithMeterProvider sets where metrics go. nil, as without this option, is the global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return option(func(c *config) {
		if p != nil {
			c.meters = p
		}
	})
}

// WithTracerProvider sets where the spans of [WithSpan] go. nil, as without this option, is the global provider.
func WithTracerProvider(p trace.TracerProvider) Option {
	return option(func(c *config) {
		if p != nil {
			c.tracers = p
		}
	})
}

// WithSemconv sets the names of the metrics that OpenTelemetry defines: one set, or several side by side while dashboards
// move from one to the other, or none of them. Without this option it is [SemconvV141]. The metrics of our own do not change.
func WithSemconv(sets ...Semconv) Option {
	return option(func(c *config) {
		c.names = 0
		for _, set := range sets {
			if set&^(SemconvV141|SemconvGenAIV01) != 0 {
				c.err = fmt.Errorf("otelx: unknown Semconv %d", set)
				return
			}
			c.names |= set
		}
	})
}

// WithSpan opens a span of kind CLIENT for each request, named and attributed by the conventions. The context that
// [tpot.Tracker.Start] returns carries it, and it ends with the request, on every way out. Its status is an error when the
// outcome is timeout, truncated or failed; a cancel is none.
//
// Without this option the span that is in the context already is annotated, and its name, status and end are left to its owner.
func WithSpan() Option {
	return option(func(c *config) { c.span = true })
}

// WithAttributes allows further attributes, on metrics and on the span: [ScenarioKey], and whatever else [ContextWithAttributes]
// puts into the context. Others are left out. Of each, [MaxValues] distinct values are let through, and any other is "_other".
func WithAttributes(keys ...attribute.Key) Option {
	return option(func(c *config) { c.allowed = append(c.allowed, keys...) })
}
