package otelx_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// requestAttributes are those of request, and allAttributes those of its response in play.
func requestAttributes(more ...string) map[attribute.Key]string {
	attrs := map[attribute.Key]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "small-1",
		"server.address": "llm.example", "server.port": "8443",
	}
	for i := 0; i < len(more); i += 2 {
		attrs[attribute.Key(more[i])] = more[i+1]
	}
	return attrs
}

func allAttributes(more ...string) map[attribute.Key]string {
	return requestAttributes(append(more, "gen_ai.response.model", "small-1-2026")...)
}

func TestFiguresOfOneResponse(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvV141, otelx.SemconvGenAIV01)).Start(t.Context(), request())
	assert.Equal(t, 1.0, b.only(t, "tokentiming.active_streams").value)
	play(r)

	// The gaps are 40, 20 and 740 ms, of 2, 1 and 4 tokens, and differ from their mean of 800/3 by 680/3, 740/3 and 1420/3; the
	// tokens after the first are 8 of the 9 reported.
	for name, want := range map[string]struct {
		count uint64
		sum   float64
		attrs map[attribute.Key]string
	}{
		"gen_ai.client.operation.duration":                      {1, 0.92, allAttributes()},
		"gen_ai.client.operation.time_to_first_chunk":           {1, 0.1, allAttributes()},
		"gen_ai.client.operation.time_per_output_chunk":         {3, 0.8, allAttributes()},
		"gen_ai.client.inference.duration":                      {1, 0.92, allAttributes()},
		"gen_ai.client.inference.time_to_first_chunk":           {1, 0.1, allAttributes()},
		"gen_ai.client.inference.time_per_output_chunk":         {3, 0.8, allAttributes()},
		"gen_ai.client.inference.operation.input_tokens":        {1, 12, allAttributes()},
		"gen_ai.client.inference.operation.output_tokens":       {1, 9, allAttributes()},
		"gen_ai.client.inference.usage.input_tokens":            {0, 12, allAttributes("gen_ai.token.modality", "unknown")},
		"gen_ai.client.inference.usage.output_tokens":           {0, 9, allAttributes("gen_ai.token.modality", "unknown")},
		"gen_ai.client.inference.usage.cache_read.input_tokens": {0, 3, allAttributes("gen_ai.token.modality", "unknown")},
		"gen_ai.client.inference.usage.reasoning.output_tokens": {0, 1, allAttributes("gen_ai.token.modality", "unknown")},
		"tokentiming.time_to_first_token":                       {1, 0.1, allAttributes()},
		"tokentiming.time_to_first_output_token":                {1, 0.14, allAttributes()},
		"tokentiming.time_per_output_token":                     {1, 0.1, allAttributes("tokentiming.token.source", "reported")},

		"tokentiming.chunk_gap.cv":   {1, math.Sqrt((680*680+740*740+1420*1420)/3.0) / 800, allAttributes()},
		"tokentiming.stall.duration": {1, 0.73, allAttributes()},
		"tokentiming.stalls":         {0, 1, requestAttributes()},
		"tokentiming.output_tokens":  {0, 9, requestAttributes("tokentiming.token.source", "reported")},
		"tokentiming.active_streams": {0, 0, requestAttributes()},
	} {
		p := b.only(t, name)
		assert.Equal(t, want.count, p.count, name)
		assert.InDelta(t, want.sum, p.value, 1e-4, name)
		assert.Equal(t, want.attrs, p.attrs, name)
	}
	itl := b.only(t, "tokentiming.inter_token_latency")
	assert.Equal(t, uint64(7), itl.count)
	assert.InEpsilon(t, 0.8, itl.value, 0.02)
	assert.Equal(t, allAttributes("tokentiming.itl.basis", "tokens"), itl.attrs)
	assert.Equal(t, map[float64]uint64{0.02: 3, 0.2: 4}, itl.filled(), "20, 20 and 20 ms, and 185 ms four times") // upper bounds
	for kind, tokens := range map[string]float64{"input": 12, "output": 9} {
		p := b.where(t, "gen_ai.client.token.usage", "gen_ai.token.type", kind)
		assert.Equal(t, tokens, p.value)
		assert.Equal(t, allAttributes("gen_ai.token.type", kind), p.attrs)
	}
	for phase, seconds := range map[string]float64{"setup": 0.01, "wait": 0.883, "hold": 0.027} {
		p := b.where(t, "tokentiming.request.time", "tokentiming.phase", phase)
		assert.InDelta(t, seconds, p.value, 1e-9, phase)
		assert.Equal(t, requestAttributes("tokentiming.phase", phase), p.attrs)
	}
	for outcome, requests := range map[string]float64{"ok": 1, "canceled": 0, "timeout": 0, "truncated": 0, "failed": 0} {
		p := b.where(t, "tokentiming.requests", "tokentiming.outcome", outcome)
		assert.Equal(t, requests, p.value, outcome)
		assert.Equal(t, requestAttributes("tokentiming.outcome", outcome), p.attrs)
	}
}

func TestASeriesOfFailuresBeginsAtZero(t *testing.T) {
	_, provider := newTracing()
	b := newBackend()
	tracker := b.tracker(t, otelx.WithSpan(), otelx.WithTracerProvider(provider))
	tracker.SLO = tpot.SLO{TTFT: ms(100)}
	tracker.Start(t.Context(), request())
	for _, outcome := range []string{"ok", "canceled", "timeout", "truncated", "failed"} {
		assert.Zero(t, b.where(t, "tokentiming.requests", "tokentiming.outcome", outcome).value)
	}
	for _, reason := range []string{"canceled", "timeout", "truncated", "failed", "no_output", "unclassified"} {
		assert.Zero(t, b.where(t, "tokentiming.no_first_token", "tokentiming.reason", reason).value)
	}
	for _, name := range []string{"tokentiming.stalls", "tokentiming.slo.requests", "tokentiming.slo.good_requests"} {
		assert.Zero(t, b.only(t, name).value, name)
	}
	for _, name := range []string{"tokentiming.requests", "tokentiming.no_first_token", "tokentiming.stalls"} {
		for _, p := range b.metrics(t)[name].Data.(metricdata.Sum[int64]).DataPoints {
			assert.Empty(t, p.Exemplars, "no trace is the example of a zero")
		}
	}
}

// Zeros take places where the SDK has a limit of them; the failures that come later need some.
func TestZerosLeaveRoom(t *testing.T) {
	b := newBackend(sdkmetric.WithCardinalityLimit(2000))
	tracker := b.tracker(t)
	var req tpot.Request
	for model := range 25 {
		for provider := range 20 {
			req = tpot.Request{Model: fmt.Sprint(model), Provider: fmt.Sprint(provider)}
			_, r := tracker.Start(t.Context(), req)
			r.ObserveAt(ms(1), tpot.Event{Kind: tpot.KindText})
			r.EndAt(ms(2), nil)
		}
	}
	_, r := tracker.Start(t.Context(), req)
	r.EndAt(ms(2), context.DeadlineExceeded)
	for _, name := range []string{"tokentiming.no_first_token", "tokentiming.requests"} {
		for _, p := range b.points(t, name) {
			assert.NotContains(t, p.attrs, attribute.Key("otel.metric.overflow"), name)
		}
	}
}

// What generates nothing has a duration under the same name in both sets, and is not to have tokens.
func TestEmbeddingsAreNoInference(t *testing.T) {
	for _, set := range []otelx.Semconv{otelx.SemconvV141, otelx.SemconvGenAIV01, otelx.SemconvV141 | otelx.SemconvGenAIV01} {
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSemconv(set)).Start(t.Context(), tpot.Request{Operation: "embeddings"})
		r.EndAt(ms(2), nil)
		assert.Equal(t, uint64(1), b.only(t, "gen_ai.client.operation.duration").count)
		assert.Empty(t, b.points(t, "gen_ai.client.inference.duration"))
		untold, _ := b.total(t, "tokentiming.no_first_token")
		assert.Zero(t, untold)
	}
}

func TestOnlyOneNameSetUnlessAskedFor(t *testing.T) {
	core := []string{"gen_ai.client.operation.duration", "gen_ai.client.operation.time_to_first_chunk",
		"gen_ai.client.operation.time_per_output_chunk", "gen_ai.client.token.usage"}
	alone := []string{"gen_ai.client.inference.duration", "gen_ai.client.inference.time_to_first_chunk",
		"gen_ai.client.inference.time_per_output_chunk",
		"gen_ai.client.inference.operation.input_tokens", "gen_ai.client.inference.operation.output_tokens",
		"gen_ai.client.inference.usage.input_tokens", "gen_ai.client.inference.usage.output_tokens",
		"gen_ai.client.inference.usage.cache_read.input_tokens", "gen_ai.client.inference.usage.reasoning.output_tokens"}
	for name, c := range map[string]struct {
		opts []otelx.Option
		want []string
	}{
		"default": {nil, core},
		"core":    {[]otelx.Option{otelx.WithSemconv(otelx.SemconvV141)}, core},
		"alone":   {[]otelx.Option{otelx.WithSemconv(otelx.SemconvGenAIV01)}, alone},
		"both":    {[]otelx.Option{otelx.WithSemconv(otelx.SemconvGenAIV01, otelx.SemconvV141)}, append(alone, core...)},
		"none":    {[]otelx.Option{otelx.WithSemconv()}, nil},
	} {
		b := newBackend()
		_, r := b.tracker(t, c.opts...).Start(t.Context(), request())
		play(r)
		var got []string
		for metric := range b.metrics(t) {
			if metric[:7] == "gen_ai." {
				got = append(got, metric)
			}
		}
		assert.ElementsMatch(t, c.want, got, name)
	}
}

func TestUsageOfTheStandaloneConventions(t *testing.T) {
	const counter, histogram = "gen_ai.client.inference.usage.output_tokens", "gen_ai.client.inference.operation.output_tokens"
	chunk := tpot.Event{Kind: tpot.KindText}
	usage := tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 5}} // of a successful request without output
	for name, c := range map[string]struct {
		events     []tpot.Event
		end        error
		total      float64
		histograms int
	}{
		"without usage":        {[]tpot.Event{chunk}, nil, 0, 0},
		"failed, with usage":   {[]tpot.Event{chunk, {Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 3}}}, assert.AnError, 3, 0},
		"ok, with usage":       {[]tpot.Event{chunk, {Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 3}}}, nil, 3, 1},
		"ok, and no tokens":    {[]tpot.Event{usage}, nil, 0, 1},
		"ok, output unstated":  {[]tpot.Event{chunk, usage}, nil, 0, 0},
		"failed without usage": {nil, assert.AnError, 0, 0},
	} {
		b := newBackend()
		_, r := b.tracker(t, otelx.WithSemconv(otelx.SemconvGenAIV01)).Start(t.Context(), request())
		for _, e := range c.events {
			r.ObserveAt(ms(10), e)
		}
		r.EndAt(ms(20), c.end)
		assert.Equal(t, c.total, b.only(t, counter).value, name)
		_, count := b.total(t, histogram)
		assert.Equal(t, c.histograms, count, name)
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindRole})
	r.EndAt(ms(20), nil)
	for _, name := range []string{"tokentiming.time_to_first_token", "tokentiming.time_to_first_output_token", "tokentiming.time_per_output_token",
		"tokentiming.inter_token_latency", "tokentiming.chunk_gap.cv", "tokentiming.stall.duration", "tokentiming.output_tokens",
		"tokentiming.slo.requests", "tokentiming.slo.good_requests", "gen_ai.client.token.usage",
		"gen_ai.client.operation.time_to_first_chunk", "gen_ai.client.operation.time_per_output_chunk"} {
		assert.Empty(t, b.points(t, name), name)
	}
	assert.NotContains(t, b.only(t, "gen_ai.client.operation.duration").attrs, attribute.Key("gen_ai.response.model"))
}

// A gap belongs to a choice; the first chunk of each has none, and two chunks at once have a gap of zero.
func TestGapsOfSeveralChoices(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	for _, c := range []struct{ at, choice int }{{10, 0}, {20, 1}, {40, 0}, {40, 0}, {90, 1}} {
		r.ObserveAt(ms(c.at), tpot.Event{Kind: tpot.KindText, Choice: c.choice})
	}
	r.EndAt(ms(100), nil)
	p := b.only(t, "gen_ai.client.operation.time_per_output_chunk")
	assert.Equal(t, uint64(3), p.count)
	assert.InDelta(t, 0.1, p.value, 1e-9) // 30, 0 and 70 ms
}

// What inter-token latency is made of, it says. A count that nobody can believe counts as none.
func TestInterTokenLatencySaysWhatItIsMadeOf(t *testing.T) {
	for basis, c := range map[string]struct {
		tokens []int // of chunks 30 ms apart
		want   map[float64]uint64
	}{
		"tokens": {[]int{1, 3, 1}, map[float64]uint64{0.01: 3, 0.03: 1}},
		"mixed":  {[]int{1, 3, 0}, map[float64]uint64{0.01: 3, 0.03: 1}},
		"chunks": {[]int{0, -4, 1 << 40}, map[float64]uint64{0.03: 2}},
	} {
		b := newBackend()
		_, r := b.tracker(t).Start(t.Context(), request())
		for i, tokens := range c.tokens {
			r.ObserveAt(ms(30*i), tpot.Event{Kind: tpot.KindText, Tokens: tokens})
		}
		r.EndAt(ms(200), nil)
		p := b.where(t, "tokentiming.inter_token_latency", "tokentiming.itl.basis", basis)
		assert.Equal(t, c.want, p.filled(), basis)
		assert.Equal(t, uint64(2), b.only(t, "gen_ai.client.operation.time_per_output_chunk").count)
	}
}

// Records are bounded where a request has more tokens than anybody streams; the distribution stays.
func TestInterTokenLatencyOfAMillionTokens(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(0, tpot.Event{Kind: tpot.KindText, Tokens: 1})
	r.ObserveAt(time.Hour, tpot.Event{Kind: tpot.KindText, Tokens: 750_000}) // 4.8 ms each
	r.ObserveAt(3*time.Hour, tpot.Event{Kind: tpot.KindText, Tokens: 250_000})
	r.EndAt(3*time.Hour, nil)
	assert.Equal(t, map[float64]uint64{0.005: 7500, 0.03: 2500}, b.only(t, "tokentiming.inter_token_latency").filled())
}

func TestAStallThatIsStillOpenAtTheEnd(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(ms(10))
	r.ObserveAt(ms(710), tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(ms(710))
	r.EndAt(ms(2710), assert.AnError)
	p := b.only(t, "tokentiming.stall.duration")
	assert.Equal(t, uint64(2), p.count)
	assert.InDelta(t, 2.7, p.value, 1e-9)
	assert.Equal(t, 2.0, b.only(t, "tokentiming.stalls").value)
}

func TestObjectivesAreCountedWhereTheyApply(t *testing.T) {
	b := newBackend()
	tracker := b.tracker(t)
	tracker.SLO = tpot.SLO{TTFT: ms(100)}
	end := func(first int, err error) {
		_, r := tracker.Start(t.Context(), request())
		if first > 0 {
			r.ObserveAt(ms(first), tpot.Event{Kind: tpot.KindText})
		}
		r.EndAt(ms(500), err)
	}
	end(101, nil)
	assert.Equal(t, 1.0, b.only(t, "tokentiming.slo.requests").value)
	assert.Equal(t, 0.0, b.only(t, "tokentiming.slo.good_requests").value, "there from the first miss on")
	end(100, nil)
	end(50, assert.AnError)
	end(50, tpot.EarlyClose)
	end(0, nil)
	assert.Equal(t, 3.0, b.only(t, "tokentiming.slo.requests").value, "neither the cancel nor the one without a first token")
	assert.Equal(t, 1.0, b.only(t, "tokentiming.slo.good_requests").value)
}

// The model is often named by the first event, sometimes by the last only: a stream is one series all the same.
func TestAResponseModelThatComesLateDoesNotSplitAStream(t *testing.T) {
	b := newBackend()
	_, r := b.tracker(t).Start(t.Context(), request())
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindText, Tokens: 1})
	r.ObserveAt(ms(20), tpot.Event{Kind: tpot.KindText, Tokens: 1, Model: "small-1-2026"})
	r.EndAt(ms(30), nil)
	for _, name := range []string{"gen_ai.client.operation.duration", "gen_ai.client.operation.time_per_output_chunk",
		"tokentiming.time_to_first_token", "tokentiming.inter_token_latency"} {
		assert.NotContains(t, b.only(t, name).attrs, attribute.Key("gen_ai.response.model"), name)
	}

	_, r = b.tracker(t).Start(t.Context(), tpot.Request{})
	r.ObserveAt(ms(10), tpot.Event{Kind: tpot.KindRole, Model: "other-1"})
	r.EndAt(ms(30), nil)
	p := b.where(t, "gen_ai.client.operation.duration", "gen_ai.response.model", "other-1")
	assert.Equal(t, "unknown", p.attrs["gen_ai.operation.name"], "required")
	assert.Equal(t, "unknown", p.attrs["gen_ai.provider.name"], "required")
	assert.Len(t, p.attrs, 3)
}
