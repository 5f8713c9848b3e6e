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
	unit               string // as Grafana names it
	width              uint32 // of 24
	limit              limit  // zero: none
	shape              shape
	curves             []curve
}

// limit is a dashed line where an alert's limit is.
type limit struct {
	at float64
	of string // what the alert looks at
}

type shape uint8

const (
	lines shape = iota
	stacked
	buckets // a heatmap; its only curve is a histogram
)

// curve is a query and the name of what it gives, which may have {{label}} in it.
type curve struct{ legend, expr string }

// Sizes of panels, in the units of Grafana's grid.
const (
	third  = 8
	half   = 12
	height = 9
)

// Units that Grafana knows, and two of our own.
const (
	unitSeconds   = "s"
	unitShare     = "percentunit"
	unitNumber    = "short"
	unitPerSecond = "reqps"
	unitPerMinute = "reqpm"

	unitTokensPerSecond = "suffix: tok/s"
	unitTokensPerMinute = "suffix: tok/min"
)

// chosenDatasource is the one that is chosen at the top of the dashboard.
func chosenDatasource() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

// build is the panel as Grafana's SDK has it.
func (p panel) build(id uint32) cog.Builder[dashboard.Panel] {
	if p.shape == buckets {
		return p.heatmap(id)
	}
	b := p.timeseries(id)
	if p.shape == stacked {
		b.FillOpacity(60).LineWidth(0).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if p.limit != (limit{}) {
		b.Description(p.description + " Dashed: the alert's limit of " + p.limit.of + ".").
			Thresholds(p.limit.thresholds()).
			ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

func (p panel) timeseries(id uint32) *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.description).Datasource(chosenDatasource()).
		Span(p.width).Height(height).
		Unit(p.unit).Min(0).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).ShowLegend(true).
			Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	for i, c := range p.curves {
		b.WithTarget(c.target(i))
	}
	return b
}

func (p panel) heatmap(id uint32) *heatmap.PanelBuilder {
	return heatmap.NewPanelBuilder().
		Id(id).Title(p.title).Description(p.description).Datasource(chosenDatasource()).
		Span(p.width).Height(height).
		Unit(p.unit).YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).Scheme("Oranges").
			Scale(heatmap.HeatmapColorScaleExponential).Exponent(0.5).Steps(64)).
		WithTarget(p.curves[0].target(0).Format(prometheus.PromQueryFormatHeatmap))
}

// target is the i-th query of a panel.
func (c curve) target(i int) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().
		RefId(string(rune('A' + i))).Datasource(chosenDatasource()).Range().
		Expr(c.expr).LegendFormat(c.legend)
}

// thresholds color the line alone: what is below has the color of its curve.
func (l limit) thresholds() *dashboard.ThresholdsConfigBuilder {
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).
		Steps([]dashboard.Threshold{{Color: "transparent"}, {Value: &l.at, Color: "red"}})
}
