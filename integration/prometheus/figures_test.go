package prometheus

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/tpot"
)

// figure is something that both Prometheus and the simulation know, by scenario and model.
type figure struct {
	name  string
	expr  string // to be summed
	known func(traffic.Class, traffic.Sum) float64
}

// counting is the model whose provider tells the tokens of each chunk, and reports no usage.
const counting = "osier-3-flash"

func (e *example) figures() []figure {
	firstChunk := e.distribution("gen_ai.client.operation.time_to_first_chunk", "s")
	outputChunk := e.distribution("gen_ai.client.operation.time_per_output_chunk", "s")
	usage := e.distribution("gen_ai.client.token.usage", "{token}")
	tokens := e.counter("tokentiming.output_tokens", "{token}")
	figures := []figure{
		{"requests without a first token", e.counter("tokentiming.no_first_token", "{request}"), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.WithoutToken) }},
		{"first chunks", firstChunk.count(""), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Requests - s.WithoutToken) }},
		{"their seconds", firstChunk.sum(""), func(_ traffic.Class, s traffic.Sum) float64 { return s.FirstTokens.Seconds() }},
		{"chunks after them", outputChunk.count(""), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Chunks - (s.Requests - s.WithoutToken)) }},
		{"their seconds", outputChunk.sum(""), func(_ traffic.Class, s traffic.Sum) float64 { return s.Gaps.Seconds() }},
		{"stalls", e.counter("tokentiming.stalls", "{stall}"), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Freezes) }},
		{"input tokens", usage.sum(`{gen_ai_token_type="input"}`), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Usage.Input) }},
		{"output tokens", usage.sum(`{gen_ai_token_type="output"}`), func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Usage.Output) }},
		{"tokens, reported", tokens + `{tokentiming_token_source="reported"}`, func(_ traffic.Class, s traffic.Sum) float64 { return float64(s.Usage.Output) }},
		{"tokens, counted", tokens + `{tokentiming_token_source="counted"}`, func(c traffic.Class, s traffic.Sum) float64 {
			if c.Model == counting {
				return float64(s.Tokens)
			}
			return 0
		}},
		{"tokens, one for each chunk", tokens + `{tokentiming_token_source="chunks"}`, func(c traffic.Class, s traffic.Sum) float64 {
			if c.Model == counting || c.Outcome == tpot.OutcomeOK {
				return 0
			}
			return float64(s.Chunks)
		}},
		{"active streams", e.upDownCounter("tokentiming.active_streams", "{stream}"), func(traffic.Class, traffic.Sum) float64 { return 0 }},
	}
	requests := e.counter("tokentiming.requests", "{request}")
	for _, outcome := range []tpot.Outcome{tpot.OutcomeOK, tpot.OutcomeCanceled, tpot.OutcomeTimeout, tpot.OutcomeTruncated, tpot.OutcomeFailed} {
		figures = append(figures, figure{
			"requests, " + outcome.String(), fmt.Sprintf(`%s{tokentiming_outcome="%s"}`, requests, outcome),
			func(c traffic.Class, s traffic.Sum) float64 {
				if c.Outcome == outcome {
					return float64(s.Requests)
				}
				return 0
			},
		})
	}
	return figures
}

func TestPrometheusHasWhatTheSimulationDid(t *testing.T) {
	eachVariant(t, 0, func(e *example) {
		e.runThroughFaults()
		w := e.table("figure", "in all", "of")
		defer w.Flush()
		for _, f := range e.figures() {
			e.compare(w, f)
		}
	})
}

// runThroughFaults has every fault for a while, ends the traffic and waits for the last scrape. The last minutes are healthy: a request
// that is canceled while it stands still has a stall that no chunk ended, which the ledger does not know.
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
	known, had := make(map[key]float64), make(map[key]float64)
	for class, sum := range e.traffic.Ledger().Ended {
		known[key{class.Scenario, class.Model}] += f.known(class, sum)
	}
	vector, err := e.Query(e.Context(), "sum by (tokentiming_scenario, gen_ai_request_model) ("+f.expr+")", time.Now())
	require.NoError(e, err)
	for _, sample := range vector {
		had[key{sample.Metric.Get("tokentiming_scenario"), sample.Metric.Get("gen_ai_request_model")}] = sample.F
	}
	total := 0.0
	for k, n := range known {
		total += n
		assert.InDelta(e, n, had[k], 1e-9*n, "%s: %v", f.name, k)
		delete(had, k)
	}
	assert.Empty(e, had, f.name)
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
