package tpot

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// short writes a duration with three digits, as a person would: 21.3ms, 1.50s, 2m05s.
func short(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return d.String()
	case d < time.Millisecond:
		return digits(float64(d)/1e3) + "µs"
	case d < time.Second:
		return digits(float64(d)/1e6) + "ms"
	case d < time.Minute:
		return digits(d.Seconds()) + "s"
	}
	return d.Round(time.Second).String()
}

// digits writes a number with three digits.
func digits(f float64) string {
	switch {
	case f < 9.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// String is one line for a person: how it ended, then the figures there are.
func (s Stats) String() string {
	parts := []string{s.ending()}
	add := func(label string, figure func() (time.Duration, bool)) {
		if d, ok := figure(); ok {
			parts = append(parts, label+" "+short(d))
		}
	}
	add("TTFT", s.TTFT)
	if s.visible > 0 && s.firstVisible != s.first {
		add("TTFO", s.TTFO)
	}
	if d, ok := s.TPOT(); ok {
		parts = append(parts, fmt.Sprintf("TPOT %s over %s", short(d), s.counted()))
	}
	if gaps := s.Gaps(); gaps.Count() > 0 {
		parts = append(parts, "gaps "+quantiles(gaps, 0.5, 0.99)+" max "+short(gaps.max))
	}
	if s.Stalls.Count > 0 {
		parts = append(parts, plural(s.Stalls.Count, "stall")+" of "+short(s.Stalls.Longest)+atMost(s.Stalls.Count))
	}
	add("E2E", s.E2E)
	if n := len(s.Attempts); n > 1 {
		parts = append(parts, plural(n, "attempt"))
	}
	if s.Unclassified > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s not understood", s.Unclassified, plural(s.Events, "event")))
	}
	return strings.Join(parts, ", ")
}

// atMost says of one of several that it is the longest.
func atMost(count int) string {
	if count > 1 {
		return " at most"
	}
	return ""
}

// ending is the outcome with its cause.
func (s Stats) ending() string {
	if s.Cause == "" {
		return s.Outcome.String()
	}
	return s.Outcome.String() + " (" + s.Cause + ")"
}

// counted is N with where it comes from.
func (s Stats) counted() string {
	if s.Source == SourceChunks {
		return plural(s.Tokens, "chunk") + " (a guess at the tokens)"
	}
	return plural(s.Tokens, "token") + " (" + s.Source.String() + ")"
}

func quantiles(h *Histogram, qs ...float64) string {
	parts := make([]string, len(qs))
	for i, q := range qs {
		d, _ := h.Quantile(q)
		parts[i] = fmt.Sprintf("p%.0f %s", q*100, short(d))
	}
	return strings.Join(parts, " ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
