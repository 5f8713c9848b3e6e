package prometheus

import (
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The dashboard shows the last hour, in a graph of so wide steps.
const (
	shown = time.Hour
	step  = 30 * time.Second
)

func TestEveryPanelHasData(t *testing.T) {
	eachVariant(t, setting{}, func(e *example) {
		time.Sleep(shown + 10*time.Minute)
		w := e.table("panel", "query", "series", "samples", "the latest of the first series")
		defer w.Flush()
		require.NotEmpty(e, e.dashboard.Queried())
		for _, p := range e.dashboard.Queried() {
			for _, target := range p.Targets {
				e.tryTarget(w, p, target)
			}
		}
		for _, v := range e.dashboard.Templating.List {
			e.tryVariable(w, v)
		}
		for _, record := range e.Recordings() {
			e.tryRecording(w, record)
		}
	})
}

func (e *example) tryTarget(w io.Writer, p Panel, target Target) {
	graph := e.graph(target)
	samples := 0
	for _, series := range graph {
		samples += len(series.Floats) + len(series.Histograms)
		for _, point := range series.Floats {
			require.False(e, math.IsNaN(point.F) || math.IsInf(point.F, 0), "%s %s: %v of %v", p.Title, target.RefID, point, series.Metric)
		}
	}
	if assert.NotZero(e, samples, "%s %s", p.Title, target.RefID) {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", p.Title, target.RefID, len(graph), samples, latest(graph[0]))
	}
}

// graph is what Grafana draws for a target.
func (e *example) graph(target Target) promql.Matrix {
	graph, err := e.QueryRange(e.Context(), e.expand(target.Expr), time.Now().Add(-shown), time.Now(), step)
	require.NoError(e, err)
	return graph
}

func (e *example) expand(expr string) string {
	expanded, err := e.dashboard.Expand(expr, shown, step, e.scrapes())
	require.NoError(e, err)
	return expanded
}

// latest is the last value of a series. Of a histogram it is how much it has observed.
func latest(s promql.Series) string {
	if n := len(s.Histograms); n > 0 {
		h := s.Histograms[n-1].H
		return fmt.Sprintf("%.4g observations, %.4g in all", h.Count, h.Sum)
	}
	return fmt.Sprintf("%.4g", s.Floats[len(s.Floats)-1].F)
}

// tryVariable asks for the values that a user can choose.
func (e *example) tryVariable(w io.Writer, v Variable) {
	if v.Type != "query" {
		return
	}
	selector, label, err := v.LabelValues()
	require.NoError(e, err)
	values, err := e.Query(e.Context(), "count by ("+label+") ("+e.expand(selector)+")", time.Now())
	require.NoError(e, err)
	require.NotEmpty(e, values, "variable %s", v.Name)
	for _, value := range values {
		assert.NotEmpty(e, value.Metric.Get(label), "variable %s", v.Name)
	}
	fmt.Fprintf(w, "variable %s\t\t%d\n", v.Name, len(values))
}

// tryRecording looks for what a rule records.
func (e *example) tryRecording(w io.Writer, record string) {
	recorded, err := e.Query(e.Context(), record, time.Now())
	require.NoError(e, err)
	if assert.NotEmpty(e, recorded, "recording %s", record) {
		fmt.Fprintf(w, "recording %s\t\t%d\n", record, len(recorded))
	}
}
