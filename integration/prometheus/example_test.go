package prometheus

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	"github.com/prometheus/prometheus/config"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// The example's files, and where its application serves its metrics.
const (
	monitoring = "../../examples/monitoring"
	appAddress = "app:9464"
)

// perSecond is how many requests the application sends.
const perSecond = 2

// example is the monitoring example: the application with its simulated traffic, and a Server that watches it.
type example struct {
	*testing.T
	*Server
	config   *config.Config
	variant  assets.Variant
	provider *sdk.MeterProvider
	traffic  *traffic.Traffic
	end      func() // ends the traffic and waits for its last answers
}

// eachVariant runs a test of the example in each variant, each in a bubble of its own, several at a time.
func eachVariant(t *testing.T, test func(e *example)) {
	for _, v := range assets.Variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(startExample(t, v)) })
		})
	}
}

func startExample(t *testing.T, v assets.Variant) *example {
	n := new(Network)
	e := &example{T: t, variant: v, config: loadConfig(t, v)}
	e.Server = start(t, e.config, n)
	e.startApp(n)
	e.startTraffic()
	return e
}

// loadConfig is the example's configuration of Prometheus with a variant's rules.
func loadConfig(t *testing.T, v assets.Variant) *config.Config {
	c, err := config.LoadFile("testdata/prometheus.yml", false, complaints(t))
	require.NoError(t, err)
	c.RuleFiles = []string{filepath.Join(monitoring, "prometheus/rules", v.String()+".yaml")}
	c.OTLPConfig.TranslationStrategy = strategy(v)
	return c
}

func strategy(v assets.Variant) otlptranslator.TranslationStrategyOption {
	if v.Suffixes {
		return otlptranslator.UnderscoreEscapingWithSuffixes
	}
	return otlptranslator.UnderscoreEscapingWithoutSuffixes
}

func aggregation(v assets.Variant) sdk.AggregationSelector {
	return func(kind sdk.InstrumentKind) sdk.Aggregation {
		if v.Native && kind == sdk.InstrumentKindHistogram {
			return sdk.AggregationBase2ExponentialHistogram{MaxSize: 160, MaxScale: 20}
		}
		return sdk.DefaultAggregationSelector(kind)
	}
}

// startApp makes the application's metrics and serves them. They are pushed when the provider is flushed, and not before.
func (e *example) startApp(n *Network) {
	registry := prometheus.NewRegistry()
	scraped, err := exporter.New(exporter.WithRegisterer(registry),
		exporter.WithTranslationStrategy(strategy(e.variant)), exporter.WithAggregationSelector(aggregation(e.variant)))
	require.NoError(e, err)
	client := &http.Client{Transport: &http.Transport{DialContext: n.DialContext}}
	e.Cleanup(client.CloseIdleConnections)
	pushed, err := otlpmetrichttp.New(e.Context(), otlpmetrichttp.WithEndpointURL("http://"+Address+OTLPPath),
		otlpmetrichttp.WithHTTPClient(client), otlpmetrichttp.WithAggregationSelector(aggregation(e.variant)))
	require.NoError(e, err)
	e.provider = sdk.NewMeterProvider(sdk.WithReader(scraped), sdk.WithReader(sdk.NewPeriodicReader(pushed, sdk.WithInterval(1000*time.Hour))))
	e.Cleanup(func() { assert.NoError(e, e.provider.Shutdown(context.Background())) })
	serve(e.T, n, appAddress, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
}

func (e *example) startTraffic() {
	observer, err := otelx.NewObserver(otelx.WithMeterProvider(e.provider), otelx.WithAttributes(otelx.ScenarioKey))
	require.NoError(e, err)
	slo := tpot.SLO{TTFT: 5 * time.Second, TPOT: 100 * time.Millisecond}
	e.traffic = traffic.New(&tpot.Tracker{SLO: slo, Observers: []tpot.Observer{observer}}, perSecond, 1)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.traffic.Run(ctx)
	}()
	e.end = func() {
		cancel()
		<-ended
	}
	e.Cleanup(e.end)
}

// table prints rows of cells, which end with tabs, in columns when it is flushed.
func (e *example) table(head ...string) *tabwriter.Writer {
	w := tabwriter.NewWriter(e.Output(), 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%v:\n%s\n", e.variant, strings.Join(head, "\t"))
	return w
}

// scrapes is the time between two scrapes.
func (e *example) scrapes() time.Duration { return time.Duration(e.config.GlobalConfig.ScrapeInterval) }
