package assets

import (
	"bytes"
	"encoding/json"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// Dashboard is the Grafana dashboard, as JSON that Grafana imports or provisions from a file.
func Dashboard(v Variant) ([]byte, error) {
	q, err := newQueries(v, "$__rate_interval")
	if err != nil {
		return nil, err
	}
	q = q.where(scenario+`=~"$scenario"`, model+`=~"$model"`)
	//lint:ignore SA1019 Its successor is for newer Grafanas only; this schema is read by all.
	b := dashboard.NewDashboardBuilder("LLM streams ("+v.String()+")").
		Uid("tokentiming-"+v.String()).
		Description("How token streams start, flow and end. Of the metrics of tokentiming's otelx, "+v.describe()+".").
		Tags([]string{"tokentiming", "llm"}).
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Refresh("30s").
		Time("now-1h", "now").
		WithVariable(datasourceVariable()).
		WithVariable(labelVariable("scenario", "Scenario", q.names[requests], scenario)).
		WithVariable(labelVariable("model", "Model", q.names[requests]+`{`+scenario+`=~"$scenario"}`, model)).
		Annotation(firingAlerts())
	addRows(b, q.rows())
	built, err := b.Build()
	if err != nil {
		return nil, err
	}
	return indented(built)
}

// addRows gives rows and panels ids of their own; the builder places them side by side.
//
//lint:ignore SA1019 As above.
func addRows(b *dashboard.DashboardBuilder, rows []row) {
	id := uint32(0)
	for _, r := range rows {
		id++
		b.WithRow(dashboard.NewRowBuilder(r.title).Id(id))
		for _, p := range r.panels {
			id++
			b.WithPanel(p.build(id))
		}
	}
}

func (v Variant) describe() string {
	histograms, names := "classic", "without suffixes"
	if v.Native {
		histograms = "native"
	}
	if v.Suffixes {
		names = "with the suffixes of units and counters"
	}
	return "with " + histograms + " histograms, names " + names
}

// rows are the dashboard from top to bottom.
func (q queries) rows() []row {
	return []row{
		q.overviewRow(), q.firstTokenRow(), q.cadenceRow(), q.stabilityRow(), q.loadRow(), q.outcomeRow(), q.phaseRow(), q.sloRow(),
	}
}

func datasourceVariable() *dashboard.DatasourceVariableBuilder {
	return dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")
}

// labelVariable chooses among the values of a label. All of them is .*, so that series without the label are among them.
func labelVariable(name, title, metric, label string) *dashboard.QueryVariableBuilder {
	query := "label_values(" + metric + ", " + label + ")"
	all := dashboard.VariableOption{
		Selected: new(true),
		Text:     dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
		Value:    dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
	}
	return dashboard.NewQueryVariableBuilder(name).Label(title).Datasource(chosenDatasource()).
		Query(dashboard.StringOrMap{String: &query}).Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).IncludeAll(true).AllValue(".*").Current(all)
}

// firingAlerts marks when alerts of ours were firing.
func firingAlerts() *dashboard.AnnotationQueryBuilder {
	expr := `ALERTS{alertname=~"TokenTiming.+", alertstate="firing", ` + scenario + `=~"$scenario", ` + model + `=~"$model"}`
	return dashboard.NewAnnotationQueryBuilder().
		Name("Alerts").Enable(true).IconColor("red").Datasource(chosenDatasource()).
		Target(prometheus.NewDataqueryBuilder().RefId("Alerts").Datasource(chosenDatasource()).Range().Expr(expr)).
		TitleFormat("{{alertname}}").TextFormat("{{" + scenario + "}} {{" + model + "}}")
}

// indented is v as JSON with its queries as they are: without escapes for HTML, which types that marshal themselves bring in.
func indented(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(plain)
	return out.Bytes(), err
}
