package convention

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// differs is in the heading of the notes.
var differs = "differs from " + Tokentiming.Name

// String is the table as aligned text, times in milliseconds and "-" for what is undefined, and below it the notes, one a line.
func (c Comparison) String() string {
	var text strings.Builder
	align(&text, c.table())
	text.WriteString(c.leftOut())
	heading := "\nWhat " + differs + ":\n"
	for _, row := range c.Rows {
		name := row.Convention.Name
		for _, note := range row.Notes {
			fmt.Fprintf(&text, "%s%-*s  %s\n", heading, c.nameWidth(), name, note)
			heading, name = "", ""
		}
	}
	return text.String()
}

// leftOut says how many requests are in the statistics of no convention, and why. Those reasons are the same under each, so one row tells.
func (c Comparison) leftOut() string {
	if len(c.Rows) == 0 {
		return ""
	}
	excluded := make(map[string]int)
	for _, f := range c.Rows[0].Figures {
		excluded[f.Excluded]++
	}
	var text strings.Builder
	for _, why := range []string{cut, unwell} {
		if n := excluded[why]; n > 0 {
			fmt.Fprintf(&text, "\nIn no statistics, since %s: %d of %d.\n", why, n, len(c.Rows[0].Figures))
		}
	}
	return text.String()
}

// nameWidth is that of the longest name.
func (c Comparison) nameWidth() (width int) {
	for _, row := range c.Rows {
		width = max(width, utf8.RuneCountInString(row.Convention.Name))
	}
	return width
}

// align writes cells in columns, the first to the left and the others to the right.
func align(text *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range rows {
		fmt.Fprintf(text, "%-*s", widths[0], cells[0])
		for i, cell := range cells[1:] {
			fmt.Fprintf(text, "  %*s", widths[i+1], cell)
		}
		text.WriteByte('\n')
	}
}

// Markdown is the table in Markdown, the notes in its last column.
func (c Comparison) Markdown() string {
	var text strings.Builder
	for i, cells := range c.table() {
		notes := "what " + differs
		if i > 0 {
			notes = strings.Join(c.Rows[i-1].Notes, "; ")
		}
		for _, cell := range append(cells, notes) {
			fmt.Fprintf(&text, "| %s ", strings.ReplaceAll(cell, "|", `\|`))
		}
		text.WriteString("|\n")
		if i == 0 {
			text.WriteString("|---" + strings.Repeat("|---:", len(cells)-1) + "|---|\n")
		}
	}
	text.WriteString(c.leftOut())
	return text.String()
}

// table is the cells, headings first.
func (c Comparison) table() [][]string {
	if !c.ofOne() {
		rows := [][]string{{"ms", "requests", "TTFT p50", "TTFT p99", "TPOT mean", "TPOT p99", "ITL mean", "ITL p99"}}
		for _, row := range c.Rows {
			rows = append(rows, append([]string{row.Convention.Name}, row.Summary.cells()...))
		}
		return rows
	}
	rows := [][]string{{"ms", "TTFT", "TPOT", "ITL", "E2E", "N"}}
	for _, row := range c.Rows {
		rows = append(rows, append([]string{row.Convention.Name}, row.Figures[0].cells()...))
	}
	return rows
}

// ofOne is whether it compares one request.
func (c Comparison) ofOne() bool {
	for _, row := range c.Rows {
		if len(row.Figures) != 1 {
			return false
		}
	}
	return len(c.Rows) > 0
}

func (f Figures) cells() []string {
	n := "-"
	if f.Source != "" {
		n = fmt.Sprint(f.N)
	}
	return []string{f.TTFT.millis(), f.TPOT.millis(), f.ITL.millis(), f.E2E.millis(), n}
}

func (s Summary) cells() []string {
	return []string{
		fmt.Sprint(s.Counted), s.TTFT.Median.millis(), s.TTFT.P99.millis(), s.TPOT.Mean.millis(), s.TPOT.P99.millis(),
		s.ITL.Mean.millis(), s.ITL.P99.millis(),
	}
}

// millis is the figure in milliseconds, "-" where it is undefined.
func (f Figure) millis() string {
	if f.Undefined != "" {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(f.Value)/float64(time.Millisecond))
}
