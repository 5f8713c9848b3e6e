package monitor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// facts is a view in words.
type facts struct {
	Convention string
	Taken      moment
	Span       string
	Window     string
	Tiles      []tile
	InFlight   int
	NotShown   int
	Streams    []streamLine
	Keys       []keyLine
	Total      *keyLine // of several keys
	Details    []details
	Recent     []recentLine
	Faults     int
}

// moment is a time for people and for programs.
type moment struct{ Text, RFC3339 string }

func momentOf(t time.Time, layout string) moment {
	return moment{t.Format(layout), t.Format(time.RFC3339Nano)}
}

// tile is a figure that is shown large.
type tile struct {
	Name, Value string
	Alert       bool
}

// facts puts a view in words. The details of keys are many, and only those are made that are wanted, by their ids.
func (v *view) facts(wanted func(id string) bool) *facts {
	f := &facts{
		Convention: tpot.Convention, Taken: momentOf(v.taken, "2006-01-02 15:04:05 MST"), Span: short(v.span), Window: short(v.window),
		Tiles: v.tiles(), InFlight: v.inFlight, NotShown: v.notShown(), Faults: v.faults,
	}
	for i := range v.streams {
		f.Streams = append(f.Streams, streamLineOf(&v.streams[i]))
	}
	for i := range v.rows {
		row := &v.rows[i]
		f.Keys = append(f.Keys, keyLineOf(row))
		f.Details = append(f.Details, detailsOf(row, wanted, len(v.rows) <= fewKeys))
	}
	if len(v.rows) > 1 {
		total := keyLineOf(&v.total)
		f.Total = &total
	}
	for i := range v.recent {
		f.Recent = append(f.Recent, recentLineOf(&v.recent[i]))
	}
	return f
}

func (v *view) tiles() []tile {
	t := &v.total
	return []tile{
		{"in flight", strconv.Itoa(v.inFlight), false},
		{"stalled now", strconv.Itoa(v.stalled), v.stalled > 0},
		{"longest wait now", v.longestWait().String(), v.stalled > 0},
		{"requests/min", digitsOf(t.RequestsPerMinute()), false},
		{"tokens/s", digitsOf(t.TokensPerSecond()), false},
		{"TTFT p95", shortOf(t.TTFT.Quantile(0.95)), false},
		{"TPOT p95", shortOf(t.TPOT.Quantile(0.95)), false},
		{"with a stall", percentOf(t.StallRate()), false},
		{"failure rate", percentOf(t.FailureRate()), false},
		{"goodput", percentOf(t.Goodput()), false},
	}
}

// label is a key as it is shown.
type label struct{ Provider, Model, Scenario string }

func labelOf(k Key) label { return label{shown(k.Provider), shown(k.Model), shown(k.Scenario)} }

// streamLine is a request in flight in words.
type streamLine struct {
	Number uint64
	Label  label
	State  string
	Cells  []string
	Strip  strip
	Title  string
}

func streamLineOf(f *inFlight) streamLine {
	return streamLine{
		Number: f.number, Label: labelOf(f.key), State: f.state.String(), Strip: f.strip(), Title: f.course.title(),
		Cells: []string{short(f.age), f.wait.String(), f.ttft.String(), tokens(f.tokens, f.source), stalls(f.chunks, f.stalls)},
	}
}

// tokens is a count of tokens, and whether it is a guess.
func tokens(n int, source tpot.TokenSource) string {
	switch source {
	case tpot.SourceUnknown:
		return absent
	case tpot.SourceChunks:
		return "≈" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// stalls is how many stalls a request had and the longest of them. Without chunks it can have had none.
func stalls(chunks int, s tpot.Stalls) string {
	switch {
	case chunks == 0:
		return absent
	case s.Count == 0:
		return "0"
	}
	return strconv.Itoa(s.Count) + " (" + short(s.Longest) + ")"
}

// title is what a strip of the course shows, in words.
func (c course) title() string {
	if len(c.longest) == 0 {
		return "no gaps"
	}
	return "longest gap " + short(slices.Max(c.longest))
}

// recentLine is a request that ended in words.
type recentLine struct {
	Number    int
	Label     label
	Start     moment
	Outcome   string
	Cause     string
	ErrorType string
	Cells     []string
	Strip     strip
	Title     string
}

func recentLineOf(f *finished) recentLine {
	l := recentLine{
		Number: f.number, Label: labelOf(f.key), Start: momentOf(f.start, "15:04:05.000"),
		Outcome: f.outcome.String(), Cause: valid(f.cause), ErrorType: valid(f.errorType), Strip: f.strip(), Title: f.course.title(),
		Cells: []string{f.ttft.String(), f.tpot.String(), f.e2e.String(), tokens(f.tokens, f.source), stalls(f.chunks, f.stalls)},
	}
	if l.ErrorType == l.Outcome {
		l.ErrorType = "" // it says no more
	}
	return l
}

// keyLine is the most important figures of a row in words.
type keyLine struct {
	ID    string
	Label label
	Cells []string
}

func keyLineOf(r *Row) keyLine {
	return keyLine{ID: idOf(r.Key), Label: labelOf(r.Key), Cells: []string{
		strconv.Itoa(r.InFlight), strconv.Itoa(r.Requests), digitsOf(r.RequestsPerMinute()), digitsOf(r.TokensPerSecond()),
		shortOf(r.TTFT.Quantile(0.5)), shortOf(r.TTFT.Quantile(0.95)),
		shortOf(r.TPOT.Quantile(0.5)), shortOf(r.TPOT.Quantile(0.95)),
		shortOf(r.ITL.Quantile(0.5)), shortOf(r.ITL.Quantile(0.99)),
		percentOf(r.StallRate()), shortOf(r.longestStall()), percentOf(r.FailureRate()), percentOf(r.Goodput()),
		digitsOf(r.Concurrency()),
	}}
}

// longestStall is the longest stall there was, if any.
func (t *Tally) longestStall() (time.Duration, bool) { return t.Stalls.Longest, t.Stalls.Count > 0 }

// idOf is the same for the same key, in every process.
func idOf(k Key) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", k.Provider, k.Model, k.Scenario))
	return hex.EncodeToString(sum[:6])
}
