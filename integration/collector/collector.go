package collector

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

// Collector is an OpenTelemetry collector within this process, with its own receiver of OTLP over HTTP. What it receives is
// in Received when the sender has its answer.
type Collector struct {
	Socket string // where it listens

	collector *otelcol.Collector
	ready     chan struct{} // closed when it listens
	ended     chan error    // gets what Run returned, once

	mu       sync.Mutex
	received []pmetric.Metrics
}

// configuration is the collector's. A socket has a name that nobody else takes, unlike a free port.
const configuration = `
receivers:
  otlp:
    protocols:
      http:
        transport: unix
        endpoint: %s
exporters:
  keep:
extensions:
  watch:
service:
  extensions: [watch]
  pipelines:
    metrics:
      receivers: [otlp]
      exporters: [keep]
  telemetry:
    logs:
      level: warn
    metrics:
      level: none
`

// Start starts a Collector with its files in a directory, and returns when it listens. Stop it.
func Start(ctx context.Context, dir string) (*Collector, error) {
	c := &Collector{Socket: filepath.Join(dir, "otlp"), ready: make(chan struct{}), ended: make(chan error, 1)}
	file := filepath.Join(dir, "collector.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, c.Socket), 0o600); err != nil {
		return nil, err
	}
	var err error
	c.collector, err = otelcol.NewCollector(otelcol.CollectorSettings{
		Factories:               c.factories,
		DisableGracefulShutdown: true, // signals are the test's
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{"file:" + file},
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
		}},
	})
	if err != nil {
		return nil, err
	}
	go func() { c.ended <- c.collector.Run(ctx) }()
	select {
	case <-c.ready:
		return c, nil
	case err := <-c.ended:
		return nil, errors.Join(errors.New("the collector ended at once"), err)
	}
}

// Stop stops the Collector.
func (c *Collector) Stop() error {
	c.collector.Shutdown()
	return <-c.ended
}

// Received is all that has been received.
func (c *Collector) Received() []pmetric.Metrics {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received
}

func (c *Collector) factories() (otelcol.Factories, error) {
	otlp, keep, watch := otlpreceiver.NewFactory(), c.keeper(), c.watcher()
	return otelcol.Factories{
		Receivers:  map[component.Type]receiver.Factory{otlp.Type(): otlp},
		Exporters:  map[component.Type]exporter.Factory{keep.Type(): keep},
		Extensions: map[component.Type]extension.Factory{watch.Type(): watch},
		Telemetry:  otelconftelemetry.NewFactory(),
	}, nil
}

func noConfig() component.Config { return new(struct{}) }

// keeper is the exporter that ends the pipeline. It keeps what it gets.
func (c *Collector) keeper() exporter.Factory {
	create := func(context.Context, exporter.Settings, component.Config) (exporter.Metrics, error) {
		consume, err := consumer.NewMetrics(c.keep)
		return keeper{Metrics: consume}, err
	}
	return exporter.NewFactory(component.MustNewType("keep"), noConfig, exporter.WithMetrics(create, component.StabilityLevelStable))
}

type keeper struct {
	component.StartFunc
	component.ShutdownFunc
	consumer.Metrics
}

func (c *Collector) keep(_ context.Context, m pmetric.Metrics) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := pmetric.NewMetrics()
	m.CopyTo(kept) // the receiver uses its own again
	c.received = append(c.received, kept)
	return nil
}

// watcher is the extension that hears when the receivers have started.
func (c *Collector) watcher() extension.Factory {
	create := func(context.Context, extension.Settings, component.Config) (extension.Extension, error) {
		return watcher{c: c}, nil
	}
	return extension.NewFactory(component.MustNewType("watch"), noConfig, create, component.StabilityLevelStable)
}

type watcher struct {
	component.StartFunc
	component.ShutdownFunc
	c *Collector
}

// Ready implements extensioncapabilities.PipelineWatcher.
func (w watcher) Ready() error {
	close(w.c.ready)
	return nil
}

// NotReady implements extensioncapabilities.PipelineWatcher.
func (watcher) NotReady() error { return nil }
