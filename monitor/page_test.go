package monitor_test

import (
	"context"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// get asks a Monitor's handler and returns what it answers well.
func get(t *testing.T, m *monitor.Monitor, target string) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, target, nil))
	require.Equal(t, http.StatusOK, answer.Code)
	return answer.Body.String()
}

// shownTable is a table of a page: its rows as they are read, each cell under its column's name.
type shownTable struct {
	names []string // of the rows, by their first cells
	rows  []map[string]string
}

func (s shownTable) row(t *testing.T, name string) map[string]string {
	t.Helper()
	for i, n := range s.names {
		if n == name {
			return s.rows[i]
		}
	}
	require.Failf(t, "no such row", "%q among %q", name, s.names)
	return nil
}

var (
	tablePattern = regexp.MustCompile(`(?s)<table>(.*?)</table>`)
	rowPattern   = regexp.MustCompile(`(?s)<tr[ >].*?</tr>`)
	cellPattern  = regexp.MustCompile(`(?s)<t[hd][ >].*?</t[hd]>`)
	tagPattern   = regexp.MustCompile(`(?s)<[^>]*>`)
)

// text is what a person reads of HTML.
func text(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tagPattern.ReplaceAllString(markup, " "))), " ")
}

// tablesOf are the tables of a part of a page.
func tablesOf(markup string) []shownTable {
	var tables []shownTable
	for _, table := range tablePattern.FindAllString(markup, -1) {
		var s shownTable
		var columns []string
		for i, row := range rowPattern.FindAllString(table, -1) {
			cells := cellPattern.FindAllString(row, -1)
			for j := range cells {
				cells[j] = text(cells[j])
			}
			if i == 0 {
				columns = cells
				continue
			}
			named := map[string]string{}
			for j, cell := range cells[1:] {
				named[columns[j+1]] = cell
			}
			s.names, s.rows = append(s.names, cells[0]), append(s.rows, named)
		}
		tables = append(tables, s)
	}
	return tables
}

// section is the part of a page under a heading.
func section(t *testing.T, page, id string) string {
	t.Helper()
	_, after, found := strings.Cut(page, `<section aria-labelledby="`+id+`">`)
	require.True(t, found, "no section %s", id)
	part, _, _ := strings.Cut(after, "</section>")
	return part
}

// oneLine is a duration as package tpot writes it in its one line.
func oneLine(d time.Duration) string {
	rec := tpot.Start(context.Background())
	rec.ObserveAt(0, tpot.Event{Kind: tpot.KindText})
	_, written, _ := strings.Cut(rec.EndAt(d, nil).String(), "E2E ")
	return written
}

func written(d time.Duration, ok bool) string {
	if !ok {
		return "–"
	}
	return oneLine(d)
}

// threeDigits is a number rounded to three digits, or to a whole number.
func threeDigits(f float64, ok bool) string {
	if !ok {
		return "–"
	}
	for decimals := 2; decimals > 0; decimals-- {
		if s := strconv.FormatFloat(f, 'f', decimals, 64); len(s) <= 4 {
			return s
		}
	}
	return fmt.Sprint(math.RoundToEven(f))
}

// share is a share of which only none is 0 % and only all is 100 %.
func share(f float64, ok bool) string {
	switch {
	case !ok:
		return "–"
	case f == 0:
		return "0%"
	case f == 1:
		return "100%"
	}
	return threeDigits(100*f, true) + "%"
}

func shareOf(part, whole int) string { return share(float64(part)/float64(whole), whole > 0) }

// distributionRow is a distribution as a row of the page.
func distributionRow(h *tpot.Histogram) map[string]string {
	return map[string]string{
		"Count": fmt.Sprint(h.Count()), "Mean": written(h.Mean()), "CV": threeDigits(h.CV()), "p50": written(h.Quantile(0.5)),
		"p90": written(h.Quantile(0.9)), "p95": written(h.Quantile(0.95)), "p99": written(h.Quantile(0.99)), "Max": written(h.Max()),
	}
}

func keyRow(r *monitor.Row) map[string]string {
	return map[string]string{
		"In flight": fmt.Sprint(r.InFlight), "Requests": fmt.Sprint(r.Requests),
		"Per min": threeDigits(r.RequestsPerMinute()), "Tokens/s": threeDigits(r.TokensPerSecond()),
		"TTFT p50": written(r.TTFT.Quantile(0.5)), "TTFT p95": written(r.TTFT.Quantile(0.95)),
		"TPOT p50": written(r.TPOT.Quantile(0.5)), "TPOT p95": written(r.TPOT.Quantile(0.95)),
		"ITL p50": written(r.ITL.Quantile(0.5)), "ITL p99": written(r.ITL.Quantile(0.99)),
		"With a stall": share(r.StallRate()), "Longest": written(r.Stalls.Longest, r.Stalls.Count > 0),
		"Failure rate": share(r.FailureRate()), "Goodput": share(r.Goodput()), "Concurrency": threeDigits(r.Concurrency()),
	}
}

// busy runs a random workload in a bubble and then looks at it while some of it is still in flight.
func busy(t *testing.T, seed uint64, look func(t *testing.T, m *monitor.Monitor)) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 16))
		m := monitor.New(monitor.Config{Window: window})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}, Scenarios: map[string]tpot.SLO{
			"chat": {TTFT: 40 * time.Millisecond, TPOT: 25 * time.Millisecond, Stall: 300 * time.Millisecond, E2E: time.Second},
		}}
		var running sync.WaitGroup
		for range 200 {
			s := randomRequest(r, 5*time.Second)
			running.Go(func() { s.run(t.Context(), tracker) })
		}
		time.Sleep(4*time.Second + 77*time.Millisecond)
		synctest.Wait()
		look(t, m)
		running.Wait()
	})
}

func TestThePageShowsTheFiguresOfSnapshot(t *testing.T) {
	for seed := range uint64(4) {
		busy(t, seed, func(t *testing.T, m *monitor.Monitor) {
			rows, page := m.Snapshot(), get(t, m, "/")
			shown, details := tablesOf(section(t, page, "keys"))[0], tablesOf(section(t, page, "details"))
			const perKey = 7
			require.Len(t, details, perKey*len(rows))
			require.Len(t, shown.rows, len(rows)+1, "one more for all together")
			var total monitor.Row
			for i := range rows {
				r := &rows[i]
				assert.Equal(t, r.Model+" "+r.Provider+" "+r.Scenario, shown.names[i])
				assert.Equal(t, keyRow(r), shown.rows[i])
				compareDetails(t, r, details[perKey*i:perKey*(i+1)])
				addTo(&total, r)
			}
			all, want := shown.row(t, "all"), keyRow(&total)
			want["Concurrency"] = threeDigits(meanConcurrency(rows), true)
			assert.Equal(t, want, all)
			require.Positive(t, total.InFlight, "nothing was in flight")
		})
	}
}

// addTo adds what is shown of a row to one of all rows.
func addTo(total, r *monitor.Row) {
	total.Span = r.Span
	total.InFlight += r.InFlight
	total.Requests += r.Requests
	total.Tokens += r.Tokens
	total.Streamed += r.Streamed
	total.Stalled += r.Stalled
	total.Stalls.Count += r.Stalls.Count
	total.Stalls.Longest = max(total.Stalls.Longest, r.Stalls.Longest)
	total.Good += r.Good
	total.Missed += r.Missed
	for o, n := range r.Outcomes {
		total.Outcomes[o] += n
	}
	total.TTFT.Merge(&r.TTFT)
	total.TPOT.Merge(&r.TPOT)
	total.ITL.Merge(&r.ITL)
}

// meanConcurrency is the mean over the requests of all rows.
func meanConcurrency(rows []monitor.Row) float64 {
	sum, requests := 0., 0
	for i := range rows {
		mean, _ := rows[i].Concurrency()
		sum += mean * float64(rows[i].Requests)
		requests += rows[i].Requests
	}
	return sum / float64(requests)
}

var itlNames = map[string]string{"tokens": "ITL, by token", "chunks": "ITL, by chunk", "mixed": "ITL, by token or chunk"}

func compareDetails(t *testing.T, r *monitor.Row, shown []shownTable) {
	distributions := shown[0]
	for name, h := range map[string]*tpot.Histogram{
		"TTFT": &r.TTFT, "TTFO": &r.TTFO, "TPOT, by request": &r.TPOT, "TPOT, by token": &r.TPOTByToken,
		itlNames[r.ITLBasis()]: &r.ITL, "ITL, by request": &r.ITLByRequest, "Chunk gaps": &r.Gaps, "E2E": &r.E2E,
	} {
		assert.Equal(t, distributionRow(h), distributions.row(t, name), name)
	}
	for o := tpot.OutcomeOK; o <= tpot.OutcomeFailed; o++ {
		want := map[string]string{"Requests": fmt.Sprint(r.Outcomes[o]), "Share": share(r.OutcomeShare(o))}
		assert.Equal(t, want, shown[1].row(t, o.String()))
	}
	compareLimits(t, r, shown[2])
	for source, name := range map[tpot.TokenSource]string{
		tpot.SourceReported: "reported", tpot.SourceCounted: "counted", tpot.SourceChunks: "chunks (a guess)", tpot.SourceUnknown: "unknown",
	} {
		want := map[string]string{"Requests": fmt.Sprint(r.Sources[source]), "Share": share(r.SourceShare(source))}
		assert.Equal(t, want, shown[3].row(t, name))
	}
	assert.Equal(t, share(r.WaitShare()), shown[4].row(t, "wait")["Share"])
	assert.Equal(t, share(r.HoldShare()), shown[4].row(t, "hold")["Share"])
	for name, d := range map[string]time.Duration{"setup": r.Setup, "wait": r.Wait, "hold": r.Hold} {
		assert.Equal(t, written(d, r.Requests > 0), shown[4].row(t, name)["Sum"])
	}
	for name, want := range map[string]string{
		"requests with a stall": fmt.Sprint(r.Stalled), "share": share(r.StallRate()), "stalls": fmt.Sprint(r.Stalls.Count),
		"time in stalls": written(r.Stalls.Total, r.Stalls.Count > 0), "longest": written(r.Stalls.Longest, r.Stalls.Count > 0),
	} {
		assert.Equal(t, map[string]string{"Value": want}, shown[5].row(t, name), name)
	}
	compareLoads(t, r, shown[6])
}

func compareLimits(t *testing.T, r *monitor.Row, shown shownTable) {
	met := shown.row(t, "met all their limits")
	assert.Equal(t, map[string]string{
		"Count": fmt.Sprint(r.Good), "Share": share(r.Goodput()), "Per min": threeDigits(r.GoodPerMinute()),
	}, met)
	for name, n := range map[string]int{
		"missed any": r.Missed, "missed TTFT": r.Misses.TTFT, "missed TTFO": r.Misses.TTFO, "missed TPOT": r.Misses.TPOT,
		"missed ITL p99": r.Misses.ITL99, "missed stall": r.Misses.Stall, "missed E2E": r.Misses.E2E, "did not end well": r.Misses.End,
	} {
		want := map[string]string{"Count": fmt.Sprint(n), "Share": shareOf(n, r.Good+r.Missed), "Per min": "–"}
		assert.Equal(t, want, shown.row(t, name), name)
	}
}

func compareLoads(t *testing.T, r *monitor.Row, shown shownTable) {
	loads := r.Loads()
	require.Len(t, shown.rows, len(loads)+1)
	for i, l := range loads {
		name := fmt.Sprint(l.From)
		if l.To > l.From {
			name = fmt.Sprintf("%d to %d", l.From, l.To)
		}
		assert.Equal(t, name, shown.names[i])
		assert.Equal(t, map[string]string{
			"Requests": fmt.Sprint(l.Requests), "Mean TTFT": written(l.MeanTTFT()), "Mean TPOT": written(l.MeanTPOT()),
		}, shown.rows[i])
	}
	assert.Equal(t, "mean "+threeDigits(r.Concurrency()), shown.names[len(loads)])
}

func TestThePageSaysWhatTheITLIsOf(t *testing.T) {
	for basis, tokens := range map[string][]int{"tokens": {1, 2}, "chunks": {0, 0}, "mixed": {2, 0}} {
		synctest.Test(t, func(t *testing.T) {
			m := monitor.New(monitor.Config{})
			_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
			for _, n := range tokens {
				rec.Observe(tpot.Event{Kind: tpot.KindText, Tokens: n})
			}
			rec.End(nil)
			distributions := tablesOf(section(t, get(t, m, "/"), "details"))[0]
			assert.NotEqual(t, "0", distributions.row(t, itlNames[basis])["Count"])
		})
	}
}

func TestThePageSaysWhatItIsAbout(t *testing.T) {
	busy(t, 9, func(t *testing.T, m *monitor.Monitor) {
		page := text(get(t, m, "/"))
		assert.Contains(t, page, "the convention tokentiming")
		assert.Contains(t, page, "taken "+time.Now().Format("2006-01-02 15:04:05 MST")+" , over the last 4.08s (window 12.0s)")
		assert.Contains(t, page, "Without JavaScript this page does not update itself: reload it.")
	})
}

func TestAPageOfNothingHasNoFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := get(t, monitor.New(monitor.Config{}), "/")
		assert.Empty(t, tablesOf(page))
		assert.Equal(t, "none", text(strings.Split(section(t, page, "streams"), "</h2>")[1]))
		tiles := regexp.MustCompile(`<dt>(.*?)</dt><dd>(.*?)</dd>`).FindAllStringSubmatch(page, -1)
		require.Len(t, tiles, 10)
		for _, tile := range tiles[2:] {
			assert.Equal(t, "–", tile[2], tile[1])
		}
	})
}

func TestThePartIsThePagesMain(t *testing.T) {
	busy(t, 3, func(t *testing.T, m *monitor.Monitor) {
		page := get(t, m, "/")
		from, to := strings.Index(page, "<main"), strings.Index(page, "</main>")
		main := page[from : to+len("</main>")]
		ids := regexp.MustCompile(`<details id="(.*?)"`).FindAllStringSubmatch(main, -1)
		require.Len(t, ids, 4)
		assert.Equal(t, main, get(t, m, "/?part="+ids[0][1]+"+"+ids[1][1]+"+"+ids[2][1]+"+"+ids[3][1]))

		closed := get(t, m, "/?part=")
		assert.Equal(t, 1+2, strings.Count(closed, "<table>"), "no details: streams, keys, recent requests")
		assert.NotContains(t, closed, `class="plot"`)
		one := get(t, m, "/?part="+ids[1][1])
		assert.Equal(t, 1+2+7, strings.Count(one, "<table>"))
		assert.Equal(t, detailsOf(main, ids[1][1]), detailsOf(one, ids[1][1]))
		assert.Contains(t, detailsOf(one, ids[1][1]), "TPOT, by token")
		assert.NotContains(t, detailsOf(one, ids[2][1]), "TPOT, by token")
	})
}

func detailsOf(page, id string) string {
	_, after, _ := strings.Cut(page, `<details id="`+id+`"`)
	details, _, _ := strings.Cut(after, "</details>")
	return details
}

func TestDetailsAreOpenAtFirstWhereKeysAreFew(t *testing.T) {
	for keys, open := range map[int]int{1: 1, 3: 3, 4: 0} {
		synctest.Test(t, func(t *testing.T) {
			m := monitor.New(monitor.Config{})
			tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
			for i := range keys {
				_, rec := tracker.Start(t.Context(), tpot.Request{Model: fmt.Sprint(i)})
				rec.End(nil)
			}
			page := get(t, m, "/")
			assert.Equal(t, open, strings.Count(page, " open><summary>"))
			assert.Equal(t, keys, strings.Count(page, "<summary>"))
			assert.Equal(t, min(keys-1, 1), strings.Count(page, "<tfoot>"), "a line for all of several keys")
		})
	}
}
