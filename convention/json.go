package convention

import "encoding/json"

// MarshalJSON writes the rows as an array. There is no way back.
func (c Comparison) MarshalJSON() ([]byte, error) { return json.Marshal(c.Rows) }

// MarshalJSON writes the row; of its convention the name, the tool, the version and its date. There is no way back.
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

// MarshalJSON writes the figures that are defined, in milliseconds, and why the others are not, but for those that the tool does not report.
// There is no way back.
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

// reasons say why figures are undefined, by the figures' names.
type reasons map[string]string

// of is a figure in milliseconds, or nil if it is undefined, and then its reason is kept, unless it is that the tool reports none.
func (r *reasons) of(name string, f Figure) *float64 {
	switch f.Undefined {
	case "":
		millis := float64(f.Value) / 1e6
		return &millis
	case unreported:
		return nil
	}
	if *r == nil {
		*r = reasons{}
	}
	(*r)[name] = f.Undefined
	return nil
}

// MarshalJSON writes the statistics of the figures that the tool reports. There is no way back.
func (s Summary) MarshalJSON() ([]byte, error) {
	summary := struct {
		Convention    string      `json:"convention"`
		Counted       int         `json:"counted"`
		Duration      float64     `json:"duration_ms"`
		Good          *int        `json:"good,omitempty"`
		GoodUndefined string      `json:"good_undefined,omitempty"`
		PerSecond     *float64    `json:"goodput_per_second,omitempty"`
		TTFT          *Statistics `json:"ttft,omitempty"`
		TTFO          *Statistics `json:"ttfo,omitempty"`
		TPOT          *Statistics `json:"tpot,omitempty"`
		ITL           *Statistics `json:"itl,omitempty"`
		NTPOT         *Statistics `json:"ntpot,omitempty"`
		E2E           *Statistics `json:"e2e,omitempty"`
		Gaps          *Statistics `json:"gaps,omitempty"`
	}{
		Convention: s.Convention, Counted: s.Counted, Duration: float64(s.Duration) / 1e6, GoodUndefined: s.GoodUndefined,
		TTFT: s.TTFT.reported(), TTFO: s.TTFO.reported(), TPOT: s.TPOT.reported(), ITL: s.ITL.reported(), NTPOT: s.NTPOT.reported(),
		E2E: s.E2E.reported(), Gaps: s.Gaps.reported(),
	}
	if s.GoodUndefined == "" {
		summary.Good = &s.Good
	}
	if perSecond, ok := s.Goodput(); ok {
		summary.PerSecond = &perSecond
	}
	return json.Marshal(summary)
}

// reported is nil for a figure that the tool does not report.
func (s *Statistics) reported() *Statistics {
	if s.Mean.Undefined == unreported {
		return nil
	}
	return s
}

// MarshalJSON writes the statistics that are defined, in milliseconds, and why the mean and the standard deviation are not: where the mean is
// undefined all others are, for the same reason. There is no way back.
func (s Statistics) MarshalJSON() ([]byte, error) {
	var why, others reasons
	statistics := struct {
		Count     int               `json:"count"`
		Mean      *float64          `json:"mean_ms,omitempty"`
		Std       *float64          `json:"std_ms,omitempty"`
		Min       *float64          `json:"min_ms,omitempty"`
		Median    *float64          `json:"median_ms,omitempty"`
		P90       *float64          `json:"p90_ms,omitempty"`
		P95       *float64          `json:"p95_ms,omitempty"`
		P99       *float64          `json:"p99_ms,omitempty"`
		Max       *float64          `json:"max_ms,omitempty"`
		Undefined map[string]string `json:"undefined,omitempty"`
	}{
		Count: s.Count, Mean: why.of("mean", s.Mean), Std: why.of("std", s.Std), Min: others.of("", s.Min), Median: others.of("", s.Median),
		P90: others.of("", s.P90), P95: others.of("", s.P95), P99: others.of("", s.P99), Max: others.of("", s.Max),
	}
	statistics.Undefined = why
	return json.Marshal(statistics)
}
