package prometheus

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"
	"github.com/prometheus/prometheus/config"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
	"github.com/tokentiming/tokentiming/examples/monitoring/pipeline"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
)

// The example's files, where its application serves its metrics, and how many requests it sends a second, as compose.yaml has it.
const (
	monitoring = "../../examples/monitoring"
	configFile = monitoring + "/prometheus/prometheus.yml"
	appAddress = "app:9464"
	rate       = 5
)

func rulesFile(v assets.Variant) string {
	return fmt.Sprintf("%s/prometheus/rules/%v.yaml", monitoring, v)
}

func dashboardFile(v assets.Variant) string {
	return fmt.Sprintf("%s/grafana/dashboards/%v.json", monitoring, v)
}

// example is the monitoring example: the application with its simulated traffic, and a Server that watches it.
type example struct {
	*testing.T
	*Server
	variant   assets.Variant
	config    *config.Config
	dashboard Dashboard
	app       *pipeline.Pipeline
	traffic   *traffic.Traffic
	end       func() // ends the traffic and waits for its last answers
}

// setting is how an example differs from what its files say.
type setting struct {
	interval time.Duration   // of scrapes and evaluations of rules; zero: as configured
	names    []otelx.Semconv // empty: the default ones
}

// eachVariant runs a test of the example in each variant, each in a bubble of its own, several at a time.
func eachVariant(t *testing.T, s setting, test func(e *example)) {
	for _, v := range assets.Variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(startExample(t, v, s)) })
		})
	}
}

func startExample(t *testing.T, v assets.Variant, s setting) *example {
	n := new(Network)
	e := &example{T: t, variant: v, config: loadConfig(t, v)}
	if s.interval > 0 {
		setInterval(e.config, model.Duration(s.interval))
	}
	var err error
	e.dashboard, err = ReadDashboard(dashboardFile(v))
	require.NoError(t, err)
	e.Server = start(t, e.config, n)
	e.startApp(n, s.names)
	e.startTraffic()
	return e
}

// loadConfig is the example's configuration of Prometheus for a variant, as its README says to change it.
func loadConfig(t *testing.T, v assets.Variant) *config.Config {
	c, err := config.LoadFile(configFile, false, complaints(t))
	require.NoError(t, err)
	c.RuleFiles = []string{rulesFile(v)}
	c.OTLPConfig.TranslationStrategy = strategy(v)
	return c
}

func setInterval(c *config.Config, interval model.Duration) {
	c.GlobalConfig.ScrapeInterval, c.GlobalConfig.EvaluationInterval = interval, interval
	for _, job := range c.ScrapeConfigs {
		job.ScrapeInterval = interval
	}
}

func strategy(v assets.Variant) otlptranslator.TranslationStrategyOption {
	if v.Suffixes {
		return otlptranslator.UnderscoreEscapingWithSuffixes
	}
	return otlptranslator.UnderscoreEscapingWithoutSuffixes
}

// startApp starts the application: its page, and beside it a push, which the example itself has one or the other of.
func (e *example) startApp(n *Network, names []otelx.Semconv) {
	options := pipeline.Options{Native: e.variant.Native, Suffixes: e.variant.Suffixes, Names: names}
	options.Reader = e.pusher(n, options.Aggregation)
	app, err := pipeline.New(options)
	require.NoError(e, err)
	e.Cleanup(func() { assert.NoError(e, app.Shutdown(context.Background())) })
	serve(e.T, n, appAddress, app.Handler)
	e.app = app
}

// pusher pushes to the Server when it is flushed. It does what the example's own option OTLP does, which is for real networks.
func (e *example) pusher(n *Network, aggregation sdk.AggregationSelector) sdk.Reader {
	client := &http.Client{Transport: &http.Transport{DialContext: n.DialContext}}
	e.Cleanup(client.CloseIdleConnections)
	exporter, err := otlpmetrichttp.New(e.Context(), otlpmetrichttp.WithEndpointURL("http://"+Address+OTLPPath),
		otlpmetrichttp.WithHTTPClient(client), otlpmetrichttp.WithAggregationSelector(aggregation))
	require.NoError(e, err)
	return sdk.NewPeriodicReader(exporter, sdk.WithInterval(1000*time.Hour))
}

func (e *example) startTraffic() {
	e.traffic = traffic.New(e.app.Tracker, rate, 1)
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
	fmt.Fprintln(w, strings.Join(head, "\t"))
	return w
}

// scrapes is the time between two scrapes.
func (e *example) scrapes() time.Duration { return time.Duration(e.config.GlobalConfig.ScrapeInterval) }
