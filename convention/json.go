package convention

import "encoding/json"

// MarshalJSON writes the rows: what convention each is, its figures and what makes them others.
func (c Comparison) MarshalJSON() ([]byte, error) { return json.Marshal(c.Rows) }

// MarshalJSON writes the row, with the convention by its name, tool and version.
func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Convention string    `json:"convention"`
		Tool       string    `json:"tool"`
		Version    string    `json:"version,omitempty"`
		Date       string    `json:"date,omitempty"`
		Notes      []string  `json:"notes,omitempty"`
		Summary    Summary   `json:"summary"`
		Figures    []Figures `json:"figures"`
	}{r.Convention.Name, r.Convention.Tool, r.Convention.Version, r.Convention.Date, r.Notes, r.Summary, r.Figures})
}

// MarshalJSON writes the figures that are defined, in milliseconds, and of the others the reason. There is no way back.
func (f Figures) MarshalJSON() ([]byte, error) {
	var why reasons
	figures := struct {
		Convention string            `json:"convention"`
		Excluded   string            `json:"excluded,omitempty"`
		N          *int              `json:"n,omitempty"`
		Source     Source            `json:"n_source,omitempty"`
		TTFT       *float64          `json:"ttft_ms,omitempty"`
		TTFO       *float64          `json:"ttfo_ms,omitempty"`
		TTST       *float64          `json:"ttst_ms,omitempty"`
		TPOT       *float64          `json:"tpot_ms,omitempty"`
		ITL        *float64          `json:"itl_ms,omitempty"`
		NTPOT      *float64          `json:"ntpot_ms,omitempty"`
		E2E        *float64          `json:"e2e_ms,omitempty"`
		Gaps       []float64         `json:"gaps_ms,omitempty"`
		Undefined  map[string]string `json:"undefined,omitempty"`
	}{
		Convention: f.Convention, Excluded: f.Excluded, Source: f.Source,
		TTFT: why.of("ttft", f.TTFT), TTFO: why.of("ttfo", f.TTFO), TTST: why.of("ttst", f.TTST), TPOT: why.of("tpot", f.TPOT),
		ITL: why.of("itl", f.ITL), NTPOT: why.of("ntpot", f.NTPOT), E2E: why.of("e2e", f.E2E),
	}
	if f.Source != "" {
		figures.N = &f.N
	}
	for _, gap := range f.Gaps {
		figures.Gaps = append(figures.Gaps, float64(gap)/1e6)
	}
	figures.Undefined = why
	return json.Marshal(figures)
}

// reasons are why figures are undefined, by their names.
type reasons map[string]string

// of is a figure in milliseconds, or nil, and then the reason is kept.
func (r *reasons) of(name string, f Figure) *float64 {
	if f.Undefined == "" {
		millis := float64(f.Value) / 1e6
		return &millis
	}
	if *r == nil {
		*r = reasons{}
	}
	(*r)[name] = f.Undefined
	return nil
}

// MarshalJSON writes the statistics that are defined, in milliseconds. There is no way back.
func (s Summary) MarshalJSON() ([]byte, error) {
	summary := struct {
		Convention    string     `json:"convention"`
		Counted       int        `json:"counted"`
		Duration      float64    `json:"duration_ms"`
		Good          *int       `json:"good,omitempty"`
		GoodUndefined string     `json:"good_undefined,omitempty"`
		PerSecond     *float64   `json:"goodput_per_second,omitempty"`
		TTFT          Statistics `json:"ttft"`
		TPOT          Statistics `json:"tpot"`
		ITL           Statistics `json:"itl"`
		NTPOT         Statistics `json:"ntpot"`
		Gaps          Statistics `json:"gaps"`
	}{
		Convention: s.Convention, Counted: s.Counted, Duration: float64(s.Duration) / 1e6, GoodUndefined: s.GoodUndefined,
		TTFT: s.TTFT, TPOT: s.TPOT, ITL: s.ITL, NTPOT: s.NTPOT, Gaps: s.Gaps,
	}
	if s.GoodUndefined == "" {
		summary.Good = &s.Good
	}
	if perSecond, ok := s.Goodput(); ok {
		summary.PerSecond = &perSecond
	}
	return json.Marshal(summary)
}

// MarshalJSON writes the statistics that are defined, in milliseconds, and of the others the reason. There is no way back.
func (s Statistics) MarshalJSON() ([]byte, error) {
	var why reasons
	statistics := struct {
		Count     int               `json:"count"`
		Mean      *float64          `json:"mean_ms,omitempty"`
		Median    *float64          `json:"median_ms,omitempty"`
		P90       *float64          `json:"p90_ms,omitempty"`
		P99       *float64          `json:"p99_ms,omitempty"`
		Std       *float64          `json:"std_ms,omitempty"`
		Undefined map[string]string `json:"undefined,omitempty"`
	}{
		Count: s.Count, Mean: why.of("mean", s.Mean), Median: why.of("median", s.Median), P90: why.of("p90", s.P90), P99: why.of("p99", s.P99),
		Std: why.of("std", s.Std),
	}
	statistics.Undefined = why
	return json.Marshal(statistics)
}
