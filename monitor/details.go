package monitor

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// details is all figures of a row in words.
type details struct {
	ID     string
	Label  label
	Open   bool // at first
	Filled bool // what follows is there

	Distributions table
	Plots         []*plot
	Tables        []table
}

// table is figures with the names of their rows first.
type table struct {
	Name    string
	Columns []string
	Rows    [][]string
}

// fewKeys is up to how many keys' details are open at first.
const fewKeys = 3

func detailsOf(r *Row, wanted func(id string) bool, open bool) details {
	d := details{ID: idOf(r.Key), Label: labelOf(r.Key), Open: open}
	if !wanted(d.ID) {
		return d
	}
	d.Filled = true
	d.Distributions = distributions(r)
	d.Tables = []table{outcomes(r), limits(r), sources(r), shares(r), stallTable(r), loadTable(r)}
	for _, p := range []*plot{plotOf("TTFT", &r.TTFT), plotOf("Chunk gaps", &r.Gaps)} {
		if p != nil {
			d.Plots = append(d.Plots, p)
		}
	}
	return d
}

// distributions is one line for each distribution, named with what has a value in it.
func distributions(r *Row) table {
	t := table{Name: "Distributions", Columns: []string{"Figure", "Count", "Mean", "CV", "p50", "p90", "p95", "p99", "Max"}}
	add := func(name string, h *tpot.Histogram) {
		t.Rows = append(t.Rows, []string{
			name, strconv.Itoa(h.Count()), shortOf(h.Mean()), digitsOf(h.CV()), shortOf(h.Quantile(0.5)), shortOf(h.Quantile(0.9)),
			shortOf(h.Quantile(0.95)), shortOf(h.Quantile(0.99)), shortOf(h.Max()),
		})
	}
	add("TTFT", &r.TTFT)
	add("TTFO", &r.TTFO)
	add("TPOT, by request", &r.TPOT)
	add("TPOT, by token", &r.TPOTByToken)
	add(itlName(r), &r.ITL)
	add("ITL, by request", &r.ITLByRequest)
	add("Chunk gaps", &r.Gaps)
	add("E2E", &r.E2E)
	return t
}

// itlName says what the ITL is of: only where the tokens of chunks are known it is of tokens.
func itlName(r *Row) string {
	switch r.ITLBasis() {
	case "chunks":
		return "ITL, by chunk"
	case "mixed":
		return "ITL, by token or chunk"
	}
	return "ITL, by token"
}

func outcomes(r *Row) table {
	t := table{Name: "Outcomes", Columns: []string{"Outcome", "Requests", "Share"}}
	for o := tpot.OutcomeOK; int(o) < len(r.Outcomes); o++ {
		t.Rows = append(t.Rows, []string{o.String(), strconv.Itoa(r.Outcomes[o]), percentOf(r.OutcomeShare(o))})
	}
	if r.Lost > 0 {
		t.Rows = append(t.Rows, []string{"lost: dropped without End", strconv.Itoa(r.Lost), absent})
	}
	return t
}

// limits is the goodput, with its rate, and the misses by the limit that was missed.
func limits(r *Row) table {
	t := table{Name: "Limits", Columns: []string{"Requests that", "Count", "Share", "Per min"}}
	judged := r.Good + r.Missed
	t.Rows = append(t.Rows, []string{"met all their limits", strconv.Itoa(r.Good), percentOf(r.Goodput()), digitsOf(r.GoodPerMinute())})
	add := func(name string, n int) {
		t.Rows = append(t.Rows, []string{name, strconv.Itoa(n), percentOf(share(n, judged)), absent})
	}
	add("missed any", r.Missed)
	add("missed TTFT", r.Misses.TTFT)
	add("missed TTFO", r.Misses.TTFO)
	add("missed TPOT", r.Misses.TPOT)
	add("missed ITL p99", r.Misses.ITL99)
	add("missed stall", r.Misses.Stall)
	add("missed E2E", r.Misses.E2E)
	add("did not end well", r.Misses.End)
	return t
}

func sources(r *Row) table {
	t := table{Name: "Token counts", Columns: []string{"Source", "Requests", "Share"}}
	for _, s := range []tpot.TokenSource{tpot.SourceReported, tpot.SourceCounted, tpot.SourceChunks, tpot.SourceUnknown} {
		name := s.String()
		if s == tpot.SourceChunks {
			name += " (a guess)"
		}
		t.Rows = append(t.Rows, []string{name, strconv.Itoa(r.Sources[s]), percentOf(r.SourceShare(s))})
	}
	return t
}

func shares(r *Row) table {
	t := table{Name: "Time", Columns: []string{"Of the requests", "Sum", "Share"}}
	all := r.time()
	add := func(name string, d time.Duration) {
		t.Rows = append(t.Rows, []string{name, shortOf(d, r.Requests > 0), percentOf(share(d, all))})
	}
	add("setup", r.Setup)
	add("wait", r.Wait)
	add("hold", r.Hold)
	return t
}

func stallTable(r *Row) table {
	return table{Name: "Stalls", Columns: []string{"Figure", "Value"}, Rows: [][]string{
		{"requests with a stall", strconv.Itoa(r.Stalled)},
		{"share", percentOf(r.StallRate())},
		{"stalls", strconv.Itoa(r.Stalls.Count)},
		{"time in stalls", shortOf(r.Stalls.Total, r.Stalls.Count > 0)},
		{"longest", shortOf(r.longestStall())},
	}}
}

// loadTable is TTFT and TPOT by how many requests were in flight.
func loadTable(r *Row) table {
	t := table{Name: "Load", Columns: []string{"In flight", "Requests", "Mean TTFT", "Mean TPOT"}}
	for _, l := range r.Loads() {
		t.Rows = append(t.Rows, []string{l.span(), strconv.Itoa(l.Requests), shortOf(l.MeanTTFT()), shortOf(l.MeanTPOT())})
	}
	t.Rows = append(t.Rows, []string{"mean " + digitsOf(r.Concurrency()), strconv.Itoa(r.Requests), shortOf(r.TTFT.Mean()), shortOf(r.TPOT.Mean())})
	return t
}

func (l Load) span() string {
	if l.From == l.To {
		return strconv.Itoa(l.From)
	}
	return fmt.Sprintf("%d to %d", l.From, l.To)
}
