package prometheus

import (
	"fmt"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

// What promtool check config and promtool check rules look at, by the functions that they call.

func TestPrometheusAcceptsTheConfiguration(t *testing.T) {
	c, err := config.LoadFile(configFile, false, complaints(t))
	require.NoError(t, err)
	jobs, err := c.GetScrapeConfigs()
	require.NoError(t, err)
	assert.NotEmpty(t, jobs)
}

func TestPrometheusAcceptsTheRules(t *testing.T) {
	for _, v := range assets.Variants() {
		groups, errs := rulefmt.ParseFile(rulesFile(v), false, model.UTF8Validation, parser.NewParser(parser.Options{}), complaints(t))
		require.Empty(t, errs)
		seen := make(map[string]bool)
		for _, group := range groups.Groups {
			for _, rule := range group.Rules {
				id := fmt.Sprint(rule.Record, rule.Alert, rule.Labels)
				assert.False(t, seen[id], "%v: %s is there twice", v, id)
				seen[id] = true
			}
		}
		assert.NotEmpty(t, seen)
	}
}
