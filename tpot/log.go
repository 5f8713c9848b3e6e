package tpot

import (
	"cmp"
	"log/slog"
	"time"
)

// LogValue is the figures that a log line has room for, as a group; what is absent is left out.
func (s Stats) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("outcome", s.Outcome.String())}
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add := func(key string, value time.Duration, ok bool) {
		if ok {
			attrs = append(attrs, slog.Duration(key, value))
		}
	}
	figure := func(key string, value func() (time.Duration, bool)) {
		d, ok := value()
		add(key, d, ok)
	}
	text("cause", s.Cause)
	text("error_type", s.ErrorType)
	text("scenario", s.Request.Scenario)
	text("provider", s.Request.Provider)
	text("model", cmp.Or(s.Model, s.Request.Model))
	figure("ttft", s.TTFT)
	figure("ttfo", s.TTFO)
	figure("tpot", s.TPOT)
	figure("e2e", s.E2E)
	attrs = append(attrs, slog.Int("tokens", s.Tokens), slog.String("token_source", s.Source.String()), slog.Int("chunks", s.Chunks))
	gaps := s.Gaps()
	p99, ok := gaps.Quantile(0.99)
	add("gap_p99", p99, ok)
	figure("gap_max", gaps.Max)
	add("stalled", s.Stalls.Total, s.Stalls.Count > 0)
	add("setup", s.Setup, true)
	add("wait", s.Wait, true)
	add("hold", s.Hold, true)
	text("convention", Convention)
	return slog.GroupValue(attrs...)
}
