package convention

import (
	"fmt"
	"strings"
)

// String is the figure in milliseconds, or why it is undefined.
func (f Figure) String() string {
	if f.Undefined != "" {
		return "undefined: " + f.Undefined
	}
	return f.millis() + " ms"
}

// String is the defined figures on one line, in milliseconds.
func (f Figures) String() string {
	parts := []string{f.Convention + ":"}
	for _, figure := range []struct {
		name string
		Figure
	}{{"TTFT", f.TTFT}, {"TTFO", f.TTFO}, {"TTST", f.TTST}, {"TPOT", f.TPOT}, {"ITL", f.ITL}, {"NTPOT", f.NTPOT}, {"E2E", f.E2E}} {
		if figure.Undefined == "" {
			parts = append(parts, figure.name+" "+figure.Figure.String()+",")
		}
	}
	if f.Source == "" {
		return strings.Join(append(parts, "N is not known"), " ")
	}
	return strings.Join(append(parts, fmt.Sprintf("N %d by %s", f.N, f.Source)), " ")
}

// String is the statistics as a table, in milliseconds, with "-" for what is undefined. Figures that the tool does not report are left out.
func (s Summary) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d requests in %s", s.Convention, s.Counted, s.Duration)
	if perSecond, ok := s.Goodput(); ok {
		fmt.Fprintf(&text, ", %d good, %.2f/s", s.Good, perSecond)
	} else if s.GoodUndefined != "" && s.GoodUndefined != noLimits {
		text.WriteString(", no goodput: " + s.GoodUndefined)
	}
	text.WriteByte('\n')
	rows := [][]string{{"ms", "mean", "std", "min", "p50", "p90", "p95", "p99", "max", "count"}}
	for _, of := range []struct {
		name string
		Statistics
	}{{"TTFT", s.TTFT}, {"TTFO", s.TTFO}, {"TPOT", s.TPOT}, {"ITL", s.ITL}, {"NTPOT", s.NTPOT}, {"E2E", s.E2E}, {"gaps", s.Gaps}} {
		if of.Mean.Undefined == unreported || of.name == "gaps" && s.Gaps == s.ITL {
			continue
		}
		cells := []string{of.name}
		for _, f := range []Figure{of.Mean, of.Std, of.Min, of.Median, of.P90, of.P95, of.P99, of.Max} {
			cells = append(cells, f.millis())
		}
		rows = append(rows, append(cells, fmt.Sprint(of.Count)))
	}
	align(&text, rows)
	return text.String()
}
