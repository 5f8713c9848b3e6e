package collector

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/tokentiming/tokentiming/examples/monitoring/pipeline"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
)

func TestTheCollectorReceivesWhatWasMeasured(t *testing.T) {
	t.Run("classic", func(t *testing.T) { compare(t, measure(t, false)) })
	t.Run("native", func(t *testing.T) { compare(t, measure(t, true)) })
}

// compare sends what was measured to a collector, and compares it with what arrives there.
func compare(t *testing.T, measured metricdata.ResourceMetrics) {
	sent, received := byIdentity(t, Sent(measured)), byIdentity(t, deliver(t, measured))
	require.NotEmpty(t, sent)
	assert.Len(t, received, len(sent))
	for id, point := range sent {
		assert.Equal(t, point, received[id])
	}
	tell(t, received)
}

// measure is what the example measures in some minutes of a bubble in which everything goes wrong, in a trace that is sampled.
func measure(t *testing.T, native bool) (measured metricdata.ResourceMetrics) {
	synctest.Test(t, func(t *testing.T) {
		options := pipeline.Options{Native: native, Names: []otelx.Semconv{otelx.SemconvV141, otelx.SemconvGenAIV01}}
		reader := sdk.NewManualReader(sdk.WithAggregationSelector(options.Aggregation))
		options.Reader = reader
		p, err := pipeline.New(options)
		require.NoError(t, err)
		simulation := traffic.New(p.Tracker, 5, 1)
		for _, fault := range traffic.Faults() {
			simulation.Set(fault, true)
		}
		ctx, stop := context.WithTimeout(trace.ContextWithSpanContext(t.Context(), sampled), 5*time.Minute)
		defer stop()
		simulation.Run(ctx)
		require.NoError(t, reader.Collect(t.Context(), &measured))
		require.NoError(t, p.Shutdown(t.Context()))
	})
	return measured
}

var sampled = trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})

// deliver exports to a collector, and is the points that it received.
func deliver(t *testing.T, measured metricdata.ResourceMetrics) (points []Point) {
	c, err := Start(t.Context(), t.TempDir())
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.Stop()) }()
	exporter, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithInsecure(),
		otlpmetrichttp.WithHTTPClient(&http.Client{Transport: &http.Transport{DialContext: c.dial}}))
	require.NoError(t, err)
	require.NoError(t, exporter.Export(t.Context(), &measured))
	require.NoError(t, exporter.Shutdown(t.Context()))
	for _, metrics := range c.Received() {
		points = append(points, Received(metrics)...)
	}
	return points
}

func (c *Collector) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", c.Socket)
}

// byIdentity is the points by what no two of them share.
func byIdentity(t *testing.T, points []Point) map[string]Point {
	all := make(map[string]Point)
	for _, p := range points {
		all[p.Name+p.Attributes] = p
	}
	require.Len(t, all, len(points))
	return all
}

// tell says how much there was to compare.
func tell(t *testing.T, points map[string]Point) {
	type tally struct{ points, exemplars int }
	kinds := make(map[string]*tally)
	for _, p := range points {
		kind := p.Kind.Type
		if _, whole := p.Value.(int64); whole {
			kind += " of whole numbers"
		}
		if kinds[kind] == nil {
			kinds[kind] = new(tally)
		}
		kinds[kind].points++
		kinds[kind].exemplars += len(p.Exemplars)
	}
	w := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "received unchanged\tpoints\texemplars")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", kind, kinds[kind].points, kinds[kind].exemplars)
	}
	w.Flush()
}
