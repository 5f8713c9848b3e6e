package otelx_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestOnlyAllowedAttributesAreReported(t *testing.T) {
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tier", "free"), attribute.String("user", "4711"))
	ctx = otelx.ContextWithAttributes(ctx, attribute.Int("shard", 7), attribute.String("tier", "paid"))
	for name, c := range map[string]struct {
		allowed []attribute.Key
		want    map[attribute.Key]string
	}{
		"nothing":  {nil, requestAttributes()},
		"scenario": {[]attribute.Key{otelx.ScenarioKey}, requestAttributes("tokentiming.scenario", "support")},
		"two":      {[]attribute.Key{"tier", "shard"}, requestAttributes("tier", "paid", "shard", "7")},
		"absent":   {[]attribute.Key{"region"}, requestAttributes()},
	} {
		b := newBackend()
		b.tracker(t, otelx.WithAttributes(c.allowed...)).Start(ctx, request())
		assert.Equal(t, c.want, b.only(t, "tokentiming.active_streams").attrs, name)
	}
}

// port is a port for each "value 17".
func port(value string) int {
	var n int
	_, _ = fmt.Sscanf(value, "value %d", &n)
	return n + 1
}

// Whatever attribute a stranger can choose the value of, a metric has few values of it.
func TestDistinctValuesAreBounded(t *testing.T) {
	const requests = 3 * otelx.MaxValues
	for key, play := range map[attribute.Key]func(tracker *tpot.Tracker, value string){
		"gen_ai.operation.name": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Operation: v}) },
		"server.port": func(tr *tpot.Tracker, v string) {
			tr.Start(t.Context(), tpot.Request{ServerAddress: "host", ServerPort: port(v)})
		},
		"gen_ai.provider.name": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Provider: v}) },
		"gen_ai.request.model": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Model: v}) },
		"server.address": func(tr *tpot.Tracker, v string) {
			tr.Start(t.Context(), tpot.Request{ServerAddress: v, ServerPort: len(v)})
		},
		"tokentiming.scenario": func(tr *tpot.Tracker, v string) { tr.Start(t.Context(), tpot.Request{Scenario: v}) },
		"tenant": func(tr *tpot.Tracker, v string) {
			tr.Start(otelx.ContextWithAttributes(t.Context(), attribute.String("tenant", v)), tpot.Request{})
		},
	} {
		b := newBackend()
		tracker := b.tracker(t, otelx.WithAttributes(otelx.ScenarioKey, "tenant"))
		for i := range requests {
			play(tracker, fmt.Sprintf("value %d", i))
		}
		total, _ := b.total(t, "tokentiming.active_streams")
		assert.Equal(t, float64(requests), total, "%s: none is lost", key)
		points := b.points(t, "tokentiming.active_streams")
		assert.Len(t, points, otelx.MaxValues+1, key)
		rest := map[bool]string{true: "", false: "_other"}[key == "server.port"] // a port of too many is left out
		other := b.where(t, "tokentiming.active_streams", key, rest)
		assert.Equal(t, float64(requests-otelx.MaxValues), other.value, key)
		assert.NotContains(t, other.attrs, attribute.Key("server.port"))
	}
}

func TestDistinctResponseModelsAndErrorsAreBounded(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t)
	for i := range 2 * otelx.MaxValues {
		_, r := tracker.Start(t.Context(), tpot.Request{})
		r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindText, Model: fmt.Sprintf("model %d", i)})
		r.ObserveAt(ms(2), tpot.Event{Kind: tpot.KindError, ErrorType: fmt.Sprintf("request %d failed", i)})
		r.EndAt(ms(3), nil)
	}
	points := b.points(t, "gen_ai.client.operation.duration")
	assert.Len(t, points, otelx.MaxValues+1)
	for _, p := range points {
		assert.Equal(t, "_OTHER", p.attrs["error.type"])
	}
}

// Values are bounded; their combinations are, too.
func TestCombinationsAreBounded(t *testing.T) {
	b := newBackend(sdkmetric.WithCardinalityLimit(0))
	tracker := b.tracker(t)
	const each = 50
	for model := range each {
		for provider := range each {
			_, r := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(model), Provider: fmt.Sprint(provider)})
			r.EndAt(ms(1), nil)
		}
	}
	points := b.points(t, "gen_ai.client.operation.duration")
	assert.Len(t, points, 2000+1)
	other := b.where(t, "gen_ai.client.operation.duration", "gen_ai.request.model", "_other")
	assert.Equal(t, uint64(each*each-2000), other.count)
	_, count := b.total(t, "gen_ai.client.operation.duration")
	assert.Equal(t, each*each, count, "none is lost")
}

// A value that no exporter could send would take all that is exported with it.
func TestTextsAreShortAndValid(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	spans, provider := newTracing()
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider), otelx.WithAttributes("tags", "tier", "none"))
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.StringSlice("tags", []string{"a\xff"}), attribute.String("tier", "\xff"+long),
		attribute.KeyValue{Key: "none"})
	_, r := tracker.Start(ctx, tpot.Request{Operation: "chat\xff", Model: "m\xffodel" + long, Provider: "\xff", ServerAddress: long})
	p := b.only(t, "tokentiming.active_streams")
	r.EndAt(ms(1), nil)
	want := map[attribute.Key]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "unknown", "gen_ai.request.model": "model" + long[:250],
		"server.address": long[:256], "tier": long[:255],
	}
	assert.Equal(t, want, p.attrs)
	span := spans.Ended()[0]
	assert.Equal(t, "chat model"+long[:250], span.Name())
	assert.Equal(t, want, labelsOf(attribute.NewSet(span.Attributes()...)))
}

// Exporters know the type of an attribute by its key.
func TestAnAttributeHasOneType(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithAttributes("tier"))
	for _, one := range []attribute.KeyValue{attribute.Int("tier", 1), attribute.String("tier", "1"), attribute.Float64("tier", 1)} {
		tracker.Start(otelx.ContextWithAttributes(t.Context(), one), tpot.Request{})
	}
	assert.Equal(t, 3.0, b.only(t, "tokentiming.active_streams").value)
}

// Bounds are for metrics; a span is one of many anyway.
func TestASpanHasTheValueItself(t *testing.T) {
	spans, provider := newTracing()
	tracker := newBackend().tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider))
	for i := range otelx.MaxValues + 1 {
		_, r := tracker.Start(t.Context(), tpot.Request{Operation: "chat", Model: fmt.Sprint("model-", i)})
		r.EndAt(ms(1), nil)
	}
	last := spans.Ended()[otelx.MaxValues]
	assert.Equal(t, fmt.Sprint("model-", otelx.MaxValues), attributeOf(last.Attributes(), "gen_ai.request.model").AsString())
}

func TestErrorTypesAreBoundedAndTheSameOnSpanAndMetric(t *testing.T) {
	spans, provider := newTracing()
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider))
	for status := 400; status < 400+2*otelx.MaxValues; status++ {
		_, r := tracker.Start(t.Context(), tpot.Request{})
		r.Attempt(tpot.Attempt{Status: status, Headers: ms(1)})
		r.EndAt(ms(2), assert.AnError)
	}
	onSpans := make(map[string]int)
	for _, span := range spans.Ended() {
		onSpans[attributeOf(span.Attributes(), "error.type").AsString()]++
	}
	assert.Len(t, onSpans, 200+1, "statuses end at 599")
	for kind, n := range onSpans {
		assert.Equal(t, uint64(n), b.where(t, "gen_ai.client.operation.duration", "error.type", kind).count, kind)
	}
	assert.Equal(t, 2*otelx.MaxValues-200, onSpans["_OTHER"])
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, option := range map[string]otelx.Option{
		"unknown Semconv 64":                  otelx.WithSemconv(otelx.Semconv(64)),
		"\"\" cannot be the key":              otelx.WithAttributes("tier", ""),
		"\"\\xff\" cannot be the key":         otelx.WithAttributes("\xff"),
		"\"gen_ai.request.model\" is told by": otelx.WithAttributes("gen_ai.request.model"),
		"\"error.type\" is told by":           otelx.WithAttributes("error.type"),
	} {
		_, err := otelx.NewObserver(option)
		require.ErrorContains(t, err, want)
	}
}

func TestOptionsThatAreUsedAgain(t *testing.T) {
	b := newBackend()
	ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tier", "free"), attribute.Bool("beta", true))
	b.tracker(t, nil, otelx.WithMeterProvider(nil), otelx.WithTracerProvider(nil),
		otelx.WithAttributes("tier"), otelx.WithAttributes("beta", "tier")).Start(ctx, tpot.Request{})
	p := b.only(t, "tokentiming.active_streams")
	assert.Equal(t, "free", p.attrs["tier"])
	assert.Equal(t, "true", p.attrs["beta"])
}

// An empty label is an absent one in Prometheus: two series of the same labels, of which it drops one.
func TestAnEmptyAttributeIsAbsent(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithAttributes("tier"))
	for _, ctx := range []context.Context{
		t.Context(),
		otelx.ContextWithAttributes(t.Context(), attribute.String("tier", "")),
		otelx.ContextWithAttributes(t.Context(), attribute.String("tier", "\xff")),
	} {
		tracker.Start(ctx, tpot.Request{})
	}
	assert.Equal(t, 3.0, b.only(t, "tokentiming.active_streams").value)
}

// Of attributes with the same key the last one counts, and only that.
func TestAnAttributeThatIsReplacedTakesNoPlace(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t, otelx.WithAttributes("tenant"))
	start := func(guess, tenant string) {
		ctx := otelx.ContextWithAttributes(t.Context(), attribute.String("tenant", guess))
		tracker.Start(otelx.ContextWithAttributes(ctx, attribute.String("tenant", tenant)), tpot.Request{})
	}
	for i := range otelx.MaxValues {
		start(fmt.Sprint("guess ", i), "first")
	}
	start("guess", "second")
	b.where(t, "tokentiming.active_streams", "tenant", "second")
}

// A name is often a part of what it was found in, such as the JSON of a request; that is not to be kept.
func TestWhatANameWasCutFromIsNotKept(t *testing.T) {
	tracker := newBackend().tracker(t)
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	const requests, size = 100, 1 << 20
	for i := range requests {
		body := fmt.Sprintf("model-%04d", i) + strings.Repeat("x", size)
		_, r := tracker.Start(t.Context(), tpot.Request{Model: body[:len("model-0000")]})
		r.EndAt(ms(1), nil)
	}
	assert.Less(t, heap()-before, requests*size/4)
	runtime.KeepAlive(tracker)
}
