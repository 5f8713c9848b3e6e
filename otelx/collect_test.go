package otelx_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// backend is where the metrics of a test go.
type backend struct {
	reader   *sdkmetric.ManualReader
	provider *sdkmetric.MeterProvider
}

func newBackend(opts ...sdkmetric.Option) *backend {
	reader := sdkmetric.NewManualReader()
	return &backend{reader, sdkmetric.NewMeterProvider(append(opts, sdkmetric.WithReader(reader))...)}
}

// tracker is one whose observer reports to the backend.
func (b *backend) tracker(t testing.TB, opts ...otelx.Option) *tpot.Tracker {
	o, err := otelx.NewObserver(append([]otelx.Option{otelx.WithMeterProvider(b.provider)}, opts...)...)
	require.NoError(t, err)
	return &tpot.Tracker{Observers: []tpot.Observer{o}}
}

// metrics are what a reader collects, by name.
func (b *backend) metrics(t testing.TB) map[string]metricdata.Metrics {
	var all metricdata.ResourceMetrics
	require.NoError(t, b.reader.Collect(context.Background(), &all))
	found := make(map[string]metricdata.Metrics)
	for _, scope := range all.ScopeMetrics {
		require.Equal(t, otelx.ScopeName, scope.Scope.Name)
		require.Equal(t, otelx.Version, scope.Scope.Version)
		require.Equal(t, attribute.NewSet(attribute.String("tokentiming.convention", "tokentiming")), scope.Scope.Attributes)
		for _, m := range scope.Metrics {
			found[m.Name] = m
		}
	}
	return found
}

// point is one series of a metric: a sum, or a histogram.
type point struct {
	attrs     map[attribute.Key]string
	value     float64 // of a counter, or a histogram's sum
	count     uint64  // of a histogram
	bounds    []float64
	buckets   []uint64
	exemplars []metricdata.Exemplar[float64]
}

func (b *backend) points(t testing.TB, name string) []point { return points(b.metrics(t)[name]) }

func points(m metricdata.Metrics) []point {
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		return histogramPoints(data)
	case metricdata.Histogram[int64]:
		return histogramPoints(data)
	case metricdata.Sum[float64]:
		return sumPoints(data)
	case metricdata.Sum[int64]:
		return sumPoints(data)
	}
	return nil
}

func histogramPoints[N int64 | float64](h metricdata.Histogram[N]) (ps []point) {
	for _, p := range h.DataPoints {
		q := point{attrs: labelsOf(p.Attributes), value: float64(p.Sum), count: p.Count, bounds: p.Bounds, buckets: p.BucketCounts}
		q.exemplars, _ = any(p.Exemplars).([]metricdata.Exemplar[float64])
		ps = append(ps, q)
	}
	return ps
}

func sumPoints[N int64 | float64](s metricdata.Sum[N]) (ps []point) {
	for _, p := range s.DataPoints {
		ps = append(ps, point{attrs: labelsOf(p.Attributes), value: float64(p.Value)})
	}
	return ps
}

func labelsOf(set attribute.Set) map[attribute.Key]string {
	all := make(map[attribute.Key]string)
	for _, kv := range set.ToSlice() {
		all[kv.Key] = fmt.Sprint(kv.Value.AsInterface())
	}
	return all
}

// filled are the buckets of a histogram that hold something, by their upper bounds.
func (p point) filled() map[float64]uint64 {
	filled := make(map[float64]uint64)
	for i, n := range p.buckets {
		if n > 0 {
			filled[append(p.bounds, math.Inf(1))[i]] = n
		}
	}
	return filled
}

// only is the one series of a metric.
func (b *backend) only(t testing.TB, name string) point {
	t.Helper()
	ps := b.points(t, name)
	require.Len(t, ps, 1, name)
	return ps[0]
}

// where is the one series of a metric in which an attribute has a value.
func (b *backend) where(t testing.TB, name string, key attribute.Key, value string) point {
	t.Helper()
	ps := slices.DeleteFunc(b.points(t, name), func(p point) bool { return p.attrs[key] != value })
	require.Len(t, ps, 1, "%s{%s=%q}", name, key, value)
	return ps[0]
}

// total is the sum, and the count for histograms, over all series of a metric.
func (b *backend) total(t testing.TB, name string) (value float64, count int) {
	for _, p := range b.points(t, name) {
		value += p.value
		count += int(p.count)
	}
	return value, count
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// request is what the tests ask for.
func request() tpot.Request {
	return tpot.Request{Operation: "chat", Provider: "openai", Model: "small-1", Scenario: "support", ServerAddress: "llm.example", ServerPort: 8443}
}

// play is a whole response, with times that the tests reckon with:
// a role at 50 ms, reasoning at 100, text at 140, 160 and, after a stall, 900; finish and usage at 910, the end at 920.
func play(r *tpot.Recorder) tpot.Stats {
	at := func(begin, arrive int, e tpot.Event) {
		r.BeginWaitAt(ms(begin))
		r.ObserveAt(ms(arrive), e)
	}
	at(10, 50, tpot.Event{Kind: tpot.KindRole | tpot.KindMarked, Model: "small-1-2026"})
	at(50, 100, tpot.Event{Kind: tpot.KindReasoning, Tokens: 1})
	at(110, 140, tpot.Event{Kind: tpot.KindText, Tokens: 2})
	at(145, 160, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	at(170, 900, tpot.Event{Kind: tpot.KindText, Tokens: 4})
	at(900, 910, tpot.Event{Kind: tpot.KindFinish | tpot.KindUsage | tpot.KindDone, FinishReason: "stop",
		Usage: tpot.Usage{Input: 12, Output: 9, Reasoning: 1, Cached: 3}})
	r.BeginWaitAt(ms(912))
	return r.EndAt(ms(920), nil)
}
