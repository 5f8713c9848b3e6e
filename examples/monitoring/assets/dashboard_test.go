package assets_test

import (
	"encoding/json"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/examples/monitoring/assets"
)

// read is the dashboard as Grafana's SDK reads it, which refuses what the schema does not have. Its strict reading finds faults but
// leaves out the panels, so it reads twice.
//
//lint:ignore SA1019 The schema that all Grafanas read.
func read(t *testing.T, v assets.Variant) dashboard.Dashboard {
	sdk := cog.NewRuntime()
	sdk.RegisterPanelcfgVariant(timeseries.VariantConfig())
	sdk.RegisterPanelcfgVariant(heatmap.VariantConfig())
	sdk.RegisterDataqueryVariant(prometheus.VariantConfig())
	raw, err := assets.Dashboard(v)
	require.NoError(t, err)
	//lint:ignore SA1019 As above.
	var strict, d dashboard.Dashboard
	require.Empty(t, strict.UnmarshalJSONStrict(raw)) // a list of faults
	require.NoError(t, json.Unmarshal(raw, &d))
	require.NoError(t, d.Validate())
	return d
}

// panels are the dashboard's, without the headings of its rows.
func panels(t *testing.T, v assets.Variant) []dashboard.Panel {
	var found []dashboard.Panel
	for _, p := range read(t, v).Panels {
		if p.Panel != nil {
			found = append(found, *p.Panel)
		}
	}
	require.Greater(t, len(found), 20)
	return found
}

func eachVariant(t *testing.T, test func(t *testing.T, v assets.Variant)) {
	for _, v := range assets.Variants() {
		t.Run(v.String(), func(t *testing.T) { test(t, v) })
	}
}

func TestDashboardsAreTheSameButForTheirQueries(t *testing.T) {
	texts := func(t *testing.T, v assets.Variant) (list []string) {
		for _, p := range panels(t, v) {
			list = append(list, *p.Title+": "+*p.Description)
		}
		return list
	}
	one := texts(t, assets.Variant{})
	uids := make(map[string]bool)
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		assert.Equal(t, one, texts(t, v))
		uids[*read(t, v).Uid] = true
	})
	assert.Len(t, uids, 4, "all can be in one Grafana")
}

func TestPanelsHaveIdsOfTheirOwnAndDoNotOverlap(t *testing.T) {
	type cell struct{ x, y uint32 }
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		ids := make(map[uint32]bool)
		taken := make(map[cell]string)
		place := func(id uint32, title string, at *dashboard.GridPos) {
			assert.False(t, ids[id], "%s: id %d", title, id)
			ids[id] = true
			require.NotNil(t, at, title)
			assert.LessOrEqual(t, at.X+at.W, uint32(24), title)
			for x := range at.W {
				for y := range at.H {
					c := cell{at.X + x, at.Y + y}
					require.Empty(t, taken[c], "under %s", title)
					taken[c] = title
				}
			}
		}
		for _, p := range read(t, v).Panels {
			if p.RowPanel != nil {
				place(p.RowPanel.Id, *p.RowPanel.Title, p.RowPanel.GridPos)
			} else {
				place(*p.Panel.Id, *p.Panel.Title, p.Panel.GridPos)
			}
		}
	})
}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for _, p := range panels(t, v) {
			require.NotNil(t, p.Title)
			require.NotNil(t, p.Description, *p.Title)
			assert.Regexp(t, `^[A-Za-z].{20,}\.$`, *p.Description, *p.Title)
			require.NotNil(t, p.FieldConfig.Defaults.Unit, *p.Title)
			assert.NotEmpty(t, *p.FieldConfig.Defaults.Unit, *p.Title)
			assert.Equal(t, "${datasource}", *p.Datasource.Uid, *p.Title)
			for _, q := range targets(p) {
				assert.Equal(t, "${datasource}", *q.Datasource.Uid, *p.Title)
				assert.NotEmpty(t, *q.LegendFormat, *p.Title)
			}
		}
	})
}

func targets(p dashboard.Panel) []prometheus.Dataquery {
	var queries []prometheus.Dataquery
	for _, target := range p.Targets {
		queries = append(queries, *target.(*prometheus.Dataquery))
	}
	return queries
}

func TestCurvesOfAPanelHaveNamesOfTheirOwn(t *testing.T) {
	eachVariant(t, func(t *testing.T, v assets.Variant) {
		for _, p := range panels(t, v) {
			refs, legends := make(map[string]bool), make(map[string]bool)
			queries := targets(p)
			for _, q := range queries {
				refs[*q.RefId] = true
				legends[*q.LegendFormat] = true
			}
			assert.NotEmpty(t, queries, *p.Title)
			assert.Len(t, refs, len(queries), *p.Title)
			assert.Len(t, legends, len(queries), *p.Title)
		}
	})
}

func TestTheFirstRowTellsWhatIsSlow(t *testing.T) {
	d := read(t, assets.Variant{Suffixes: true})
	require.Equal(t, "At a glance", *d.Panels[0].RowPanel.Title)
	for i, word := range []string{"slow to start", "slow to flow", "overloaded"} {
		p := d.Panels[1+i].Panel
		assert.Contains(t, *p.Title, word)
		assert.Contains(t, *p.Description, word)
		assert.Equal(t, d.Panels[1].Panel.GridPos.Y, p.GridPos.Y, "side by side")
	}
	assert.NotNil(t, d.Panels[4].RowPanel)
}

func TestVariablesChooseScenarioAndModel(t *testing.T) {
	for variant, metric := range map[assets.Variant]string{
		{Suffixes: true}:               "tokentiming_requests_total",
		{Native: true, Suffixes: true}: "tokentiming_requests_total",
		{}:                             "tokentiming_requests",
		{Native: true}:                 "tokentiming_requests",
	} {
		list := read(t, variant).Templating.List
		require.Len(t, list, 3)
		assert.Equal(t, "datasource", list[0].Name)
		assert.Equal(t, "prometheus", *list[0].Query.String)
		assert.Equal(t, "label_values("+metric+", tokentiming_scenario)", *list[1].Query.String)
		assert.Equal(t, "label_values("+metric+`{tokentiming_scenario=~"$scenario"}, gen_ai_request_model)`, *list[2].Query.String)
		for _, v := range list[1:] {
			assert.True(t, *v.Multi && *v.IncludeAll, v.Name)
			assert.Equal(t, ".*", *v.AllValue, "series without the label are among all of them")
		}
	}
}
