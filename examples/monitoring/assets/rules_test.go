package assets_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

// rule is a rule as Prometheus reads it.
type rule struct {
	Record        string            `yaml:"record"`
	Alert         string            `yaml:"alert"`
	Expr          string            `yaml:"expr"`
	For           time.Duration     `yaml:"for"`
	KeepFiringFor time.Duration     `yaml:"keep_firing_for"`
	Labels        map[string]string `yaml:"labels"`
	Annotations   map[string]string `yaml:"annotations"`

	interval string // of its group
}

// rules are those of a variant, by name.
func rules(t *testing.T, v assets.Variant) map[string]rule {
	raw, err := assets.Rules(v)
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Name     string `yaml:"name"`
			Interval string `yaml:"interval"`
			Rules    []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&file))
	all := make(map[string]rule)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			name := r.Record + r.Alert
			require.NotContains(t, all, name)
			r.interval = g.Interval
			all[name] = r
		}
	}
	require.Greater(t, len(all), 20)
	return all
}

func alerts(t *testing.T, v assets.Variant) map[string]rule {
	found := make(map[string]rule)
	for name, r := range rules(t, v) {
		if r.Alert != "" {
			found[name] = r
		}
	}
	return found
}

func TestTheAlerts(t *testing.T) {
	var names []string
	for name := range alerts(t, assets.Variant{}) {
		names = append(names, name)
	}
	assert.ElementsMatch(t, []string{
		"TokenTimingSlowTokens", "TokenTimingSlowStart", "TokenTimingSlowInterToken", "TokenTimingStalls", "TokenTimingNoFirstToken",
		"TokenTimingCancels", "TokenTimingBurnRate", "TokenTimingBurnRateSlow",
	}, names)
}

func TestAlertsAreTheSameInAllVariants(t *testing.T) {
	one := alerts(t, assets.Variant{})
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		assert.Equal(t, one, alerts(t, v))
	})
}

var recording = regexp.MustCompile(`[a-z_]+:[a-z_]+:[a-z0-9_]+`)

func TestAlertsReadWhatIsRecorded(t *testing.T) {
	all := rules(t, assets.Variant{})
	read := make(map[string]bool)
	for name, r := range alerts(t, assets.Variant{}) {
		for _, rec := range recording.FindAllString(r.Expr, -1) {
			assert.Equal(t, rec, all[rec].Record, name)
			read[rec] = true
		}
		rest := recording.ReplaceAllString(r.Expr, "")
		assert.Regexp(t, `^[-0-9.()>=*\s]*$`, regexp.MustCompile(`\b(and|or|unless)\b`).ReplaceAllString(rest, ""), "nothing else")
	}
	assert.Greater(t, len(read), 10)
}

var window = regexp.MustCompile(`(?:rate|increase)(\d+[mh])$`)

func TestRecordingsAreByScenarioAndModel(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for name, r := range rules(t, v) {
			if r.Record == "" {
				continue
			}
			assert.Regexp(t, `^scenario_model:tokentiming_[a-z_]+:(sum|(p\d\d_|ratio_)?rate\d+[mh]|increase\d+[mh])$`, name)
			for _, s := range selections(r.Expr) {
				by := strings.TrimPrefix(strings.Join(s.by, " "), "le ")
				assert.Equal(t, "tokentiming_scenario gen_ai_request_model", by, name)
				if m := window.FindStringSubmatch(name); m != nil {
					assert.Equal(t, m[1], s.window, name)
				}
			}
		}
	})
}

func TestAlertsWaitForTrafficAndTime(t *testing.T) {
	for name, r := range alerts(t, assets.Variant{}) {
		assert.Regexp(t, `\nand\nscenario_model:tokentiming_(slo_)?requests:increase\d+m >= \d+$`, r.Expr, name)
		assert.Equal(t, 5*time.Minute, r.For, name)
		assert.Equal(t, 5*time.Minute, r.KeepFiringFor, name)
		assert.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], name)
	}
}

func TestAlertsSayWhoAndWhatToDo(t *testing.T) {
	value := func(float64) string { return "VALUE" }
	functions := template.FuncMap{"humanizeDuration": value, "humanizePercentage": value}
	for name, r := range alerts(t, assets.Variant{}) {
		summary := template.Must(template.New(name).Funcs(functions).Parse("{{$labels := .labels}}{{$value := .value}}" + r.Annotations["summary"]))
		var out strings.Builder
		require.NoError(t, summary.Execute(&out, map[string]any{
			"labels": map[string]string{"tokentiming_scenario": "SCENARIO", "gen_ai_request_model": "MODEL"}, "value": 0.5,
		}))
		assert.Regexp(t, `^[A-Z].*(VALUE|0\.50).*, SCENARIO with MODEL$`, out.String(), name)
		assert.Regexp(t, `^[A-Z].{20,}\.$`, r.Annotations["description"], name)
		assert.Regexp(t, `^Look .{40,}\.$`, r.Annotations["runbook"], name)
	}
}

// Hours of samples are not to be read every few seconds; what an alert waits for is not to be a minute old.
func TestLongWindowsAreReadOnceAMinute(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for name, r := range rules(t, v) {
			switch {
			case strings.Contains(r.Expr, "[1h]") || strings.Contains(r.Expr, "[6h]"):
				assert.Equal(t, "1m", r.interval, name)
			case r.Alert != "" || strings.Contains(r.Expr, "histogram_quantile"):
				assert.Empty(t, r.interval, name)
			}
		}
	})
}

// shownInRunbook is what a runbook sends its reader to: panels and rows, which begin with a capital letter.
var shownInRunbook = regexp.MustCompile(`(?:[Ll]ook at|[Tt]hen at|go on with|the row|grew in|If(?: only)?) ([A-Z][\w ]*?)(?: in the row| rose|[.,:;])`)

func TestRunbooksNameWhatTheDashboardShows(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		var titles []string
		for _, p := range read(t, v).Panels {
			if p.RowPanel != nil {
				titles = append(titles, *p.RowPanel.Title)
			}
			if p.Panel != nil {
				titles = append(titles, *p.Panel.Title)
			}
		}
		named := 0
		for name, r := range alerts(t, v) {
			for _, m := range shownInRunbook.FindAllStringSubmatch(r.Annotations["runbook"], -1) {
				named++
				assert.True(t, slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(title, m[1]) }), "%s: %s", name, m[1])
			}
		}
		assert.GreaterOrEqual(t, named, 12)
	})
}
