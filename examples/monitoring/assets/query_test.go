package assets_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

// expressions are all that a variant asks Prometheus for, of series that the program has: not those of recordings.
func expressions(t *testing.T, v assets.Variant) []string {
	var exprs []string
	for _, p := range panels(t, v) {
		for _, q := range targets(p) {
			exprs = append(exprs, q.Expr)
		}
	}
	for _, r := range rules(t, v) {
		if r.Record != "" {
			exprs = append(exprs, r.Expr)
		}
	}
	return exprs
}

// aggregation is the one form that series are read in: added up over all that is not asked for, from rates where they are no gauge,
// and, of histograms, by a function that reads them.
var aggregation = regexp.MustCompile(
	`(?:(histogram_\w+)\((?:0\.\d+, )?)?sum(?: by \(([^)]*)\) )?\((?:(rate|increase)\()?([a-z_]+)(?:\{([^}]*)\})?(?:\[([^\]]+)\](?: offset \w+)?\))?\)`)

var matcher = regexp.MustCompile(`([a-z_]+)(?:=~|!=|=)"`)

// selection is one aggregation of an expression.
type selection struct {
	reader, function, name, matchers, window string
	by, labels                               []string
	after                                    string // the rest of the expression
}

func selections(expr string) []selection {
	var found []selection
	for _, at := range aggregation.FindAllStringSubmatchIndex(expr, -1) {
		group := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return expr[at[2*i]:at[2*i+1]]
		}
		s := selection{reader: group(1), function: group(3), name: group(4), matchers: group(5), window: group(6), after: expr[at[1]:]}
		if by := group(2); by != "" {
			s.by = strings.Split(by, ", ")
		}
		for _, m := range matcher.FindAllStringSubmatch(s.matchers, -1) {
			s.labels = append(s.labels, m[1])
		}
		found = append(found, s)
	}
	return found
}

func TestQueriesReadSeriesThatAre(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		names := series(t, v)
		for _, expr := range expressions(t, v) {
			require.NotEmpty(t, selections(expr), expr)
			for _, s := range selections(expr) {
				in, known := names[s.name]
				require.True(t, known, "%s in %s", s.name, expr)
				assert.Equal(t, in.kind != "updowncounter", s.function != "" && s.window != "", "%s in %s", s.name, expr)
				for _, l := range slices.Concat(s.by, s.labels) {
					if l != "le" {
						assert.Contains(t, in.labels, l, "%s in %s", s.name, expr)
					}
				}
			}
		}
	})
}

func TestQueriesReadNothingElse(t *testing.T) {
	known := regexp.MustCompile(`^(max|or|and|ignoring|group_left|tokentiming_outcome|tokentiming_phase)$`)
	word := regexp.MustCompile(`[a-z_]\w*`)
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for _, expr := range expressions(t, v) {
			for _, rest := range word.FindAllString(aggregation.ReplaceAllString(expr, ""), -1) {
				assert.Regexp(t, known, rest, expr)
			}
		}
	})
}

func TestHistogramsAreReadInTheirForm(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		names := series(t, v)
		readers := make(map[string]int)
		for _, expr := range expressions(t, v) {
			for _, s := range selections(expr) {
				bucket := strings.HasSuffix(s.name, "_bucket")
				assert.Equal(t, bucket, slices.Contains(s.by, "le"), "buckets are told apart, and nothing else has them: %s", expr)
				switch s.reader {
				case "histogram_quantile":
					assert.True(t, bucket || v.Native, expr)
					assert.Regexp(t, `^\) >= 0(\n|$)`, s.after, "a quantile is absent where it would be NaN: %s", expr)
				case "histogram_count", "histogram_sum":
					assert.True(t, v.Native, expr)
				case "":
					if bucket || v.Native && names[s.name].kind == "histogram" {
						assert.Equal(t, "increase", s.function, "a heatmap: %s", expr)
						s.reader = "heatmap"
					}
				default:
					assert.Fail(t, s.reader)
				}
				if s.reader != "" {
					assert.Equal(t, "histogram", names[s.name].kind, expr)
					readers[s.reader]++
				}
			}
		}
		assert.Greater(t, readers["histogram_quantile"], 20)
		assert.Equal(t, 1, readers["heatmap"])
	})
}

func TestQueriesDoNotMakeUpFigures(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for _, expr := range expressions(t, v) {
			assert.NotContains(t, expr, "avg", "no average of what may be percentiles")
			assert.NotContains(t, expr, "vector(0)", "what is absent is not zero")
			assert.Equal(t, strings.Count(expr, "("), strings.Count(expr, ")"), expr)
			divisor := regexp.MustCompile(`(?s)\n/[^\n]*\n(.*)`).FindStringSubmatch(expr)
			if divisor != nil && !strings.Contains(divisor[1], "(1 - 0.") {
				assert.Regexp(t, `^\(sum.* > 0\)`, divisor[1])
			}
		}
	})
}

func TestPanelsFollowTheVariables(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for _, p := range panels(t, v) {
			for _, q := range targets(p) {
				for _, s := range selections(q.Expr) {
					assert.Regexp(t, `^tokentiming_scenario=~"\$scenario", gen_ai_request_model=~"\$model"`, s.matchers, *p.Title)
					if s.function != "" && !strings.HasPrefix(*p.Title, "Burn rate") {
						assert.Equal(t, "$__rate_interval", s.window, *p.Title)
					}
				}
				for _, l := range regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(*q.LegendFormat, -1) {
					if l[1] != "le" {
						assert.Contains(t, selections(q.Expr)[0].by, l[1], "a legend of %s names a label that the query keeps", *p.Title)
					}
				}
			}
		}
	})
}

func TestEveryMetricOfOursIsShown(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		names := series(t, v)
		shown := make(map[string]bool)
		for _, p := range panels(t, v) {
			for _, q := range targets(p) {
				for _, s := range selections(q.Expr) {
					shown[names[s.name].name] = true
				}
			}
		}
		for _, in := range table(t) {
			if strings.HasPrefix(in.name, "tokentiming.") {
				assert.True(t, shown[in.name], in.name)
			}
		}
	})
}

func TestNamesInPrometheus(t *testing.T) {
	for variant, want := range map[assets.Variant]string{
		{Suffixes: true}:               `histogram_quantile(0.95, sum by (le, tokentiming_scenario, gen_ai_request_model) (rate(tokentiming_time_to_first_token_seconds_bucket[5m]))) >= 0`,
		{}:                             `histogram_quantile(0.95, sum by (le, tokentiming_scenario, gen_ai_request_model) (rate(tokentiming_time_to_first_token_bucket[5m]))) >= 0`,
		{Native: true, Suffixes: true}: `histogram_quantile(0.95, sum by (tokentiming_scenario, gen_ai_request_model) (rate(tokentiming_time_to_first_token_seconds[5m]))) >= 0`,
		{Native: true}:                 `histogram_quantile(0.95, sum by (tokentiming_scenario, gen_ai_request_model) (rate(tokentiming_time_to_first_token[5m]))) >= 0`,
	} {
		assert.Equal(t, want, rules(t, variant)["scenario_model:tokentiming_ttft_seconds:p95_rate5m"].Expr, variant)
	}
}
