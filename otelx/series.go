package otelx

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tokentiming/tokentiming/tpot"
)

// labels are the attributes of a measurement as options, made once, since making them costs more than the measurement.
type labels struct {
	record []metric.RecordOption
	add    []metric.AddOption
}

func newLabels(set attribute.Set) *labels {
	o := metric.WithAttributeSet(set)
	return &labels{record: []metric.RecordOption{o}, add: []metric.AddOption{o}}
}

// series is everything that is recorded with one set of attributes, alone or with one attribute more. It is safe for
// concurrent use.
type series struct {
	labels
	attrs []attribute.KeyValue // sorted, each key once; not to be changed

	mu   sync.Mutex
	more map[extension]*labels
}

type extension struct {
	key   attribute.Key
	value string
}

// with is the series' labels with one attribute more. The value is one of few.
func (s *series) with(key attribute.Key, value string) *labels {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := extension{key, value}
	l, ok := s.more[e]
	if !ok {
		l = newLabels(attribute.NewSet(append(slices.Clip(s.attrs), key.String(value))...))
		s.more[e] = l
	}
	return l
}

// maxSeries bounds the series that are kept; it is the limit that the OpenTelemetry SDK sets to the attribute sets of an instrument.
const maxSeries = 2000

// registry keeps the series, so that a request makes no attribute set that another one made before. The zero registry is
// empty. It is safe for concurrent use.
type registry struct {
	kept  sync.Map // attribute.Distinct: *series
	count atomic.Int64
}

// series is the one with the attributes, and whether it is a new one. It sorts attrs, of which the last one with a key counts.
func (r *registry) series(attrs []attribute.KeyValue) (s *series, isNew bool) {
	set := attribute.NewSet(attrs...)
	if kept, ok := r.kept.Load(set.Equivalent()); ok {
		return kept.(*series), false
	}
	s = &series{labels: *newLabels(set), attrs: set.ToSlice(), more: make(map[extension]*labels)}
	if r.count.Add(1) > maxSeries {
		r.count.Add(-1)
		return s, true
	}
	kept, loaded := r.kept.LoadOrStore(set.Equivalent(), s)
	if loaded {
		r.count.Add(-1)
	}
	return kept.(*series), !loaded
}

// begin makes the counters of requests begin at zero: a series that is first seen at one has no rate in Prometheus, and the
// first failure would be the one that no alert sees.
func (s *series) begin(ctx context.Context, in *instruments) {
	start := func(c metric.Int64Counter, l *labels) { add(ctx, c, 0, l) }
	start(in.stalls, &s.labels)
	start(in.requests, s.with(keyOutcome, tpot.OutcomeOK.String()))
	start(in.noFirstToken, s.with(keyReason, reasonNoOutput))
	start(in.noFirstToken, s.with(keyReason, reasonUnclassified))
	for _, o := range [...]tpot.Outcome{tpot.OutcomeCanceled, tpot.OutcomeTimeout, tpot.OutcomeTruncated, tpot.OutcomeFailed} {
		start(in.requests, s.with(keyOutcome, o.String()))
		start(in.noFirstToken, s.with(keyReason, o.String()))
	}
}
