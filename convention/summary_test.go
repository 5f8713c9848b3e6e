package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// LoadGen takes the value at floor(np): of two the larger, which is a TTFT of 200 ms and 20 ms a token.
func TestP99Within(t *testing.T) {
	run := []tpot.Trace{
		stream(event(100, tpot.KindText, 1), event(110, tpot.KindText, 1)), stream(event(200, tpot.KindText, 1), event(220, tpot.KindText, 1)),
	}
	s := convention.MLPerf.Summarize(run, tpot.SLO{})
	for _, c := range []struct {
		ttft, tpot float64
		within     bool
	}{{0, 0, true}, {200, 20, true}, {200, 0, true}, {0, 20, true}, {199, 20, false}, {200, 19, false}, {0, 19, false}} {
		assert.Equal(t, c.within, s.P99Within(tpot.SLO{TTFT: ms(c.ttft), TPOT: ms(c.tpot), E2E: 1}), c)
	}
	none := convention.MLPerf.Summarize(run[:0], tpot.SLO{})
	assert.False(t, none.P99Within(tpot.SLO{TTFT: time.Hour}), "it is not defined")
	assert.True(t, none.P99Within(tpot.SLO{}))
}

func TestARequestThatGoesOnIsNotCounted(t *testing.T) {
	open := stream(event(100, ch|tpot.KindText, 1))
	open.Outcome = tpot.OutcomeOpen
	assert.Equal(t, "the request did not end well", convention.VLLMBench.Figures(open).Excluded)
}

func TestTheDurationOfARun(t *testing.T) {
	one, lost := stream(event(100, ch|tpot.KindText, 1)), stream(event(900, ch|tpot.KindRole, 0))
	one.Closed = ms(300)
	assert.Equal(t, ms(300), convention.VLLMBench.Summarize([]tpot.Trace{one}, tpot.SLO{}).Duration, "until the body was closed")
	lost.Start = one.Start.Add(-time.Hour)
	c := convention.AIPerf
	c.NeedsChunk = false // the other counts, but has no end that the duration could be up to
	assert.Equal(t, ms(100), c.Summarize([]tpot.Trace{one, lost}, tpot.SLO{}).Duration)
	lost.Start = time.Time{}
	for _, run := range [][]tpot.Trace{{one, lost}, {lost, one}} {
		assert.Zero(t, convention.VLLMBench.Summarize(run, tpot.SLO{}).Duration)
	}
}
