package otelx

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

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
	errs    []error
}

func newConfig(opts []Option) (config, error) {
	c := config{meters: otel.GetMeterProvider(), tracers: otel.GetTracerProvider(), names: SemconvV141}
	for _, o := range opts {
		if o != nil {
			o.apply(&c)
		}
	}
	return c, errors.Join(c.errs...)
}

func (c *config) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("otelx: "+format, args...))
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
// move from one to the other, or none of them. Used again, it replaces what was set before. Without it, it is [SemconvV141]. The metrics
// of our own do not change.
func WithSemconv(sets ...Semconv) Option {
	return option(func(c *config) {
		c.names = 0
		for _, set := range sets {
			if set&^(SemconvV141|SemconvGenAIV01) != 0 {
				c.fail("unknown Semconv %d", set)
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

// WithAttributes allows further attributes, on metrics and on the span of [WithSpan]: [ScenarioKey], and whatever else [ContextWithAttributes]
// puts into the context. Others are left out. Of each, metrics have [MaxValues] distinct values, and "_other". Used again, it allows
// more. A key that is empty, is not valid UTF-8, or is one that an Observer sets itself is an error of [NewObserver].
func WithAttributes(keys ...attribute.Key) Option {
	return option(func(c *config) {
		for _, key := range keys {
			switch {
			case key == "" || !utf8.ValidString(string(key)):
				c.fail("%q cannot be the key of an attribute", key)
			case slices.Contains(reserved, key):
				c.fail("%q is told by the request or its response", key)
			case !slices.Contains(c.allowed, key):
				c.allowed = append(c.allowed, key)
			}
		}
	})
}
