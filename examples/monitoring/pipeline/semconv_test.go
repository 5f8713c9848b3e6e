package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
)

// OpenTelemetry's own package has the names of 1.41, the last that has them. The names of otelx are written by hand, since that package is
// newer than the oldest OpenTelemetry that otelx allows.
func TestNamesAreThoseOfOpenTelemetrysOwnPackage(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	all := make(map[string]metricdata.Metrics)
	run(t, time.Minute, Options{Suffixes: true, Reader: reader}, func(*Pipeline, traffic.Ledger) {
		var collected metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &collected))
		for _, scope := range collected.ScopeMetrics {
			for _, m := range scope.Metrics {
				all[m.Name] = m
			}
		}
	})
	known := map[attribute.Key]bool{
		semconv.GenAIOperationNameKey: true, semconv.GenAIProviderNameKey: true, semconv.GenAIRequestModelKey: true,
		semconv.GenAIResponseModelKey: true, semconv.ErrorTypeKey: true, semconv.GenAITokenTypeKey: true,
		"tokentiming.scenario": true, // allowed
	}
	for _, want := range []interface {
		Name() string
		Unit() string
	}{
		genaiconv.ClientOperationDuration{}, genaiconv.ClientOperationTimeToFirstChunk{},
		genaiconv.ClientOperationTimePerOutputChunk{}, genaiconv.ClientTokenUsage{},
	} {
		require.Contains(t, all, want.Name())
		m := all[want.Name()]
		assert.Equal(t, want.Unit(), m.Unit)
		for _, set := range sets(t, m) {
			for _, kv := range set.ToSlice() {
				assert.True(t, known[kv.Key], "%s has %s", m.Name, kv.Key)
			}
		}
	}
}

// sets are the attribute sets of a histogram.
func sets(t *testing.T, m metricdata.Metrics) (all []attribute.Set) {
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			all = append(all, p.Attributes)
		}
	case metricdata.Histogram[int64]:
		for _, p := range data.DataPoints {
			all = append(all, p.Attributes)
		}
	}
	require.NotEmpty(t, all, m.Name)
	return all
}
