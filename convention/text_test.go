package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// The figures are those of the fixtures.
func TestFiguresAndSummariesAsText(t *testing.T) {
	one := tracesOf(t, "t1-reasoning-then-text")[0]
	assert.Equal(t, "vllm-bench: TTFT 100.00 ms, TPOT 52.86 ms, ITL 46.25 ms, E2E 470.00 ms, N 8 by lone usage",
		convention.VLLMBench.Figures(one).String())
	assert.Equal(t, "llmperf: N is not known", convention.LLMPerf.Figures(one).String())
	assert.Equal(t, "undefined: the tool reports no figure under this name", convention.AIPerf.Figures(one).TPOT.String())

	run := tracesOf(t, "t10-run-of-five")
	assert.Equal(t, `vllm-bench: 5 requests in 1.21s, 2 good, 1.65/s
ms     mean    p50     p90     p99    std  count
TTFT  80.00  80.00   96.00   99.60  14.14      5
TPOT  97.05  95.85  141.35  151.38  40.78      4
ITL   66.59  41.00  122.80  320.80  72.82     29
`, convention.VLLMBench.Summarize(run, tpot.SLO{TTFT: 350 * time.Millisecond, TPOT: 45 * time.Millisecond, E2E: 600 * time.Millisecond}).String())
	assert.Equal(t, `engine: 5 requests in 1.21s
ms    mean  p50  p90  p99  std  count
TTFT     -    -    -    -    -      0
TPOT     -    -    -    -    -      0
`, convention.Engine.Summarize(run, tpot.SLO{}).String())
}
