package convention

import "github.com/tokentiming/tokentiming/tpot"

// Comparison is the same requests under several conventions. String and Markdown give a table, with the figures of a single request or the
// statistics of several, and notes on why those of each convention differ. JSON has what a table has no room for.
type Comparison struct{ Rows []Row }

// Row is one convention's part of a Comparison.
type Row struct {
	Convention Convention
	Figures    []Figures // of each request
	Summary    Summary   // of all of them, without limits
	Notes      []string  // why figures differ from Tokentiming's, see Convention.Explain; of several requests also why statistics do
}

// Compare works out requests under each of the conventions, or under [All] if none is given. The notes are against [Tokentiming].
func Compare(ts []tpot.Trace, conventions ...Convention) Comparison {
	if len(conventions) == 0 {
		conventions = All()
	}
	rows := make([]Row, len(conventions))
	runs := make([]run, len(conventions))
	noted := make([]notes, len(conventions))
	for i := range conventions {
		rows[i].Convention, runs[i] = conventions[i], conventions[i].run(tpot.SLO{})
	}
	for i := range ts {
		ours := Tokentiming.read(&ts[i])
		for j := range rows {
			r := conventions[j].read(&ts[i])
			rows[j].Figures = append(rows[j].Figures, r.figures)
			noted[j].add(explain(r, ours))
			runs[j].add(r)
		}
	}
	for i := range rows {
		rows[i].Summary = runs[i].summary()
		rows[i].Notes = noted[i].of(len(ts))
		if len(ts) > 1 {
			rows[i].Notes = append(rows[i].Notes, conventions[i].Run.explain(Tokentiming.Run)...)
		}
	}
	return Comparison{rows}
}

// notes are those on several requests, each once, in the order in which they came up.
type notes struct {
	all   []string
	times map[string]int
}

func (n *notes) add(differences []string) {
	if n.times == nil {
		n.times = make(map[string]int)
	}
	for _, difference := range differences {
		if n.times[difference]++; n.times[difference] == 1 {
			n.all = append(n.all, difference)
		}
	}
}

// of is the notes on so many requests. One that does not hold of all of them says so.
func (n *notes) of(requests int) (all []string) {
	for _, note := range n.all {
		if n.times[note] < requests {
			note += ", in some requests"
		}
		all = append(all, note)
	}
	return all
}
