package convention_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// tracesOf is the requests of a fixture.
func tracesOf(t *testing.T, name string) (traces []tpot.Trace) {
	data, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	var f fixture
	require.NoError(t, json.Unmarshal(data, &f))
	for _, r := range f.Requests {
		traces = append(traces, r.trace(t, 0))
	}
	return traces
}

// The figures are those of the fixtures; the sentences follow from its events.
func TestOneRequestAsText(t *testing.T) {
	c := convention.Compare(tracesOf(t, "t1-reasoning-then-text"), convention.Tokentiming, convention.VLLMBench, convention.AIPerf,
		convention.GenAIPerf, convention.GuideLLM, convention.InferencePerfServer, convention.LLMPerf, convention.Engine)
	assert.Equal(t, strings.TrimLeft(`
ms                       TTFT   TPOT    ITL     E2E  N
tokentiming            200.00  37.14  37.14  500.00  8
vllm-bench             100.00  52.86  46.25  470.00  8
aiperf                 200.00      -  37.14  460.00  8
genai-perf             300.00      -  32.00  460.00  6
guidellm               200.00  57.50  37.14  490.00  8
inference-perf-server  300.00  22.86  32.00  500.00  8
llmperf                     -      -      -       -  -
engine                 200.00  37.14      -  460.00  8

What differs from tokentiming:
vllm-bench             counts the role-only event as first
                       ends the time per token with the finish reason
                       counts the gaps before events without output, too
                       takes a chunk for one gap, however many tokens it has
                       ends E2E with the finish reason
aiperf                 calls its time per token ITL
                       ends E2E with the last text
genai-perf             calls its time per token ITL
                       does not see the reasoning
                       takes the tokens of the channels it sees for N
                       ends E2E with the last text
guidellm               has the wait for the first token in its time per token
                       divides by N, not by N-1
                       ends E2E with the end marker
inference-perf-server  does not see the reasoning
                       takes the further tokens of a chunk for gaps of 0
llmperf                an event without choices makes the tool lose the request
engine                 ends E2E with the last text
`, "\n"), c.String())
}

func TestSeveralRequestsAsText(t *testing.T) {
	c := convention.Compare(tracesOf(t, "t10-run-of-five"), convention.Tokentiming, convention.OTelServer, convention.GuideLLM, convention.Etalon)
	assert.Equal(t, strings.TrimLeft(`
ms           requests  TTFT p50  TTFT p99  TPOT mean  TPOT p99  ITL mean  ITL p99
tokentiming         5    250.00    415.60      51.62     98.72     43.90   106.80
otel-server         5         -         -          -         -         -        -
guidellm            5    250.00    420.00      84.52    250.00     41.91   100.50
etalon              5    250.00    310.00      41.30     41.00     41.91    90.00

What differs from tokentiming:
otel-server  ends the time per token when the body is closed, in some requests
             is a formula for one request, without statistics
guidellm     calls the time per token after the first ITL, in some requests
             has the wait for the first token in its time per token
             divides by N, not by N-1
             gives a time per token for a single chunk, in some requests
             ends E2E with the end marker
             counts a time per token as often as it has tokens
             does not interpolate quantiles
etalon       gives 0 per token for a single one, in some requests
             ends E2E with the last text
             takes the further tokens of a chunk for gaps of 0, in some requests
             does not interpolate quantiles
`, "\n"), c.String())
}

func TestMarkdown(t *testing.T) {
	mine := convention.Engine
	mine.Name = "mine|yours"
	c := convention.Compare(tracesOf(t, "t1-reasoning-then-text"), convention.Tokentiming, convention.LlamaCPP, convention.AIPerf, mine)
	assert.Equal(t, strings.TrimLeft(`
| ms | TTFT | TPOT | ITL | E2E | N | what differs from tokentiming |
|---|---:|---:|---:|---:|---:|---|
| tokentiming | 200.00 | 37.14 | 37.14 | 500.00 | 8 |  |
| llamacpp | - | 32.50 | - | - | 8 | divides by N, not by N-1 |
| aiperf | 200.00 | - | 37.14 | 460.00 | 8 | calls its time per token ITL; ends E2E with the last text |
| mine\|yours | 200.00 | 37.14 | - | 460.00 | 8 | ends E2E with the last text |
`, "\n"), c.Markdown())
	c = convention.Compare(tracesOf(t, "t10-run-of-five"), convention.Tokentiming)
	assert.Equal(t, strings.TrimLeft(`
| ms | requests | TTFT p50 | TTFT p99 | TPOT mean | TPOT p99 | ITL mean | ITL p99 | what differs from tokentiming |
|---|---:|---:|---:|---:|---:|---:|---:|---|
| tokentiming | 5 | 250.00 | 415.60 | 51.62 | 98.72 | 43.90 | 106.80 |  |
`, "\n"), c.Markdown())
}

func TestAllConventionsAreCompared(t *testing.T) {
	c := convention.Compare(tracesOf(t, "t1-reasoning-then-text"))
	require.Len(t, c.Rows, len(convention.All()))
	for i, row := range c.Rows {
		assert.Equal(t, convention.All()[i].Name, row.Convention.Name)
	}
	for line := range strings.SplitSeq(c.String(), "\n") {
		assert.LessOrEqual(t, len(line), 120)
	}
}

// Who forgets to set how many events are kept gets a table of nothing, and is told why.
func TestATableSaysWhatIsMissing(t *testing.T) {
	whole, failed := tracesOf(t, "t2-first-chunk-bundles-three")[0], tracesOf(t, "t9-error-mid-stream")[0]
	empty := tpot.Trace{Outcome: tpot.OutcomeOK, End: ms(100), Dropped: 33}
	assert.Equal(t, strings.TrimLeft(`
ms           requests  TTFT p50  TTFT p99  TPOT mean  TPOT p99  ITL mean  ITL p99
tokentiming         1    300.00    300.00      20.00     20.00     40.00    40.00

In no statistics, since the trace was cut: 1 of 3.

In no statistics, since the request did not end well: 1 of 3.
`, "\n"), convention.Compare([]tpot.Trace{whole, failed, empty}, convention.Tokentiming).String())
	none := convention.Compare([]tpot.Trace{empty}, convention.AIPerf)
	assert.Contains(t, none.Markdown(), "|\n\nIn no statistics, since the trace was cut: 1 of 1.\n")
	assert.Contains(t, none.String(), "In no statistics, since the trace was cut: 1 of 1.")
}

func TestATableOfNothing(t *testing.T) {
	heading := "ms  requests  TTFT p50  TTFT p99  TPOT mean  TPOT p99  ITL mean  ITL p99\n"
	assert.Equal(t, heading, convention.Comparison{}.String())
	none := convention.Compare(nil, convention.Tokentiming)
	assert.Equal(t, strings.TrimLeft(`
ms           requests  TTFT p50  TTFT p99  TPOT mean  TPOT p99  ITL mean  ITL p99
tokentiming         0         -         -          -         -         -        -
`, "\n"), none.String())
	uneven := convention.Comparison{Rows: []convention.Row{{Figures: make([]convention.Figures, 1)}, {}}}
	assert.NotPanics(t, func() { _ = uneven.String() + uneven.Markdown() })
}

func TestComparisonAsJSON(t *testing.T) {
	data, err := json.Marshal(convention.Compare(tracesOf(t, "t2-first-chunk-bundles-three"), convention.GenAIPerf))
	require.NoError(t, err)
	statistics := func(count, each string) string { // of values that are all the same
		var text strings.Builder
		text.WriteString(`{"count": ` + count + `, "std_ms": 0`)
		for _, name := range []string{"mean", "min", "median", "p90", "p95", "p99", "max"} {
			text.WriteString(`, "` + name + `_ms": ` + each)
		}
		return text.String() + "}"
	}
	assert.JSONEq(t, `[{
		"convention": "genai-perf", "tool": "GenAI-Perf", "version": "263c5f6e", "date": "2025-12-15",
		"notes": ["calls its time per token ITL", "ends E2E with the last text"],
		"figures": [{
			"convention": "genai-perf", "n": 5, "n_source": "tokens", "ttft_ms": 300, "ttst_ms": 40, "itl_ms": 20, "e2e_ms": 380, "gaps_ms": [40, 40]
		}],
		"summary": {
			"convention": "genai-perf", "counted": 1, "duration_ms": 380, "good_undefined": "there are no limits",
			"ttft": `+statistics("1", "300")+`, "itl": `+statistics("1", "20")+`, "e2e": `+statistics("1", "380")+`, "gaps": `+statistics("2", "40")+`
		}
	}]`, string(data))
}

func TestWhatIsUndefinedAsJSON(t *testing.T) {
	for name, of := range map[string]struct {
		c    convention.Convention
		want string
	}{
		"no tokens known": {convention.InferencePerf, `{
			"count": 0, "undefined": {"mean": "no request has this figure", "std": "no request has this figure"}
		}`},
		"no deviation": {convention.TRTLLMBench, `{
			"count": 1, "mean_ms": 5, "min_ms": 5, "median_ms": 5, "p90_ms": 5, "p95_ms": 5, "p99_ms": 5, "max_ms": 5,
			"undefined": {"std": "the tool prints none"}
		}`},
	} {
		trace := stream(event(10, tpot.KindText, 0), event(20, tpot.KindText, 0))
		trace.Events = append(trace.Events, tpot.TraceEvent{At: ms(25), Event: tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 3}}})
		data, err := json.Marshal(of.c.Summarize([]tpot.Trace{trace}, tpot.SLO{}).TPOT)
		require.NoError(t, err)
		assert.JSONEq(t, of.want, string(data), name)
	}
}
