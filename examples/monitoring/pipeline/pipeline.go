// Package pipeline carries the figures of a [tpot.Tracker] to Prometheus: by a page that it scrapes, by OTLP, or both.
package pipeline

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// PushInterval is the time between two pushes over OTLP.
const PushInterval = 5 * time.Second

// Options say what a Pipeline carries and how.
type Options struct {
	Native   bool             // histograms are exponential, which Prometheus calls native; else they have the boundaries of otelx
	Suffixes bool             // names on the page end in their unit, and those of counters in _total
	Names    []otelx.Semconv  // of the metrics that OpenTelemetry defines; empty: SemconvV141
	OTLP     string           // the URL that metrics are pushed to as well, as in http://localhost:9090/api/v1/otlp/v1/metrics; empty: none
	Reader   sdkmetric.Reader // reads as well; nil: none
}

// Pipeline is a MeterProvider and the ways out of it.
type Pipeline struct {
	MeterProvider *sdkmetric.MeterProvider
	Tracker       *tpot.Tracker // whose requests are measured
	Handler       http.Handler  // the page for Prometheus
}

// New makes a Pipeline. It has a registry of its own, and leaves the global providers alone.
func New(o Options) (*Pipeline, error) {
	registry := prometheus.NewRegistry()
	provider, err := o.provider(registry)
	if err != nil {
		return nil, err
	}
	observer, err := otelx.NewObserver(otelx.WithMeterProvider(provider), otelx.WithAttributes(otelx.ScenarioKey), otelx.WithSemconv(o.names()...))
	if err != nil {
		return nil, err
	}
	return &Pipeline{
		MeterProvider: provider,
		Tracker: &tpot.Tracker{
			SLO:       tpot.SLO{TTFT: 3 * time.Second, TPOT: 100 * time.Millisecond, Stall: 2 * time.Second},
			Observers: []tpot.Observer{observer},
		},
		Handler: o.page(registry),
	}, nil
}

// Shutdown pushes what has not been pushed, and ends the pipeline. The page is empty afterwards. Requests must have ended before, or their
// figures are lost.
func (p *Pipeline) Shutdown(ctx context.Context) error { return p.MeterProvider.Shutdown(ctx) }

func (o Options) names() []otelx.Semconv {
	if len(o.Names) == 0 {
		return []otelx.Semconv{otelx.SemconvV141}
	}
	return o.Names
}

func (o Options) provider(registry *prometheus.Registry) (*sdkmetric.MeterProvider, error) {
	page, err := otelprometheus.New(
		otelprometheus.WithRegisterer(registry),
		otelprometheus.WithTranslationStrategy(o.translation()),
		otelprometheus.WithAggregationSelector(o.Aggregation))
	if err != nil {
		return nil, err
	}
	readers := []sdkmetric.Option{
		sdkmetric.WithReader(page),
		sdkmetric.WithResource(resource.NewSchemaless(attribute.String("service.name", "monitoring"))),
	}
	if o.OTLP != "" {
		push, err := o.push()
		if err != nil {
			return nil, err
		}
		readers = append(readers, sdkmetric.WithReader(push))
	}
	if o.Reader != nil {
		readers = append(readers, sdkmetric.WithReader(o.Reader))
	}
	return sdkmetric.NewMeterProvider(readers...), nil
}

func (o Options) push() (sdkmetric.Reader, error) {
	if target, err := url.Parse(o.OTLP); err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL to push to, such as http://localhost:9090/api/v1/otlp/v1/metrics", o.OTLP)
	}
	exporter, err := otlpmetrichttp.New(context.Background(),
		otlpmetrichttp.WithEndpointURL(o.OTLP), otlpmetrichttp.WithAggregationSelector(o.Aggregation))
	if err != nil {
		return nil, err
	}
	return sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithInterval(PushInterval)), nil
}

func (o Options) translation() otlptranslator.TranslationStrategyOption {
	if o.Suffixes {
		return otlptranslator.UnderscoreEscapingWithSuffixes
	}
	return otlptranslator.UnderscoreEscapingWithoutSuffixes
}

// Aggregation is the aggregation of a kind of instruments, for a reader to select it.
func (o Options) Aggregation(kind sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	if o.Native && kind == sdkmetric.InstrumentKindHistogram {
		return sdkmetric.AggregationBase2ExponentialHistogram{MaxSize: 160, MaxScale: 8} // Prometheus knows no finer scale
	}
	return sdkmetric.DefaultAggregationSelector(kind)
}

// page is the page for Prometheus. OpenMetrics is one of its formats only where its names are wanted: there every counter ends in
// _total, whatever its name is.
func (o Options) page(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: o.Suffixes})
}
