package assets

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// row is a heading with panels under it.
type row struct {
	title  string
	panels []panel
}

// panel is a graph over time.
type panel struct {
	title, description string
	unit               string  // as Grafana names it
	width              uint32  // of 24
	limit              float64 // a line to compare with; zero: none
	shape              shape
	curves             []curve
}

type shape uint8

const (
	lines shape = iota
	stacked
	buckets // a heatmap; its only curve is a histogram
)

// curve is a query and the name of what it gives, which may have {{label}} in it.
type curve struct{ legend, expr string }

// Widths of panels.
const (
	third = 8
	half  = 12
)

const panelHeight = 9

// Units that Grafana knows, and one of our own.
const (
	unitSeconds  = "s"
	unitShare    = "percentunit"
	unitNumber   = "short"
	unitPerSec   = "reqps"
	unitPerMin   = "reqpm"
	unitTokenSec = "suffix: tok/s"
	unitTokenMin = "suffix: tok/min"
)

// datasourceRef is the datasource that is chosen at the top of the dashboard.
func datasourceRef() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

// build is the panel as Grafana's SDK has it.
func (p panel) build(id uint32) cog.Builder[dashboard.Panel] {
	if p.shape == buckets {
		return p.heatmap(id)
	}
	b := timeseries.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.description).Datasource(datasourceRef()).
		Span(p.width).Height(panelHeight).
		Unit(p.unit).Min(0).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).ShowLegend(true).Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	if p.shape == stacked {
		b.FillOpacity(60).LineWidth(0).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if p.limit > 0 {
		b.Thresholds(dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).
			Steps([]dashboard.Threshold{{Color: "transparent"}, {Value: &p.limit, Color: "red"}})).
			ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	for i, c := range p.curves {
		b.WithTarget(c.target(i))
	}
	return b
}

func (p panel) heatmap(id uint32) cog.Builder[dashboard.Panel] {
	return heatmap.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.description).Datasource(datasourceRef()).
		Span(p.width).Height(panelHeight).
		Unit(p.unit).
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).Scheme("Oranges").Scale(heatmap.HeatmapColorScaleExponential).Exponent(0.5).Steps(64)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		WithTarget(p.curves[0].target(0).Format(prometheus.PromQueryFormatHeatmap))
}

// target is the i-th query of a panel.
func (c curve) target(i int) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().
		RefId(string(rune('A' + i))).Datasource(datasourceRef()).Range().
		Expr(c.expr).LegendFormat(c.legend)
}
