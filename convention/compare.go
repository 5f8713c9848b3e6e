package convention

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Comparison is the same requests under several conventions. Its String and Markdown are tables, with times in milliseconds: of one request
// its figures, of several their statistics.
type Comparison struct{ Rows []Row }

// Row is one convention's part of a Comparison.
type Row struct {
	Convention Convention
	Figures    []Figures // of each request
	Summary    Summary   // of all, without limits
	Notes      []string  // what makes figures others than those of Tokentiming, see Convention.Explain
}

// Compare works out requests under each of the conventions, or under [All] if none is given.
func Compare(ts []tpot.Trace, conventions ...Convention) Comparison {
	if len(conventions) == 0 {
		conventions = All()
	}
	var c Comparison
	for _, convention := range conventions {
		row := Row{Convention: convention, Summary: convention.Summarize(ts, tpot.SLO{})}
		for _, t := range ts {
			row.Figures = append(row.Figures, convention.Figures(t))
			row.note(convention.Explain(t, Tokentiming))
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func (r *Row) note(differences []string) {
	for _, difference := range differences {
		if !slices.Contains(r.Notes, difference) {
			r.Notes = append(r.Notes, difference)
		}
	}
}

// String is the table as aligned text.
func (c Comparison) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, cells := range c.table() {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	w.Flush()
	return text.String()
}

// Markdown is the table in Markdown.
func (c Comparison) Markdown() string {
	var text strings.Builder
	for i, cells := range c.table() {
		for j := range cells {
			cells[j] = strings.ReplaceAll(cells[j], "|", `\|`)
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			text.WriteString("|---" + strings.Repeat("|---:", len(cells)-2) + "|---|\n")
		}
	}
	return text.String()
}

// table is the cells, headings first.
func (c Comparison) table() [][]string {
	rows := [][]string{headings(c.requests())}
	for _, row := range c.Rows {
		cells := append([]string{row.Convention.Name}, row.cells()...)
		rows = append(rows, append(cells, strings.Join(row.Notes, "; ")))
	}
	return rows
}

func (c Comparison) requests() int {
	if len(c.Rows) == 0 {
		return 0
	}
	return len(c.Rows[0].Figures)
}

func headings(requests int) []string {
	if requests == 1 {
		return []string{"convention", "TTFT", "TPOT", "ITL", "E2E", "N", "what differs from " + Tokentiming.Name}
	}
	return []string{
		"convention", "requests", "TTFT p50", "TTFT p99", "TPOT mean", "TPOT p99", "ITL mean", "ITL p99", "what differs from " + Tokentiming.Name,
	}
}

func (r Row) cells() []string {
	if len(r.Figures) == 1 {
		f := r.Figures[0]
		n := "-"
		if f.Source != "" {
			n = fmt.Sprint(f.N)
		}
		return []string{f.TTFT.millis(), f.TPOT.millis(), f.ITL.millis(), f.E2E.millis(), n}
	}
	s := r.Summary
	return []string{
		fmt.Sprint(s.Counted), s.TTFT.Median.millis(), s.TTFT.P99.millis(), s.TPOT.Mean.millis(), s.TPOT.P99.millis(), s.ITL.Mean.millis(), s.ITL.P99.millis(),
	}
}

// millis is the figure in milliseconds, "-" where it is undefined.
func (f Figure) millis() string {
	if f.Undefined != "" {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(f.Value)/float64(time.Millisecond))
}
