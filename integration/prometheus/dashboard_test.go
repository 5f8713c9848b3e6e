package prometheus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVariablesAreExpanded(t *testing.T) {
	var d Dashboard
	d.Templating.List = []Variable{{Name: "model", Type: "query"}}
	for expr, want := range map[string]string{
		`up{a=~"$model"}`:            `up{a=~".*"}`,
		`up{a=~"${model}"}`:          `up{a=~".*"}`,
		`up{a=~"${model:regex}"}`:    `up{a=~".*"}`,
		`rate(up[$__rate_interval])`: `rate(up[20s])`,
		`rate(up[$__interval])`:      `rate(up[10s])`,
		`rate(up[$__range])`:         `rate(up[1h])`,
	} {
		expanded, err := d.Expand(expr, time.Hour, 10*time.Second, 5*time.Second)
		require.NoError(t, err)
		assert.Equal(t, want, expanded)
	}
	_, err := d.Expand(`up{a="$other"}`, time.Hour, time.Minute, time.Minute)
	assert.ErrorContains(t, err, "no variable $other")
}

func TestPanelsOfFoldedRowsAreFound(t *testing.T) {
	asks := Panel{Title: "asks", Targets: []Target{{Expr: "up"}}}
	d := Dashboard{Panels: []Panel{asks, {Title: "row", Panels: []Panel{asks, {Title: "text"}}}}}
	assert.Equal(t, []Panel{asks, asks}, d.Queried())
}

func TestLabelValues(t *testing.T) {
	selector, label, err := Variable{Query: `label_values(up{a="b, c"}, job)`}.LabelValues()
	require.NoError(t, err)
	assert.Equal(t, []string{`up{a="b, c"}`, "job"}, []string{selector, label})
	_, _, err = Variable{Query: "query_result(up)"}.LabelValues()
	assert.Error(t, err)
}
