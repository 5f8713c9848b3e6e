package convention_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

func fig(millis float64) convention.Figure { return convention.Figure{Value: ms(millis)} }

func why(reason string) convention.Figure { return convention.Figure{Undefined: reason} }

func requireJSON(t *testing.T, want string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	require.JSONEq(t, want, string(data))
}

// Each figure is another, so that each has its own name.
func TestFiguresByTheirNames(t *testing.T) {
	f := convention.Figures{
		Convention: "mine", TTFT: fig(1), TTFO: fig(2), TTST: fig(3), TPOT: fig(4), ITL: fig(5), NTPOT: fig(6), E2E: fig(7),
		Gaps: []time.Duration{ms(8)}, N: 0, Source: convention.SourceUsage, Excluded: "it is not counted",
	}
	assert.Equal(t, "mine: TTFT 1.00 ms, TTFO 2.00 ms, TTST 3.00 ms, TPOT 4.00 ms, ITL 5.00 ms, NTPOT 6.00 ms, E2E 7.00 ms, N 0 by usage", f.String())
	requireJSON(t, `{"convention": "mine", "excluded": "it is not counted", "n": 0, "n_source": "usage", "ttft_ms": 1, "ttfo_ms": 2, "ttst_ms": 3,
		"tpot_ms": 4, "itl_ms": 5, "ntpot_ms": 6, "e2e_ms": 7, "gaps_ms": [8]}`, f)
	requireJSON(t, `{"convention": "mine", "undefined": {"ttft": "a", "ttfo": "b", "ttst": "c", "tpot": "d", "itl": "e", "ntpot": "f", "e2e": "g"}}`,
		convention.Figures{
			Convention: "mine", TTFT: why("a"), TTFO: why("b"), TTST: why("c"), TPOT: why("d"), ITL: why("e"), NTPOT: why("f"), E2E: why("g"),
		})
	row := convention.Comparison{Rows: []convention.Row{{Convention: convention.Convention{Name: "mïne"}, Figures: []convention.Figures{f}}}}
	assert.Equal(t, "ms    TTFT  TPOT   ITL   E2E  N\nmïne  1.00  4.00  5.00  7.00  0\n", row.String(), "as wide as it looks")
	row.Rows[0].Notes = []string{"one", "two"}
	assert.Contains(t, row.String(), "\nmïne  one\n      two\n")
	data, err := json.Marshal(row)
	require.NoError(t, err)
	assert.NotContains(t, string(data), `"version"`)
	assert.NotContains(t, string(data), `"date"`)
}

func TestStatisticsByTheirNames(t *testing.T) {
	of := func(millis float64) convention.Statistics {
		f := fig(millis)
		return convention.Statistics{Mean: f, Std: f, Min: f, Median: f, P90: f, P95: f, P99: f, Max: f, Count: 2}
	}
	s := convention.Summary{
		Convention: "mine", TTFT: of(1), TTFO: of(2), TPOT: of(3), ITL: of(4), NTPOT: of(5), E2E: of(6), Gaps: of(7),
		Good: 3, Counted: 4, Duration: 2 * time.Second,
	}
	lines := []string{"mine: 4 requests in 2s, 3 good, 1.50/s", "ms     mean   std   min   p50   p90   p95   p99   max  count"}
	for i, name := range []string{"TTFT ", "TTFO ", "TPOT ", "ITL  ", "NTPOT", "E2E  ", "gaps "} {
		lines = append(lines, name+strings.Repeat("  "+string(rune('1'+i))+".00", 8)+"      2")
	}
	assert.Equal(t, strings.Join(lines, "\n")+"\n", s.String())

	var parts []string
	for i, name := range []string{"ttft", "ttfo", "tpot", "itl", "ntpot", "e2e", "gaps"} {
		n := string(rune('1' + i))
		parts = append(parts, `"`+name+`": {"count": 2, "mean_ms": `+n+`, "std_ms": `+n+`, "min_ms": `+n+`, "median_ms": `+n+`, "p90_ms": `+n+`,
			"p95_ms": `+n+`, "p99_ms": `+n+`, "max_ms": `+n+`}`)
	}
	requireJSON(t, `{"convention": "mine", "counted": 4, "duration_ms": 2000, "good": 3, "goodput_per_second": 1.5, `+strings.Join(parts, ",")+`}`, s)
}

func TestWhatIsNotReportedIsNotInTheStatistics(t *testing.T) {
	const unreported = "the tool reports no figure under this name"
	s := convention.LlamaCPP.Summarize(nil, tpot.SLO{})
	for name, of := range map[string]convention.Statistics{"TTFT": s.TTFT, "TTFO": s.TTFO, "ITL": s.ITL, "NTPOT": s.NTPOT,
		"E2E": s.E2E, "gaps": s.Gaps} {
		assert.Equal(t, unreported, of.Mean.Undefined, name)
	}
	requireJSON(t, `{"convention": "llamacpp", "counted": 0, "duration_ms": 0, "good_undefined": "there are no limits",
		"tpot": {"count": 0, "undefined": {
		"mean": "the convention is a formula for one request", "std": "the convention is a formula for one request"}}}`, s)
}

// Each request is told of once, however many conventions there are.
func TestRequestsLeftOutAreCountedOnce(t *testing.T) {
	failed := tracesOf(t, "t9-error-mid-stream")[0]
	text := convention.Compare([]tpot.Trace{failed, failed, stream(event(100, ch|tpot.KindText, 1))}, convention.AIPerf, convention.Etalon).String()
	assert.Equal(t, 1, strings.Count(text, "In no statistics"))
	assert.Contains(t, text, "In no statistics, since the request did not end well: 2 of 3.\n")
}

func TestEachStatisticByItsName(t *testing.T) {
	requireJSON(t, `{"count": 9, "mean_ms": 1, "std_ms": 2, "min_ms": 3, "median_ms": 4, "p90_ms": 5, "p95_ms": 6, "p99_ms": 7, "max_ms": 8}`,
		convention.Statistics{Mean: fig(1), Std: fig(2), Min: fig(3), Median: fig(4), P90: fig(5), P95: fig(6), P99: fig(7), Max: fig(8), Count: 9})
}
