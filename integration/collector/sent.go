package collector

import (
	"encoding/hex"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Sent are the points of what was collected at the source.
func Sent(rm metricdata.ResourceMetrics) (points []Point) {
	for _, sm := range rm.ScopeMetrics {
		for _, m := range sm.Metrics {
			points = append(points, sent(Point{
				Resource: sentAttributes(rm.Resource.Attributes()), Scope: sm.Scope.Name, Version: sm.Scope.Version,
				Name: m.Name, Unit: m.Unit, Description: m.Description,
			}, m.Data)...)
		}
	}
	return points
}

// sent are the points of one metric, which have what is known of p.
func sent(p Point, data metricdata.Aggregation) []Point {
	switch d := data.(type) {
	case metricdata.Sum[int64]:
		return sentSum(p, d)
	case metricdata.Sum[float64]:
		return sentSum(p, d)
	case metricdata.Histogram[int64]:
		return sentBuckets(p, d)
	case metricdata.Histogram[float64]:
		return sentBuckets(p, d)
	case metricdata.ExponentialHistogram[int64]:
		return sentScaled(p, d)
	case metricdata.ExponentialHistogram[float64]:
		return sentScaled(p, d)
	}
	panic(fmt.Sprintf("collector: %s is a %T", p.Name, data))
}

func sentSum[N int64 | float64](p Point, d metricdata.Sum[N]) (points []Point) {
	p.Kind = Kind{"sum", d.Temporality == metricdata.CumulativeTemporality, d.IsMonotonic}
	for _, dp := range d.DataPoints {
		p.Attributes, p.Start, p.Time = sentAttributes(dp.Attributes.ToSlice()), dp.StartTime.UTC(), dp.Time.UTC()
		p.Value, p.Exemplars = dp.Value, sentExemplars(dp.Exemplars)
		points = append(points, p)
	}
	return points
}

func sentBuckets[N int64 | float64](p Point, d metricdata.Histogram[N]) (points []Point) {
	p.Kind = Kind{Type: "histogram", Cumulative: d.Temporality == metricdata.CumulativeTemporality}
	for _, dp := range d.DataPoints {
		p.Attributes, p.Start, p.Time = sentAttributes(dp.Attributes.ToSlice()), dp.StartTime.UTC(), dp.Time.UTC()
		p.Value = Buckets{sentSummary(dp.Count, dp.Sum, dp.Min, dp.Max), dp.Bounds, dp.BucketCounts}
		p.Exemplars = sentExemplars(dp.Exemplars)
		points = append(points, p)
	}
	return points
}

func sentScaled[N int64 | float64](p Point, d metricdata.ExponentialHistogram[N]) (points []Point) {
	p.Kind = Kind{Type: "exponential histogram", Cumulative: d.Temporality == metricdata.CumulativeTemporality}
	for _, dp := range d.DataPoints {
		p.Attributes, p.Start, p.Time = sentAttributes(dp.Attributes.ToSlice()), dp.StartTime.UTC(), dp.Time.UTC()
		p.Value = Scaled{
			sentSummary(dp.Count, dp.Sum, dp.Min, dp.Max), dp.Scale, dp.ZeroCount, dp.ZeroThreshold,
			Range(dp.PositiveBucket), Range(dp.NegativeBucket),
		}
		p.Exemplars = sentExemplars(dp.Exemplars)
		points = append(points, p)
	}
	return points
}

func sentSummary[N int64 | float64](count uint64, sum N, low, high metricdata.Extrema[N]) Summary {
	least, _ := low.Value()
	most, _ := high.Value()
	return Summary{count, float64(sum), float64(least), float64(most)}
}

func sentExemplars[N int64 | float64](from []metricdata.Exemplar[N]) (exemplars []Exemplar) {
	for _, e := range from {
		exemplars = append(exemplars, Exemplar{
			e.Time.UTC(), e.Value, sentAttributes(e.FilteredAttributes), hex.EncodeToString(e.TraceID), hex.EncodeToString(e.SpanID),
		})
	}
	return exemplars
}

func sentAttributes(kvs []attribute.KeyValue) string {
	all := make(map[string]any)
	for _, kv := range kvs {
		all[string(kv.Key)] = kv.Value.AsInterface()
	}
	return fmt.Sprintf("%#v", all)
}
