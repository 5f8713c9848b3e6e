package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// Its one time per token is not the mean of the gaps, which stand below.
func TestTheGapsOfASummaryAsText(t *testing.T) {
	text := convention.AIPerf.Summarize(tracesOf(t, "t10-run-of-five"), tpot.SLO{Stall: 1}).String()
	assert.Contains(t, text, "aiperf: 5 requests in 1.171s, no goodput: the tool has no limit on Stall\n")
	assert.Regexp(t, `\nITL +51\.6\d +28\.92 .* 4\n`, text)
	assert.Regexp(t, `\ngaps +48\.53 .* 19\n$`, text)
}

// The figures are those of the fixtures.
func TestFiguresAndSummariesAsText(t *testing.T) {
	one := tracesOf(t, "t1-reasoning-then-text")[0]
	assert.Equal(t, "vllm-bench: TTFT 100.00 ms, TPOT 52.86 ms, ITL 46.25 ms, E2E 470.00 ms, N 8 by lone usage",
		convention.VLLMBench.Figures(one).String())
	assert.Equal(t, "llmperf: N is not known", convention.LLMPerf.Figures(one).String())
	assert.Equal(t, "undefined: the tool reports no figure under this name", convention.AIPerf.Figures(one).TPOT.String())

	run := tracesOf(t, "t10-run-of-five")
	assert.Equal(t, `vllm-bench: 5 requests in 1.21s, 2 good, 1.65/s
ms      mean     std     min     p50     p90     p95     p99     max  count
TTFT   80.00   14.14   60.00   80.00   96.00   98.00   99.60  100.00      5
TPOT   97.05   40.78   44.00   95.85  141.35  146.93  151.38  152.50      4
ITL    66.59   72.82    4.00   41.00  122.80  200.00  320.80  360.00     29
E2E   466.20  225.61  256.00  405.00  714.40  807.20  881.44  900.00      5
`, convention.VLLMBench.Summarize(run, tpot.SLO{TTFT: 350 * time.Millisecond, TPOT: 45 * time.Millisecond, E2E: 600 * time.Millisecond}).String())
	assert.Equal(t, `engine: 5 requests in 1.21s
ms    mean  std  min  p50  p90  p95  p99  max  count
TTFT     -    -    -    -    -    -    -    -      0
TPOT     -    -    -    -    -    -    -    -      0
E2E      -    -    -    -    -    -    -    -      0
`, convention.Engine.Summarize(run, tpot.SLO{}).String())
}
