package otelx

import "github.com/tokentiming/tokentiming/tpot"

// Reasons why a request had no first token, beside the outcomes that are not ok.
const (
	reasonNoOutput     = "no_output"    // it ended well, without any
	reasonUnclassified = "unclassified" // it ended well, and had events that were not understood, or not looked into
)

// noTokenReason is why a request had no first token; empty when it had one, or when it was none that could have.
func noTokenReason(s tpot.Stats) string {
	switch {
	case s.Chunks > 0 || !isInference(s.Request.Operation):
		return ""
	case s.Outcome != tpot.OutcomeOK:
		return s.Outcome.String()
	case s.Unclassified+s.Unread > 0:
		return reasonUnclassified
	case s.Events == 0 && len(s.Attempts) > 0 && !s.Request.Stream: // over HTTP, and not asked for as a stream
		return ""
	}
	return reasonNoOutput
}
