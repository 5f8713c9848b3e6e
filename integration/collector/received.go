package collector

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Received are the points of what has arrived.
func Received(metrics pmetric.Metrics) (points []Point) {
	for _, rm := range metrics.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				points = append(points, received(Point{
					Resource: receivedAttributes(rm.Resource().Attributes()), Scope: sm.Scope().Name(), Version: sm.Scope().Version(),
					Name: m.Name(), Unit: m.Unit(), Description: m.Description(),
				}, m)...)
			}
		}
	}
	return points
}

// received are the points of one metric, which have what is known of p.
func received(p Point, m pmetric.Metric) []Point {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		return receivedSum(p, m.Sum())
	case pmetric.MetricTypeHistogram:
		return receivedBuckets(p, m.Histogram())
	case pmetric.MetricTypeExponentialHistogram:
		return receivedScaled(p, m.ExponentialHistogram())
	}
	panic(fmt.Sprintf("collector: %s is a %v", p.Name, m.Type()))
}

func receivedSum(p Point, s pmetric.Sum) (points []Point) {
	p.Kind = Kind{"sum", s.AggregationTemporality() == pmetric.AggregationTemporalityCumulative, s.IsMonotonic()}
	for _, dp := range s.DataPoints().All() {
		p.observed(dp)
		p.Value = dp.IntValue()
		if dp.ValueType() == pmetric.NumberDataPointValueTypeDouble {
			p.Value = dp.DoubleValue()
		}
		points = append(points, p)
	}
	return points
}

func receivedBuckets(p Point, h pmetric.Histogram) (points []Point) {
	p.Kind = Kind{Type: "histogram", Cumulative: h.AggregationTemporality() == pmetric.AggregationTemporalityCumulative}
	for _, dp := range h.DataPoints().All() {
		p.observed(dp)
		p.Value = Buckets{receivedSummary(dp), dp.ExplicitBounds().AsRaw(), dp.BucketCounts().AsRaw()}
		points = append(points, p)
	}
	return points
}

func receivedScaled(p Point, h pmetric.ExponentialHistogram) (points []Point) {
	p.Kind = Kind{Type: "exponential histogram", Cumulative: h.AggregationTemporality() == pmetric.AggregationTemporalityCumulative}
	for _, dp := range h.DataPoints().All() {
		p.observed(dp)
		p.Value = Scaled{
			receivedSummary(dp), dp.Scale(), dp.ZeroCount(), dp.ZeroThreshold(),
			Range{dp.Positive().Offset(), dp.Positive().BucketCounts().AsRaw()}, Range{dp.Negative().Offset(), dp.Negative().BucketCounts().AsRaw()},
		}
		points = append(points, p)
	}
	return points
}

// dataPoint is what all data points have.
type dataPoint interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	Timestamp() pcommon.Timestamp
	Exemplars() pmetric.ExemplarSlice
}

// observed sets what p has in common with other kinds of points.
func (p *Point) observed(dp dataPoint) {
	p.Attributes, p.Start, p.Time = receivedAttributes(dp.Attributes()), dp.StartTimestamp().AsTime(), dp.Timestamp().AsTime()
	p.Exemplars = receivedExemplars(dp.Exemplars())
}

// summarized is what data points of both kinds of histograms have.
type summarized interface {
	Count() uint64
	Sum() float64
	Min() float64
	Max() float64
}

func receivedSummary(dp summarized) Summary { return Summary{dp.Count(), dp.Sum(), dp.Min(), dp.Max()} }

func receivedExemplars(from pmetric.ExemplarSlice) (exemplars []Exemplar) {
	for _, e := range from.All() {
		var value any = e.IntValue()
		if e.ValueType() == pmetric.ExemplarValueTypeDouble {
			value = e.DoubleValue()
		}
		exemplars = append(exemplars, Exemplar{
			e.Timestamp().AsTime(), value, receivedAttributes(e.FilteredAttributes()), e.TraceID().String(), e.SpanID().String(),
		})
	}
	return exemplars
}

func receivedAttributes(m pcommon.Map) string { return fmt.Sprintf("%#v", m.AsRaw()) }
