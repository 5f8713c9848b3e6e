package prometheus

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// figure is something that both Prometheus and the simulation know.
type figure struct {
	name  string
	expr  string // to be summed by scenario and model
	known known
}

// known is what the simulation knows of requests of a class.
type known func(traffic.Class, traffic.Sum) float64

func count(n func(traffic.Sum) int) known {
	return func(_ traffic.Class, s traffic.Sum) float64 { return float64(n(s)) }
}

func seconds(d func(traffic.Sum) time.Duration) known {
	return func(_ traffic.Class, s traffic.Sum) float64 { return d(s).Seconds() }
}

// of is known of some classes, and zero of the others.
func (k known) of(wanted func(traffic.Class) bool) known {
	return func(c traffic.Class, s traffic.Sum) float64 {
		if !wanted(c) {
			return 0
		}
		return k(c, s)
	}
}

func requests(s traffic.Sum) int     { return s.Requests }
func withoutToken(s traffic.Sum) int { return s.WithoutToken }
func answered(s traffic.Sum) int     { return s.Requests - s.WithoutToken }
func laterChunks(s traffic.Sum) int  { return s.Chunks - answered(s) }
func chunks(s traffic.Sum) int       { return s.Chunks }
func freezes(s traffic.Sum) int      { return s.Freezes }
func tokens(s traffic.Sum) int       { return s.Tokens }
func input(s traffic.Sum) int        { return s.Usage.Input }
func output(s traffic.Sum) int       { return s.Usage.Output }
func cached(s traffic.Sum) int       { return s.Usage.Cached }
func reasoning(s traffic.Sum) int    { return s.Usage.Reasoning }
func none(traffic.Sum) int           { return 0 }

func firstTokens(s traffic.Sum) time.Duration { return s.FirstTokens }
func gaps(s traffic.Sum) time.Duration        { return s.Gaps }

// countsTokens is whether the provider tells the tokens of each chunk. It then reports no usage.
func countsTokens(c traffic.Class) bool { return c.Model == "osier-3-flash" }

// countsNothing is whether nothing but the chunks says how many tokens there were: usage comes at the end of a whole answer.
func countsNothing(c traffic.Class) bool { return !countsTokens(c) && c.Outcome != tpot.OutcomeOK }

func (e *example) figures() []figure {
	return slices.Concat(e.requestFigures(), e.chunkFigures(), e.tokenFigures())
}

func (e *example) requestFigures() []figure {
	ended := e.counter("tokentiming.requests", "{request}")
	figures := []figure{
		{"requests", ended, count(requests)},
		{"without a first token", e.counter("tokentiming.no_first_token", "{request}"), count(withoutToken)},
		{"active streams", e.upDownCounter("tokentiming.active_streams", "{stream}"), count(none)},
	}
	for _, o := range []tpot.Outcome{tpot.OutcomeOK, tpot.OutcomeCanceled, tpot.OutcomeTimeout, tpot.OutcomeTruncated, tpot.OutcomeFailed} {
		figures = append(figures, figure{
			o.String(), fmt.Sprintf("%s{tokentiming_outcome=%q}", ended, o),
			count(requests).of(func(c traffic.Class) bool { return c.Outcome == o }),
		})
	}
	return figures
}

func (e *example) chunkFigures() []figure {
	figures := []figure{{"stalls", e.counter("tokentiming.stalls", "{stall}"), count(freezes)}}
	for _, operation := range []string{"operation", "inference"} {
		first := e.distribution("gen_ai.client."+operation+".time_to_first_chunk", "s")
		later := e.distribution("gen_ai.client."+operation+".time_per_output_chunk", "s")
		figures = append(figures,
			figure{"first chunks", first.count(""), count(answered)},
			figure{"seconds to them", first.sum(""), seconds(firstTokens)},
			figure{"chunks after them", later.count(""), count(laterChunks)},
			figure{"seconds between chunks", later.sum(""), seconds(gaps)},
		)
	}
	return figures
}

func (e *example) tokenFigures() []figure {
	generated := e.counter("tokentiming.output_tokens", "{token}")
	usage := e.distribution("gen_ai.client.token.usage", "{token}")
	return []figure{
		{"tokens, reported", generated + `{tokentiming_token_source="reported"}`, count(output)},
		{"tokens, counted", generated + `{tokentiming_token_source="counted"}`, count(tokens).of(countsTokens)},
		{"tokens, one a chunk", generated + `{tokentiming_token_source="chunks"}`, count(chunks).of(countsNothing)},
		{"input tokens", usage.sum(`{gen_ai_token_type="input"}`), count(input)},
		{"output tokens", usage.sum(`{gen_ai_token_type="output"}`), count(output)},
		{"input tokens", e.counter("gen_ai.client.inference.usage.input_tokens", "{token}"), count(input)},
		{"of them cached", e.counter("gen_ai.client.inference.usage.cache_read.input_tokens", "{token}"), count(cached)},
		{"output tokens", e.counter("gen_ai.client.inference.usage.output_tokens", "{token}"), count(output)},
		{"of them reasoning", e.counter("gen_ai.client.inference.usage.reasoning.output_tokens", "{token}"), count(reasoning)},
	}
}

// allNames are both sets of names that metrics of OpenTelemetry's conventions can have.
var allNames = []otelx.Semconv{otelx.SemconvV141, otelx.SemconvGenAIV01}

func TestPrometheusHasWhatTheSimulationDid(t *testing.T) {
	eachVariant(t, setting{names: allNames}, func(e *example) {
		e.runThroughFaults()
		w := e.table("figure", "in all", "of")
		defer w.Flush()
		for _, f := range e.figures() {
			e.compare(w, f)
		}
	})
}

// runThroughFaults has every fault for a while, ends the traffic and waits for the last scrape.
func (e *example) runThroughFaults() {
	for _, fault := range traffic.Faults() {
		e.traffic.Set(fault, true)
		time.Sleep(2 * time.Minute)
		e.traffic.Set(fault, false)
	}
	time.Sleep(2 * time.Minute)
	e.end()
	time.Sleep(e.scrapes())
}

// compare compares a figure by scenario and model.
func (e *example) compare(w io.Writer, f figure) {
	type key struct{ scenario, model string }
	want, have := make(map[key]float64), make(map[key]float64)
	for class, sum := range e.traffic.Ledger().Ended {
		want[key{class.Scenario, class.Model}] += f.known(class, sum)
	}
	vector, err := e.Query(e.Context(), "sum by (tokentiming_scenario, gen_ai_request_model) ("+f.expr+")", time.Now())
	require.NoError(e, err)
	require.NotEmpty(e, vector, f.name)
	for _, sample := range vector {
		have[key{sample.Metric.Get("tokentiming_scenario"), sample.Metric.Get("gen_ai_request_model")}] = sample.F
	}
	total := 0.0
	for k, n := range want {
		total += n
		assert.InDelta(e, n, have[k], 1e-9*n, "%s: %v", f.name, k)
		delete(have, k)
	}
	assert.Empty(e, have, f.name)
	fmt.Fprintf(w, "%s\t%.12g\t%s\n", f.name, total, f.expr)
}

// counter is the name of a counter in Prometheus.
func (e *example) counter(instrument, unit string) string {
	return e.name(instrument, unit, otlptranslator.MetricTypeMonotonicCounter)
}

func (e *example) upDownCounter(instrument, unit string) string {
	return e.name(instrument, unit, otlptranslator.MetricTypeNonMonotonicCounter)
}

func (e *example) name(instrument, unit string, kind otlptranslator.MetricType) string {
	namer := otlptranslator.NewMetricNamer("", strategy(e.variant))
	name, err := namer.Build(otlptranslator.Metric{Name: instrument, Unit: unit, Type: kind})
	require.NoError(e, err)
	return name
}

// distribution is a histogram in Prometheus.
type distribution struct {
	name   string
	native bool
}

func (e *example) distribution(instrument, unit string) distribution {
	return distribution{e.name(instrument, unit, otlptranslator.MetricTypeHistogram), e.variant.Native}
}

// count is the number of observations of the series that match.
func (d distribution) count(matchers string) string {
	if d.native {
		return "histogram_count(" + d.name + matchers + ")"
	}
	return d.name + "_count" + matchers
}

// sum is their sum.
func (d distribution) sum(matchers string) string {
	if d.native {
		return "histogram_sum(" + d.name + matchers + ")"
	}
	return d.name + "_sum" + matchers
}
