package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Comparison is the same requests under several conventions. Its String and Markdown are tables, of one request of its figures, of several
// of their statistics, and say what makes the figures of each convention others. It marshals to JSON, which has more figures than a table
// has room for.
type Comparison struct{ Rows []Row }

// Row is one convention's part of a Comparison.
type Row struct {
	Convention Convention
	Figures    []Figures // of each request
	Summary    Summary   // of all, without limits
	Notes      []string  // what makes figures of any request others than Tokentiming's, see Convention.Explain; of several requests, statistics, too
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
		if len(ts) > 1 {
			row.note(convention.Run.explain(Tokentiming.Run))
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
