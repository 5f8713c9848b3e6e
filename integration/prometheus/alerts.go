package prometheus

import "github.com/prometheus/prometheus/rules"

// Alerts are the names of the alerts of all rule files that are in a state now, each once however many series it is in that
// state for. Those of which no series is active are inactive.
func (s *Server) Alerts(state rules.AlertState) []string {
	var names []string
	for _, group := range s.rules.RuleGroups() {
		for _, rule := range group.AlertingRules() {
			if rule.State() == state {
				names = append(names, rule.Name())
			}
		}
	}
	return names
}
