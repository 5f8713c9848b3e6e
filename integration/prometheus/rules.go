package prometheus

import "github.com/prometheus/prometheus/rules"

// Alerts are the names of the alerts that are in a state now, each once however many series it is in that state for. An alert of
// which no series is active is inactive.
func (s *Server) Alerts(state rules.AlertState) (names []string) {
	for _, rule := range s.rules.Rules() {
		if alert, ok := rule.(*rules.AlertingRule); ok && alert.State() == state {
			names = append(names, alert.Name())
		}
	}
	return names
}

// Recordings are the names of the series that rules record.
func (s *Server) Recordings() (names []string) {
	for _, rule := range s.rules.Rules() {
		if recording, ok := rule.(*rules.RecordingRule); ok {
			names = append(names, recording.Name())
		}
	}
	return names
}
