package assets

import (
	"fmt"

	"github.com/prometheus/otlptranslator"
)

// metric is an instrument of package otelx, as its documentation lists it.
type metric struct {
	name, unit string
	kind       otlptranslator.MetricType
}

var (
	ttft          = metric{"tokentiming.time_to_first_token", "s", otlptranslator.MetricTypeHistogram}
	ttfo          = metric{"tokentiming.time_to_first_output_token", "s", otlptranslator.MetricTypeHistogram}
	tpot          = metric{"tokentiming.time_per_output_token", "s", otlptranslator.MetricTypeHistogram}
	itl           = metric{"tokentiming.inter_token_latency", "s", otlptranslator.MetricTypeHistogram}
	gapCV         = metric{"tokentiming.chunk_gap.cv", "1", otlptranslator.MetricTypeHistogram}
	stallDuration = metric{"tokentiming.stall.duration", "s", otlptranslator.MetricTypeHistogram}
	chunkGap      = metric{"gen_ai.client.operation.time_per_output_chunk", "s", otlptranslator.MetricTypeHistogram}
	duration      = metric{"gen_ai.client.operation.duration", "s", otlptranslator.MetricTypeHistogram}
	tokenUsage    = metric{"gen_ai.client.token.usage", "{token}", otlptranslator.MetricTypeHistogram}

	stalls       = metric{"tokentiming.stalls", "{stall}", otlptranslator.MetricTypeMonotonicCounter}
	requests     = metric{"tokentiming.requests", "{request}", otlptranslator.MetricTypeMonotonicCounter}
	noFirstToken = metric{"tokentiming.no_first_token", "{request}", otlptranslator.MetricTypeMonotonicCounter}
	outputTokens = metric{"tokentiming.output_tokens", "{token}", otlptranslator.MetricTypeMonotonicCounter}
	sloRequests  = metric{"tokentiming.slo.requests", "{request}", otlptranslator.MetricTypeMonotonicCounter}
	sloGood      = metric{"tokentiming.slo.good_requests", "{request}", otlptranslator.MetricTypeMonotonicCounter}
	spent        = metric{"tokentiming.request.time", "s", otlptranslator.MetricTypeMonotonicCounter}

	activeStreams = metric{"tokentiming.active_streams", "{stream}", otlptranslator.MetricTypeNonMonotonicCounter}
)

// Labels, which are attributes with underscores.
const (
	scenario    = "tokentiming_scenario"
	model       = "gen_ai_request_model"
	outcome     = "tokentiming_outcome"
	reason      = "tokentiming_reason"
	tokenSource = "tokentiming_token_source"
	phase       = "tokentiming_phase"
	errorType   = "error_type"
	tokenType   = "gen_ai_token_type"
)

// names are the metrics' names in Prometheus.
type names map[metric]string

func newNames(suffixes bool) (names, error) {
	strategy := otlptranslator.UnderscoreEscapingWithoutSuffixes
	if suffixes {
		strategy = otlptranslator.UnderscoreEscapingWithSuffixes
	}
	namer := otlptranslator.NewMetricNamer("", strategy)
	n := make(names)
	for _, m := range [...]metric{
		ttft, ttfo, tpot, itl, gapCV, stallDuration, chunkGap, duration, tokenUsage,
		stalls, requests, noFirstToken, outputTokens, sloRequests, sloGood, spent, activeStreams,
	} {
		name, err := namer.Build(otlptranslator.Metric{Name: m.name, Unit: m.unit, Type: m.kind})
		if err != nil {
			return nil, fmt.Errorf("assets: %w", err)
		}
		n[m] = name
	}
	return n, nil
}
