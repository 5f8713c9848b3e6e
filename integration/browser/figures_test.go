package browser

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

const none = "–"

// oneLine is a duration as package tpot writes it in its one line.
func oneLine(d time.Duration) string {
	written := tpot.Start(context.Background()).EndAt(d, nil).String()
	return written[len("ok, E2E "):]
}

func written(d time.Duration, ok bool) string {
	if !ok {
		return none
	}
	return oneLine(d)
}

// threeDigits is a number rounded to three digits, or to a whole number.
func threeDigits(f float64, ok bool) string {
	if !ok {
		return none
	}
	for decimals := 2; decimals > 0; decimals-- {
		if s := strconv.FormatFloat(f, 'f', decimals, 64); len(s) <= 4 {
			return s
		}
	}
	return fmt.Sprint(math.RoundToEven(f))
}

func share(f float64, ok bool) string {
	switch {
	case !ok:
		return none
	case f == 0:
		return "0%"
	case f == 1:
		return "100%"
	case f < 0.0001:
		return "<0.01%"
	}
	return threeDigits(100*f, true) + "%"
}

func cells(columns []string, values ...string) map[string]string {
	named := map[string]string{}
	for i, c := range columns {
		named[c] = values[i]
	}
	return named
}

// assertBetween holds a number of the page against what it was before and after it was shown. Such figures change with time alone.
func assertBetween(t *testing.T, name string, shown string, one, other string) {
	t.Helper()
	number := func(s string) float64 {
		if d, err := time.ParseDuration(s); err == nil {
			return d.Seconds()
		}
		f, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err, name)
		return f
	}
	got := number(shown)
	assert.GreaterOrEqual(t, got, min(number(one), number(other)), name)
	assert.LessOrEqual(t, got, max(number(one), number(other)), name)
}

// scripts are one of each kind of answer.
func scripts() []llmtest.Script {
	const ms = time.Millisecond
	ai := llmtest.OpenAI{}
	begin := llmtest.SSE().After(20*ms, ai.Role())
	end := []llmtest.Event{ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 25}), ai.Done()}
	cut := begin.Every(5*ms, texts(7)...)
	cut.Ending = llmtest.EndCut
	return []llmtest.Script{
		begin.Every(10*ms, texts(20)...).After(ms, end...),
		begin.Every(10*ms, ai.Reasoning(secret), ai.Reasoning(secret)).Every(30*ms, texts(15)...).After(ms, end...),
		begin.After(80*ms, texts(1)...).Every(5*ms, texts(5)...).After(600*ms, texts(1)...).After(ms, end...), // a stall
		begin.Every(5*ms, texts(9)...).After(ms, ai.Finish("stop"), ai.Done()),                                // no usage
		cut,
		llmtest.JSON(429, map[string]any{"error": map[string]string{"message": secret, "type": "rate_limit_error"}}),
		begin.After(5*ms, texts(1)...).After(5*ms, ai.Error("server_error", secret)),
	}
}

// requestOf is the request of a stream; some names are hostile.
func requestOf(i int) tpot.Request {
	models := []string{"model-a", `<img src="/elsewhere" onerror="window.harmed=true">`, ""}
	return tpot.Request{Provider: "provider", Model: models[i%3], Scenario: []string{"chat", "report", ""}[i/3%3]}
}

func TestTheFiguresInTheDOMAreSnapshots(t *testing.T) {
	hang := llmtest.SSE().After(20*time.Millisecond, llmtest.OpenAI{}.Role()).Every(10*time.Millisecond, texts(4)...)
	hang.Ending = llmtest.EndHang
	tr := newTraffic(t, monitor.Config{}, append(append(scripts(), scripts()...), hang)...)
	for i := range 14 {
		tr.stream(requestOf(i))
	}
	for i := range 3 {
		tr.running.Go(func() { tr.stream(requestOf(i)) })
	}
	open := tr.waiting(3, 4)
	site, page := newSite(t, tr.monitor.Handler()), newTab(t)
	page.open(site.url())
	page.do("document.querySelectorAll('summary').forEach(s => s.parentElement.open || s.click())")

	before, ages := tr.monitor.Snapshot(), agesOf(open)
	page.updated() // with the streams as they stand
	page.until("[...document.querySelectorAll('details')].every(d => d.open && d.querySelector('table'))")
	page.updated()
	shown := page.read()
	after, agesAfter := tr.monitor.Snapshot(), agesOf(open)

	compareKeys(t, before, after, shown)
	compareStreams(t, open, ages, agesAfter, shown.Streams)
	compareRecent(t, tr.stats, shown.Recent)
	compareTiles(t, before, shown)
	assert.False(t, evaluate[bool](page, "'harmed' in window"))
	noSecret(t, "what was sent", site.all())
	noSecret(t, "the DOM", page.html())
}

// age is how old a stream is and how long it waits.
type age struct{ old, waits time.Duration }

func agesOf(open []*tpot.Recorder) []age {
	ages := make([]age, len(open))
	for i, rec := range open {
		wait, _, _ := rec.OpenGap()
		ages[i] = age{rec.Elapsed(), wait}
	}
	return ages
}

var keyColumns = []string{
	"In flight", "Requests", "TTFT p50", "TTFT p95", "TPOT p50", "TPOT p95", "ITL p50", "ITL p99", "With a stall", "Longest", "Failure rate",
	"Goodput", "Concurrency",
}

func keyCells(r *monitor.Row) map[string]string {
	return cells(keyColumns,
		fmt.Sprint(r.InFlight), fmt.Sprint(r.Requests), written(r.TTFT.Quantile(0.5)), written(r.TTFT.Quantile(0.95)),
		written(r.TPOT.Quantile(0.5)), written(r.TPOT.Quantile(0.95)), written(r.ITL.Quantile(0.5)), written(r.ITL.Quantile(0.99)),
		share(r.StallRate()), written(r.Stalls.Longest, r.Stalls.Count > 0), share(r.FailureRate()), share(r.Goodput()),
		threeDigits(r.Concurrency()),
	)
}

func labelOf(k monitor.Key) string {
	shown := func(name string) string {
		if name == "" {
			return none
		}
		return name
	}
	return shown(k.Model) + " " + shown(k.Provider) + " " + shown(k.Scenario)
}

func keyOf(s *tpot.Stats) monitor.Key {
	return monitor.Key{Provider: s.Request.Provider, Model: cmp.Or(s.Request.Model, s.Model), Scenario: s.Request.Scenario}
}

func compareKeys(t *testing.T, before, after []monitor.Row, shown shown) {
	require.Equal(t, len(before), len(after))
	require.Len(t, shown.Keys.Rows, 1+len(before)+1, "the columns, the keys, and all together")
	require.Len(t, shown.Details, len(before))
	for i := range before {
		row := shown.Keys.Rows[1+i]
		assert.Equal(t, labelOf(before[i].Key), row[0])
		got := shown.Keys.cells(row)
		rate := func(column string, of func(*monitor.Row) (float64, bool)) {
			assertBetween(t, column, got[column], threeDigits(of(&before[i])), threeDigits(of(&after[i])))
			delete(got, column)
		}
		rate("Per min", (*monitor.Row).RequestsPerMinute)
		rate("Tokens/s", (*monitor.Row).TokensPerSecond)
		assert.Equal(t, keyCells(&before[i]), got)
		assert.Equal(t, labelOf(before[i].Key), shown.Details[i].Label)
		compareDetails(t, &before[i], &after[i], shown.Details[i].Tables)
	}
}

var itlNames = map[string]string{
	"": "ITL, by token", "tokens": "ITL, by token", "chunks": "ITL, by chunk", "mixed": "ITL, by token or chunk",
}

func compareDetails(t *testing.T, r, after *monitor.Row, tables []shownTable) {
	named := map[string]shownTable{}
	for _, table := range tables {
		named[table.Name] = table
	}
	require.Len(t, named, 7)
	for name, h := range map[string]*tpot.Histogram{
		"TTFT": &r.TTFT, "TTFO": &r.TTFO, "TPOT, by request": &r.TPOT, "TPOT, by token": &r.TPOTByToken,
		itlNames[r.ITLBasis()]: &r.ITL, "ITL, by request": &r.ITLByRequest, "Chunk gaps": &r.Gaps, "E2E": &r.E2E,
	} {
		assert.Equal(t, cells([]string{"Count", "Mean", "CV", "p50", "p90", "p95", "p99", "Max"},
			fmt.Sprint(h.Count()), written(h.Mean()), threeDigits(h.CV()), written(h.Quantile(0.5)), written(h.Quantile(0.9)),
			written(h.Quantile(0.95)), written(h.Quantile(0.99)), written(h.Max()),
		), named["Distributions"].row(t, name), name)
	}
	compareCounts(t, r, after, named)
	assert.Equal(t, cells([]string{"Sum", "Share"}, written(r.Setup, r.Requests > 0), share(of(r.Setup, r))), named["Time"].row(t, "setup"))
	assert.Equal(t, cells([]string{"Sum", "Share"}, written(r.Wait, r.Requests > 0), share(r.WaitShare())), named["Time"].row(t, "wait"))
	assert.Equal(t, cells([]string{"Sum", "Share"}, written(r.Hold, r.Requests > 0), share(r.HoldShare())), named["Time"].row(t, "hold"))
	for name, want := range map[string]string{
		"requests with a stall": fmt.Sprint(r.Stalled), "share": share(r.StallRate()), "stalls": fmt.Sprint(r.Stalls.Count),
		"time in stalls": written(r.Stalls.Total, r.Stalls.Count > 0), "longest": written(r.Stalls.Longest, r.Stalls.Count > 0),
	} {
		assert.Equal(t, cells([]string{"Value"}, want), named["Stalls"].row(t, name), name)
	}
	for i, l := range r.Loads() {
		got := named["Load"].Rows[1+i]
		assert.Equal(t, []string{fmt.Sprint(l.Requests), written(l.MeanTTFT()), written(l.MeanTPOT())}, got[1:])
	}
}

// of is the share of a row's time.
func of(d time.Duration, r *monitor.Row) (float64, bool) {
	whole := r.Setup + r.Wait + r.Hold
	return float64(d) / float64(whole), whole > 0
}

func compareCounts(t *testing.T, r, after *monitor.Row, named map[string]shownTable) {
	for o := tpot.OutcomeOK; o <= tpot.OutcomeFailed; o++ {
		want := cells([]string{"Requests", "Share"}, fmt.Sprint(r.Outcomes[o]), share(r.OutcomeShare(o)))
		assert.Equal(t, want, named["Outcomes"].row(t, o.String()))
	}
	for source, name := range map[tpot.TokenSource]string{
		tpot.SourceReported: "reported", tpot.SourceCounted: "counted", tpot.SourceChunks: "chunks (a guess)", tpot.SourceUnknown: "unknown",
	} {
		want := cells([]string{"Requests", "Share"}, fmt.Sprint(r.Sources[source]), share(r.SourceShare(source)))
		assert.Equal(t, want, named["Token counts"].row(t, name))
	}
	met := named["Limits"].row(t, "met all their limits")
	if rate, ok := r.GoodPerMinute(); ok {
		assertBetween(t, "good per minute", met["Per min"], threeDigits(rate, true), threeDigits(after.GoodPerMinute()))
	}
	assert.Equal(t, []string{fmt.Sprint(r.Good), share(r.Goodput())}, []string{met["Count"], met["Share"]})
	for name, n := range map[string]int{
		"missed any": r.Missed, "missed TTFT": r.Misses.TTFT, "missed TTFO": r.Misses.TTFO, "missed TPOT": r.Misses.TPOT,
		"missed ITL p99": r.Misses.ITL99, "missed stall": r.Misses.Stall, "missed E2E": r.Misses.E2E, "did not end well": r.Misses.End,
	} {
		assert.Equal(t, fmt.Sprint(n), named["Limits"].row(t, name)["Count"], name)
	}
}

func compareStreams(t *testing.T, open []*tpot.Recorder, before, after []age, shown *shownTable) {
	require.Len(t, shown.Rows, 1+len(open))
	for i, rec := range open {
		s := rec.Stats()
		got := shown.row(t, labelOf(keyOf(&s)))
		assertBetween(t, "so far", got["So far"], oneLine(before[i].old), oneLine(after[i].old))
		assertBetween(t, "open wait", got["Open wait"], oneLine(before[i].waits), oneLine(after[i].waits))
		assert.Equal(t, "stalled", got["State"])
		assert.Equal(t, written(s.TTFT()), got["TTFT"])
		assert.Equal(t, "≈4", got["Tokens"])
	}
}

func compareRecent(t *testing.T, ended []tpot.Stats, shown *shownTable) {
	require.Len(t, shown.Rows, 1+len(ended))
	for i, s := range ended {
		row := shown.Rows[len(ended)-i] // the last first
		assert.Equal(t, labelOf(keyOf(&s)), row[0])
		got := shown.cells(row)
		assert.Equal(t, s.Start.Local().Format("15:04:05.000"), got["Started"])
		assert.Regexp(t, "^"+s.Outcome.String()+`\b`, got["Outcome"])
		assert.Contains(t, got["Outcome"], s.Cause)
		assert.Contains(t, got["Outcome"], s.ErrorType)
		assert.Equal(t, written(s.TTFT()), got["TTFT"])
		assert.Equal(t, written(s.TPOT()), got["TPOT"])
		assert.Equal(t, written(s.E2E()), got["E2E"])
		assert.Equal(t, tokens(&s), got["Tokens"])
	}
}

func tokens(s *tpot.Stats) string {
	switch s.Source {
	case tpot.SourceUnknown:
		return none
	case tpot.SourceChunks:
		return fmt.Sprint("≈", s.Tokens)
	}
	return fmt.Sprint(s.Tokens)
}

func compareTiles(t *testing.T, rows []monitor.Row, shown shown) {
	inFlight, requests := 0, 0
	for i := range rows {
		inFlight += rows[i].InFlight
		requests += rows[i].Requests
	}
	assert.Equal(t, fmt.Sprint(inFlight), shown.Tiles["in flight"])
	assert.Equal(t, "3", shown.Tiles["stalled now"])
	assert.Equal(t, fmt.Sprint(requests), shown.Keys.row(t, "all")["Requests"])
}
