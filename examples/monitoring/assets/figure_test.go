package assets_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

var objective = regexp.MustCompile(`0\.\d+\)$`)

// shown is the first query of a panel, without what all queries have: V are the matchers of the dashboard's variables, SM is by
// scenario and model.
func shown(t *testing.T, v assets.Variant, title string) string {
	for _, p := range panels(t, v) {
		if *p.Title == title {
			return objective.ReplaceAllString(strings.NewReplacer(
				`tokentiming_scenario=~"$scenario", gen_ai_request_model=~"$model"`, "V",
				"tokentiming_scenario, gen_ai_request_model", "SM",
				"[$__rate_interval]", "[]", "\n", " ",
			).Replace(targets(p)[0].Expr), "OBJECTIVE)")
		}
	}
	require.Fail(t, "no such panel", title)
	return ""
}

func TestFiguresAreWhatTheyAreCalled(t *testing.T) {
	for title, want := range map[string]string{
		"TPOT p99": `histogram_quantile(0.99, sum by (le, SM) (rate(tokentiming_time_per_output_token_bucket{V, tokentiming_token_source=~"reported|counted"}[]))) >= 0` +
			` or histogram_quantile(0.99, sum by (le, SM) (rate(tokentiming_time_per_output_token_bucket{V}[]))) >= 0`,
		"ITL p50":             `histogram_quantile(0.5, sum by (le, SM) (rate(tokentiming_inter_token_latency_bucket{V}[]))) >= 0`,
		"Gaps between chunks": `sum by (le) (increase(gen_ai_client_operation_time_per_output_chunk_bucket{V}[]))`,
		"Stalls per request":  `sum by (SM) (rate(tokentiming_stalls{V}[])) / (sum by (SM) (rate(tokentiming_requests{V}[])) > 0)`,
		"Time in stalls": `(sum by (SM) (rate(tokentiming_stall_duration_sum{V}[])) or 0 * sum by (SM) (rate(tokentiming_request_time{V}[])))` +
			` / (sum by (SM) (rate(tokentiming_request_time{V}[])) > 0)`,
		"Requests per minute":       `60 * sum by (SM) (rate(tokentiming_requests{V}[]))`,
		"Active streams by model":   `sum by (gen_ai_request_model) (tokentiming_active_streams{V})`,
		"Output tokens per minute":  `60 * sum by (gen_ai_request_model) (rate(tokentiming_output_tokens{V}[]))`,
		"Input tokens per second":   `sum by (gen_ai_request_model) (rate(gen_ai_client_token_usage_sum{V, gen_ai_token_type="input"}[]))`,
		"Errors per minute by type": `60 * sum by (error_type) (rate(gen_ai_client_operation_duration_count{V, error_type!=""}[]))`,
		"Share by outcome": `sum by (tokentiming_outcome) (rate(tokentiming_requests{V}[]))` +
			` / ignoring (tokentiming_outcome) group_left () (sum(rate(tokentiming_requests{V}[])) > 0)`,
		"Hold by scenario and model": `sum by (SM) (rate(tokentiming_request_time{V, tokentiming_phase="hold"}[])) / (sum by (SM) (rate(tokentiming_request_time{V}[])) > 0)`,
		"Goodput":                    `sum by (SM) (rate(tokentiming_slo_good_requests{V}[])) / (sum by (SM) (rate(tokentiming_slo_requests{V}[])) > 0)`,
		"Burn rate over 1h": `(1 - sum by (SM) (rate(tokentiming_slo_good_requests{V}[1h])) / (sum by (SM) (rate(tokentiming_slo_requests{V}[1h])) > 0))` +
			` / (1 - OBJECTIVE)`,
	} {
		assert.Equal(t, want, shown(t, assets.Variant{}, title), title)
	}
}

func TestFiguresOfNativeHistograms(t *testing.T) {
	for title, want := range map[string]string{
		"Gaps between chunks": `sum(increase(gen_ai_client_operation_time_per_output_chunk_seconds{V}[]))`,
		"Duration of stalls":  `histogram_quantile(0.5, sum by (SM) (rate(tokentiming_stall_duration_seconds{V}[]))) >= 0`,
		"Time in stalls": `(histogram_sum(sum by (SM) (rate(tokentiming_stall_duration_seconds{V}[]))) or 0 * sum by (SM) (rate(tokentiming_request_time_seconds_total{V}[])))` +
			` / (sum by (SM) (rate(tokentiming_request_time_seconds_total{V}[])) > 0)`,
		"Input tokens per second":   `histogram_sum(sum by (gen_ai_request_model) (rate(gen_ai_client_token_usage{V, gen_ai_token_type="input"}[])))`,
		"Errors per minute by type": `60 * histogram_count(sum by (error_type) (rate(gen_ai_client_operation_duration_seconds{V, error_type!=""}[])))`,
	} {
		assert.Equal(t, want, shown(t, assets.Variant{Native: true, Suffixes: true}, title), title)
	}
}
