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

func newSeries(set attribute.Set) *series {
	return &series{labels: *newLabels(set), attrs: set.ToSlice(), more: make(map[extension]*labels)}
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

// startAtZero makes the counters that alerts look at begin at zero: a series that is first seen at one has no rate in Prometheus, and
// the first failure would be the one that no alert sees. It has no context, so that no trace becomes the example of a zero.
func (s *series) startAtZero(in *instruments, limited bool) {
	start := func(c metric.Int64Counter, l *labels) { add(context.Background(), c, 0, l) }
	start(in.stalls, &s.labels)
	if limited {
		start(in.sloRequests, &s.labels)
		start(in.sloGood, &s.labels)
	}
	start(in.requests, s.with(keyOutcome, tpot.OutcomeOK.String()))
	start(in.noFirstToken, s.with(keyReason, reasonNoOutput))
	start(in.noFirstToken, s.with(keyReason, reasonUnclassified))
	for _, o := range [...]tpot.Outcome{tpot.OutcomeCanceled, tpot.OutcomeTimeout, tpot.OutcomeTruncated, tpot.OutcomeFailed} {
		start(in.requests, s.with(keyOutcome, o.String()))
		start(in.noFirstToken, s.with(keyReason, o.String()))
	}
}

const (
	// maxSeries bounds the series that are kept, a request's and its response's being two. Values are bounded, but not their
	// combinations; those beyond share one series.
	maxSeries = 2000
	// maxBegun bounds the series that begin at zero. A series has six zeros in no_first_token, and the OpenTelemetry SDK has
	// places for two thousand in an instrument: what comes later loses its names, be it a failure or a zero.
	maxBegun = 100
)

// registry keeps the series, so that a request makes no attribute set that another one made before. It is safe for concurrent use.
type registry struct {
	kept  sync.Map // attribute.Distinct: *series
	count atomic.Int64
	begun atomic.Int64
	other *series
}

func newRegistry() *registry {
	return &registry{other: newSeries(attribute.NewSet(
		keyOperation.String(otherValue), keyProvider.String(otherValue), keyRequestModel.String(otherValue)))}
}

// series is the one with the attributes, and whether it is a new one. It sorts attrs, of which the last one with a key counts.
func (r *registry) series(attrs []attribute.KeyValue) (s *series, isNew bool) {
	set := attribute.NewSet(attrs...)
	key := set.Equivalent()
	if kept, ok := r.kept.Load(key); ok {
		return kept.(*series), false
	}
	if r.count.Add(1) > maxSeries {
		r.count.Add(-1)
		return r.other, false
	}
	kept, loaded := r.kept.LoadOrStore(key, newSeries(set))
	if loaded {
		r.count.Add(-1)
	}
	return kept.(*series), !loaded
}

// request is the series of what is known of a request at its start, which has begun.
func (r *registry) request(attrs []attribute.KeyValue, in *instruments, rec *tpot.Recorder) *series {
	s, isNew := r.series(attrs)
	if isNew && r.begun.Add(1) <= maxBegun {
		s.startAtZero(in, rec.Stats().SLO != tpot.SLO{})
	}
	return s
}
