package otelx_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// gates say which instruments are Enabled, which may change, and note what is recorded with those that are not. Instruments whose
// names are refused cannot be made.
type gates struct {
	open    func(name string) bool
	refused string
	misused []string
}

// gated is a provider behind gates.
type gated struct {
	metric.MeterProvider
	*gates
}

func (p gated) Meter(name string, opts ...metric.MeterOption) metric.Meter {
	return gatedMeter{p.MeterProvider.Meter(name, opts...), p.gates}
}

type gatedMeter struct {
	metric.Meter
	*gates
}

// gate is that of one instrument.
type gate struct {
	*gates
	name string
}

func (g gate) Enabled(context.Context) bool { return g.open(g.name) }

func (g gate) pass() {
	if !g.open(g.name) {
		g.misused = append(g.misused, g.name)
	}
}

func (m gatedMeter) refuse(name string, err error) error {
	if m.refused != "" && strings.HasPrefix(name, m.refused) {
		return errors.New(name + " is refused")
	}
	return err
}

func (m gatedMeter) Float64Histogram(name string, opts ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	i, err := m.Meter.Float64Histogram(name, opts...)
	return gatedSeconds{i, gate{m.gates, name}}, m.refuse(name, err)
}

func (m gatedMeter) Int64Histogram(name string, opts ...metric.Int64HistogramOption) (metric.Int64Histogram, error) {
	i, err := m.Meter.Int64Histogram(name, opts...)
	return gatedTokens{i, gate{m.gates, name}}, m.refuse(name, err)
}

func (m gatedMeter) Int64Counter(name string, opts ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	i, err := m.Meter.Int64Counter(name, opts...)
	return gatedCounter{i, gate{m.gates, name}}, m.refuse(name, err)
}

func (m gatedMeter) Float64Counter(name string, opts ...metric.Float64CounterOption) (metric.Float64Counter, error) {
	i, err := m.Meter.Float64Counter(name, opts...)
	return gatedTime{i, gate{m.gates, name}}, m.refuse(name, err)
}

func (m gatedMeter) Int64UpDownCounter(name string, opts ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	i, err := m.Meter.Int64UpDownCounter(name, opts...)
	return gatedUpDownCounter{i, gate{m.gates, name}}, m.refuse(name, err)
}

type gatedSeconds struct {
	metric.Float64Histogram
	gate gate
}

func (i gatedSeconds) Enabled(ctx context.Context) bool { return i.gate.Enabled(ctx) }

func (i gatedSeconds) Record(ctx context.Context, v float64, opts ...metric.RecordOption) {
	i.gate.pass()
	i.Float64Histogram.Record(ctx, v, opts...)
}

type gatedTokens struct {
	metric.Int64Histogram
	gate gate
}

func (i gatedTokens) Enabled(ctx context.Context) bool { return i.gate.Enabled(ctx) }

func (i gatedTokens) Record(ctx context.Context, v int64, opts ...metric.RecordOption) {
	i.gate.pass()
	i.Int64Histogram.Record(ctx, v, opts...)
}

type gatedCounter struct {
	metric.Int64Counter
	gate gate
}

func (i gatedCounter) Enabled(ctx context.Context) bool { return i.gate.Enabled(ctx) }

func (i gatedCounter) Add(ctx context.Context, v int64, opts ...metric.AddOption) {
	i.gate.pass()
	i.Int64Counter.Add(ctx, v, opts...)
}

type gatedTime struct {
	metric.Float64Counter
	gate gate
}

func (i gatedTime) Enabled(ctx context.Context) bool { return i.gate.Enabled(ctx) }

func (i gatedTime) Add(ctx context.Context, v float64, opts ...metric.AddOption) {
	i.gate.pass()
	i.Float64Counter.Add(ctx, v, opts...)
}

type gatedUpDownCounter struct {
	metric.Int64UpDownCounter
	gate gate
}

func (i gatedUpDownCounter) Enabled(ctx context.Context) bool { return i.gate.Enabled(ctx) }

func (i gatedUpDownCounter) Add(ctx context.Context, v int64, opts ...metric.AddOption) {
	i.gate.pass()
	i.Int64UpDownCounter.Add(ctx, v, opts...)
}

// metricNames are all in the package comment.
func metricNames(t *testing.T) (names []string) {
	documented, _ := table(t)
	for name := range documented {
		names = append(names, name)
	}
	return names
}

// Recording costs much even where nothing comes of it: what is not Enabled is left alone.
func TestNothingIsRecordedThatIsNotEnabled(t *testing.T) {
	for _, only := range metricNames(t) {
		g := &gates{open: func(name string) bool { return name == only }}
		b := newBackend()
		tracker := b.tracker(t, otelx.WithMeterProvider(gated{b.provider, g}), otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01))
		tracker.SLO = tpot.SLO{TTFT: ms(100)}
		_, r := tracker.Start(t.Context(), request())
		play(r)
		for _, w := range ways() {
			_, r := tracker.Start(t.Context(), request())
			w.play(r)
		}
		assert.Empty(t, g.misused, only)
		assert.Len(t, b.metrics(t), 1, only)
		assert.Contains(t, b.metrics(t), only)
	}
}

// One instrument of any kind is enough for a request to be observed.
func TestARequestOfWhichOneFigureIsReportedIsObserved(t *testing.T) {
	for _, only := range metricNames(t) {
		view := sdkmetric.WithView(func(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
			return sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}, i.Name != only
		})
		assert.NotNil(t, observation(t, otelx.WithMeterProvider(newBackend(view).provider),
			otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01)), only)
	}
}

// A request that is counted as active is so once, however metrics are switched while it lasts.
func TestActiveStreamsComeBackToZeroWhenMetricsAreSwitched(t *testing.T) {
	for name, on := range map[string][3]bool{ // at the start, at the end, and for a request after it
		"on":  {false, true, true},
		"off": {true, false, true},
	} {
		enabled := on[0]
		b := newBackend()
		g := &gates{open: func(name string) bool { return name == "tokentiming.requests" || enabled }}
		tracker := b.tracker(t, otelx.WithMeterProvider(gated{b.provider, g}))
		_, r := tracker.Start(t.Context(), request())
		enabled = on[1]
		play(r)
		enabled = on[2]
		_, r = tracker.Start(t.Context(), request())
		assert.Equal(t, 1.0, b.only(t, "tokentiming.active_streams").value, name)
		play(r)
		assert.Zero(t, b.only(t, "tokentiming.active_streams").value, name)
	}
}

// The error names every instrument that was refused.
func TestInstrumentsThatAProviderRefuses(t *testing.T) {
	for _, prefix := range []string{"tokentiming.", "gen_ai.client.operation.", "gen_ai.client.inference.", "gen_ai.client.token."} {
		provider := gated{newBackend().provider, &gates{refused: prefix}}
		o, err := otelx.NewObserver(otelx.WithMeterProvider(provider), otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01))
		require.Nil(t, o)
		for _, name := range metricNames(t) {
			if strings.HasPrefix(name, prefix) {
				assert.ErrorContains(t, err, name+" is refused")
			}
		}
	}
}

// A set that is not asked for has no name at all, whatever the operation is.
func TestWithoutConventionsNoOperationHasTheirNames(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSemconv(otelx.SemconvV141), otelx.WithSemconv())
	for _, operation := range []string{"chat", "embeddings"} {
		_, r := tracker.Start(t.Context(), tpot.Request{Operation: operation})
		play(r)
	}
	for name := range b.metrics(t) {
		assert.Regexp(t, `^tokentiming\.`, name)
	}
}
