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
	rows := make([]Row, len(conventions))
	runs := make([]run, len(conventions))
	for i := range conventions {
		rows[i].Convention, runs[i] = conventions[i], conventions[i].run(tpot.SLO{})
	}
	for i := range ts {
		ours := Tokentiming.view(&ts[i])
		for j := range rows {
			v := conventions[j].view(&ts[i])
			rows[j].Figures = append(rows[j].Figures, v.gives)
			rows[j].note(explain(v, ours))
			runs[j].add(v)
		}
	}
	for i := range rows {
		rows[i].Summary = runs[i].summary()
		if len(ts) > 1 {
			rows[i].note(conventions[i].Run.explain(Tokentiming.Run))
		}
	}
	return Comparison{rows}
}

func (r *Row) note(differences []string) {
	for _, difference := range differences {
		if !slices.Contains(r.Notes, difference) {
			r.Notes = append(r.Notes, difference)
		}
	}
}
