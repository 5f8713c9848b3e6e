package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// A figure that no limit can be held against leaves the count undefined, although another limit is not kept.
func TestALimitThatIsNotKeptDoesNotHideOneThatCannotBe(t *testing.T) {
	late := stream(event(900, ch|tpot.KindText, 1), event(950, ch|tpot.KindText, 0), event(960, ch|tpot.KindFinish, 0))
	for name, of := range map[string]struct {
		c   convention.Convention
		slo tpot.SLO
		why string
	}{
		"no such figure":   {convention.VLLMBench, tpot.SLO{TTFT: ms(500), ITL99: ms(10)}, "the tool has no limit on ITL99"},
		"tokens not known": {convention.VLLMBench, tpot.SLO{TTFT: ms(500), TPOT: ms(10)}, "the number of tokens is not known"},
	} {
		s := of.c.Summarize([]tpot.Trace{late}, of.slo)
		assert.Equal(t, of.why, s.GoodUndefined, name)
		assert.Zero(t, s.Good)
		_, ok := s.Goodput()
		assert.False(t, ok)
	}
	one := stream(event(900, ch|tpot.KindText, 1), event(960, ch|tpot.KindFinish, 0))
	s := convention.GenAIPerf.Summarize([]tpot.Trace{one}, tpot.SLO{TTFT: ms(500), TPOT: ms(10)})
	assert.Equal(t, "the tool pairs lists of figures by position, and a request lacks one", s.GoodUndefined)
}

// Traces from elsewhere may not say when they were.
func TestARunOfUnknownStartsHasNoDuration(t *testing.T) {
	one := stream(event(100, ch|tpot.KindText, 1), event(200, tpot.KindDone, 0))
	another := one
	another.Start = time.Time{}
	for _, c := range []convention.Convention{convention.VLLMBench, convention.AIPerf} {
		s := c.Summarize([]tpot.Trace{one, another}, tpot.SLO{TTFT: ms(500)})
		assert.Equal(t, 2, s.Good)
		assert.Zero(t, s.Duration)
		_, ok := s.Goodput()
		assert.False(t, ok)
		assert.Zero(t, c.Summarize([]tpot.Trace{another, another}, tpot.SLO{}).Duration, "nor where none is known")
		assert.NotZero(t, c.Summarize([]tpot.Trace{another}, tpot.SLO{}).Duration, "of one there is no doubt")
		later := another
		later.Start = another.Start.Add(ms(50))
		want := c.Summarize([]tpot.Trace{another}, tpot.SLO{}).Duration + ms(50)
		assert.Equal(t, want, c.Summarize([]tpot.Trace{another, later}, tpot.SLO{}).Duration, "a clock may begin at zero")
	}
}

func TestTokensAreThoseOfFirstUnlessSaid(t *testing.T) {
	mine := convention.Convention{Chunks: convention.Text, N: []convention.Source{convention.SourceTokens}}
	f := mine.Figures(stream(event(100, tpot.KindReasoning, 9), event(100, tpot.KindText, 2), event(200, tpot.KindText, 3)))
	assert.Equal(t, 5, f.N)
	f = mine.Figures(stream(event(100, tpot.KindText, 2), event(200, tpot.KindText, 0)))
	assert.Empty(t, f.Source)
}

func TestGoodOfOurOwnIsSLOMet(t *testing.T) {
	of := func(first float64) tpot.Trace {
		return stream(event(first, tpot.KindText, 1), event(first+10, tpot.KindText, 1), event(first+20, tpot.KindDone, 0))
	}
	run := []tpot.Trace{of(100), of(200), of(201), of(900)}
	run[0].SLO = tpot.SLO{TTFT: 1} // a limit of the trace's own is another matter
	s := convention.Tokentiming.Summarize(run, tpot.SLO{TTFT: ms(200), TPOT: ms(10)})
	assert.Equal(t, 2, s.Good)
	assert.Empty(t, s.GoodUndefined)
	assert.Equal(t, tpot.SLO{TTFT: 1}, run[0].SLO)
	perSecond, ok := s.Goodput()
	assert.True(t, ok)
	assert.InDelta(t, 2/0.925, perSecond, 1e-9) // until the last body was closed
	assert.Zero(t, convention.Tokentiming.Summarize(run, tpot.SLO{ITL99: ms(9)}).Good)
	assert.Equal(t, 4, convention.Tokentiming.Summarize(run, tpot.SLO{ITL99: ms(11)}).Good)
}

func TestWhyThereIsNoCountOfGoodRequests(t *testing.T) {
	unknown := stream(event(100, ch|tpot.KindText, 0), event(150, ch|tpot.KindText, 0), usageAt(160, 2, 0))
	s := convention.VLLMBench.Summarize([]tpot.Trace{unknown}, tpot.SLO{TTFO: 1, Stall: 1})
	assert.Equal(t, "the tool has no limit on TTFO", s.GoodUndefined, "of several reasons always the same")
	spread := convention.VLLMBench
	spread.TPOT, spread.Gaps = convention.PerToken{Of: convention.WindowGaps}, convention.GapSpread
	s = spread.Summarize([]tpot.Trace{unknown}, tpot.SLO{TPOT: time.Second})
	assert.Equal(t, "the token counts of chunks are not known", s.GoodUndefined)
}
