package convention_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// The statistics of gaps are exact here, quantiles too, which the histogram of tpot gives within 2 %.
func TestGapStatisticsAreTheSmoothnessFixtures(t *testing.T) {
	data, err := os.ReadFile("testdata/smoothness.json")
	require.NoError(t, err)
	var file struct {
		Vectors []struct {
			Name   string
			First  float64   `json:"first_ms"`
			Gaps   []float64 `json:"gaps_ms"`
			Expect struct {
				Gaps struct {
					Count      int
					Mean       *float64 `json:"mean_ms"`
					Population *float64 `json:"std_population_ms"`
					Sample     *float64 `json:"std_sample_ms"`
					Max        *float64 `json:"max_ms"`
					P50        *float64 `json:"p50_ms"`
					P95        *float64 `json:"p95_ms"`
					P99        *float64 `json:"p99_ms"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Vectors, 8)
	sampled := convention.Tokentiming
	sampled.Run.Std = convention.StdSample
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			at := v.First
			events := []tpot.TraceEvent{{At: ms(at), Event: tpot.Event{Kind: tpot.KindText, Tokens: 1}}}
			for _, gap := range v.Gaps {
				at += gap
				events = append(events, tpot.TraceEvent{At: ms(at), Event: tpot.Event{Kind: tpot.KindText, Tokens: 1}})
			}
			run := []tpot.Trace{{Start: epoch, Events: events, End: ms(at), Outcome: tpot.OutcomeOK}}
			got, want := convention.Tokentiming.Summarize(run, tpot.SLO{}).Gaps, v.Expect.Gaps
			assert.Equal(t, want.Count, got.Count)
			checkFigure(t, want.Mean, got.Mean, "mean")
			checkFigure(t, want.Population, got.Std, "standard deviation")
			checkFigure(t, want.Sample, sampled.Summarize(run, tpot.SLO{}).Gaps.Std, "that of a sample")
			checkFigure(t, want.Max, got.Max, "max")
			checkFigure(t, want.P50, got.Median, "p50")
			checkFigure(t, want.P95, got.P95, "p95")
			checkFigure(t, want.P99, got.P99, "p99")
		})
	}
}
