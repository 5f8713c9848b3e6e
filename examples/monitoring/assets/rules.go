package assets

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Rules is the file of Prometheus rules, as YAML: recordings by scenario and model, and alerts over them. The names of the
// recordings are the same in every variant, and so the alerts are too.
func Rules(v Variant) ([]byte, error) {
	q, err := newQueries(v, "5m")
	if err != nil {
		return nil, err
	}
	return marshal(ruleFile{Groups: []group{
		{Name: "tokentiming", Rules: q.recordings()},
		{Name: "tokentiming-windows", Rules: q.windows()},
		{Name: "tokentiming-alerts", Rules: alerts()},
	}})
}

type ruleFile struct {
	Groups []group `yaml:"groups"`
}

type group struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

// rule is a recording or an alert.
type rule struct {
	Record        string            `yaml:"record,omitempty"`
	Alert         string            `yaml:"alert,omitempty"`
	Expr          string            `yaml:"expr"`
	For           string            `yaml:"for,omitempty"`
	KeepFiringFor string            `yaml:"keep_firing_for,omitempty"`
	Labels        map[string]string `yaml:"labels,omitempty"`
	Annotations   annotations       `yaml:"annotations,omitempty"`
}

type annotations struct {
	Summary     string `yaml:"summary"`
	Description string `yaml:"description"`
	Runbook     string `yaml:"runbook"` // what to look at and to do first
}

func marshal(f ruleFile) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("# Made by go generate ./examples/monitoring/assets; the limits are in its limits.go.\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}
