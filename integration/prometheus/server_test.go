package prometheus

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/util/osutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
)

func TestMain(m *testing.M) {
	_, _ = osutil.GetFQDN() // before any bubble: see Server
	os.Exit(m.Run())
}

// complaints is a logger of what should not be: anything from a warning on fails the test.
func complaints(t *testing.T) *slog.Logger { return slog.New(complaintHandler{t: t}) }

// complaintHandler fails a test.
type complaintHandler struct {
	t     *testing.T
	attrs []slog.Attr
}

func (h complaintHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (h complaintHandler) WithGroup(string) slog.Handler                { return h }
func (h complaintHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return complaintHandler{h.t, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

func (h complaintHandler) Handle(_ context.Context, r slog.Record) error {
	attrs := h.attrs
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a); return true })
	h.t.Errorf("Prometheus: %s %s %v", r.Level, r.Message, attrs)
	return nil
}

// start starts a Server that stops with the test.
func start(t *testing.T, c *config.Config, n *Network) *Server {
	s, err := Start(c, t.TempDir(), n, complaints(t))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop()) })
	return s
}

// serve serves HTTP at an address until the test ends.
func serve(t *testing.T, n *Network, address string, h http.Handler) {
	l, err := n.Listen(address)
	require.NoError(t, err)
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
}

const heaterConfig = `
global:
  scrape_interval: 15s
  evaluation_interval: 30s
rule_files: [rules.yml]
scrape_configs:
  - job_name: heater
    static_configs:
      - targets: [heater:80]
`

const heaterRules = `
groups:
  - name: heater
    rules:
      - record: heater:temperature:avg1m
        expr: avg_over_time(temperature[1m])
      - alert: Hot
        expr: heater:temperature:avg1m > 30
        for: 2m
`

func loadHeaterConfig(t *testing.T) *config.Config {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yml"), []byte(heaterRules), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(heaterConfig), 0o600))
	c, err := config.LoadFile(filepath.Join(dir, "prometheus.yml"), false, complaints(t))
	require.NoError(t, err)
	return c
}

func TestAServerScrapesEvaluatesRulesAndAlerts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(Network)
		temperature := prometheus.NewGauge(prometheus.GaugeOpts{Name: "temperature"})
		temperature.Set(20)
		registry := prometheus.NewRegistry()
		registry.MustRegister(temperature)
		serve(t, n, "heater:80", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		s := start(t, loadHeaterConfig(t), n)

		time.Sleep(time.Hour)
		avg, err := s.Query(t.Context(), "heater:temperature:avg1m", time.Now())
		require.NoError(t, err)
		require.Len(t, avg, 1)
		assert.Equal(t, 20.0, avg[0].F)
		assert.Equal(t, []string{"Hot"}, s.Alerts(rules.StateInactive))

		temperature.Set(50)
		time.Sleep(2 * time.Minute)
		assert.Equal(t, []string{"Hot"}, s.Alerts(rules.StatePending))
		time.Sleep(2 * time.Minute)
		assert.Equal(t, []string{"Hot"}, s.Alerts(rules.StateFiring))

		temperature.Set(20)
		time.Sleep(2 * time.Minute)
		assert.Equal(t, []string{"Hot"}, s.Alerts(rules.StateInactive))

		fired, err := s.QueryRange(t.Context(), `ALERTS{alertstate="firing"}`, time.Now().Add(-6*time.Minute), time.Now(), 30*time.Second)
		require.NoError(t, err)
		require.Len(t, fired, 1)
		assert.Equal(t, "Hot", fired[0].Metric.Get("alertname"))
	})
}

func TestAServerReceivesOTLP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(Network)
		s := start(t, loadHeaterConfig(t), n)
		client := &http.Client{Transport: &http.Transport{DialContext: n.DialContext}}
		t.Cleanup(client.CloseIdleConnections)
		exporter, err := otlpmetrichttp.New(t.Context(),
			otlpmetrichttp.WithEndpointURL("http://"+Address+OTLPPath), otlpmetrichttp.WithHTTPClient(client))
		require.NoError(t, err)
		provider := sdk.NewMeterProvider(sdk.WithReader(sdk.NewPeriodicReader(exporter)))
		counter, err := provider.Meter("oven").Int64Counter("buns", metric.WithUnit("{bun}"))
		require.NoError(t, err)
		counter.Add(t.Context(), 7)
		require.NoError(t, provider.Shutdown(t.Context()))

		buns, err := s.Query(t.Context(), "buns_total", time.Now())
		require.NoError(t, err)
		require.Len(t, buns, 1)
		assert.Equal(t, 7.0, buns[0].F)
	})
}
