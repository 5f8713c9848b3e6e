package convention_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// expectedRun is the statistics of a run under one convention.
type expectedRun struct {
	TTFT, TPOT, ITL, NTPOT, ICL *expectedStatistics
	Goodput                     []struct {
		Good      *int
		Of        int
		PerSecond float64  `json:"req_per_s"`
		Duration  *float64 `json:"duration_ms"`
		Within    *bool    `json:"p99_within_limits"`
	}
}

type expectedStatistics struct {
	Mean, Median, P90, P99, Std *float64
	Count                       int
}

func TestSummariesAreTheFixtures(t *testing.T) {
	runs := 0
	eachFixture(t, func(t *testing.T, f fixture, c convention.Convention, expect json.RawMessage) {
		if len(f.Requests) == 1 {
			return
		}
		runs++
		var of struct{ Run expectedRun }
		require.NoError(t, json.Unmarshal(expect, &of))
		var traces []tpot.Trace
		for _, r := range f.Requests {
			traces = append(traces, r.trace(t, 0))
		}
		of.Run.check(t, c.Summarize(traces, tpot.SLO{}))
		require.Len(t, f.SLOs, len(of.Run.Goodput))
		for i, want := range of.Run.Goodput {
			slo := tpot.SLO{TTFT: ms(f.SLOs[i].TTFT), TPOT: ms(f.SLOs[i].TPOT), E2E: ms(f.SLOs[i].E2E)}
			got := c.Summarize(traces, slo)
			perSecond, ok := got.Goodput()
			assert.Equal(t, want.Good != nil, ok, i)
			if want.Good != nil {
				assert.Equal(t, *want.Good, got.Good, i)
				assert.Equal(t, want.Of, got.Counted)
				assert.InDelta(t, want.PerSecond, perSecond, 1e-6*want.PerSecond)
			} else {
				assert.NotEmpty(t, got.GoodUndefined)
				assert.Zero(t, got.Good)
			}
			if want.Duration != nil {
				checkTime(t, *want.Duration, got.Duration, "duration")
			}
			if want.Within != nil {
				assert.Equal(t, *want.Within, got.P99Within(slo))
			}
		}
	})
	assert.Equal(t, 2*17, runs)
}

func (want expectedRun) check(t *testing.T, got convention.Summary) {
	want.TTFT.check(t, got.TTFT, "TTFT")
	want.TPOT.check(t, got.TPOT, "TPOT")
	want.ITL.check(t, got.ITL, "ITL")
	want.NTPOT.check(t, got.NTPOT, "NTPOT")
	if want.ICL != nil { // the tool's quantiles of these are those of a sketch
		checkTime(t, *want.ICL.Mean, got.Gaps.Mean.Value, "ICL")
		assert.Equal(t, want.ICL.Count, got.Gaps.Count)
	}
}

func (want *expectedStatistics) check(t *testing.T, got convention.Statistics, what string) {
	if want == nil {
		want = &expectedStatistics{}
	}
	assert.Equal(t, want.Count, got.Count, what)
	checkFigure(t, want.Mean, got.Mean, what+": mean")
	checkFigure(t, want.Median, got.Median, what+": median")
	checkFigure(t, want.P90, got.P90, what+": p90")
	checkFigure(t, want.P99, got.P99, what+": p99")
	checkFigure(t, want.Std, got.Std, what+fmt.Sprintf(": std of %d", want.Count))
}
