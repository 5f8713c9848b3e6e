package prometheus

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/prometheus/common/model"
)

// Dashboard is what a Grafana dashboard asks of Prometheus.
type Dashboard struct {
	Panels     []Panel
	Templating struct{ List []Variable }
	// Annotations are drawn into all panels.
	Annotations struct{ List []struct{ Target Target } }
}

// Panel is a panel, or a row, which has no targets. Those of a row that is folded are within it.
type Panel struct {
	Title   string
	Targets []Target
	Panels  []Panel
}

// Target is a query of a panel.
type Target struct{ RefID, Expr string }

// Variable is what a user can choose above a dashboard. Those of the type query ask Prometheus for their values.
type Variable struct{ Name, Type, Query string }

// ReadDashboard reads a dashboard's file.
func ReadDashboard(file string) (Dashboard, error) {
	var d Dashboard
	text, err := os.ReadFile(file)
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

// Queried are the panels that ask for something, those in folded rows too.
func (d Dashboard) Queried() []Panel { return queried(d.Panels) }

func queried(panels []Panel) (asking []Panel) {
	for _, p := range panels {
		if len(p.Targets) > 0 {
			asking = append(asking, p)
		}
		asking = append(asking, queried(p.Panels)...)
	}
	return asking
}

// Expand is an expression with values in the place of its variables, as Grafana puts them there: of the dashboard's own those of
// "All"; of Grafana's those for a time that is shown in steps, of targets that are scraped at an interval.
func (d Dashboard) Expand(expr string, shown, step, scrapes time.Duration) (string, error) {
	values := map[string]string{
		"__interval":      model.Duration(step).String(),
		"__rate_interval": model.Duration(max(step+scrapes, 4*scrapes)).String(),
		"__range":         model.Duration(shown).String(),
	}
	for _, v := range d.Templating.List {
		values[v.Name] = ".*"
	}
	var err error
	expanded := variable.ReplaceAllStringFunc(expr, func(found string) string {
		value, ok := values[variable.FindStringSubmatch(found)[1]]
		if !ok {
			err = fmt.Errorf("%s: no variable %s", expr, found)
		}
		return value
	})
	return expanded, err
}

var variable = regexp.MustCompile(`\$\{?(\w+)(?::\w+)?\}?`)

// LabelValues takes the query of a Variable apart: label_values(selector, label).
func (v Variable) LabelValues() (selector, label string, err error) {
	parts := labelValues.FindStringSubmatch(v.Query)
	if parts == nil {
		return "", "", fmt.Errorf("variable %s: %s is no label_values", v.Name, v.Query)
	}
	return parts[1], parts[2], nil
}

var labelValues = regexp.MustCompile(`^label_values\((.+),\s*(\w+)\)$`)
