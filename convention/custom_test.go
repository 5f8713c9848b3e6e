package convention_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// Rules that no tool has together. The expected values follow from what the fields say.
func TestConventionsOfOnesOwn(t *testing.T) {
	two := stream(event(100, ch|tpot.KindText, 1), event(200, ch|tpot.KindText, 1))
	failed := two
	failed.Outcome = tpot.OutcomeFailed

	none := convention.Convention{Chunks: convention.Text, End: convention.End{NeedsOK: true, NeedsChunk: true}}
	assert.Equal(t, "the tool reports no figure under this name", none.Figures(failed).E2E.Undefined, "it ends nowhere")

	allowed := convention.SGLangBench
	allowed.N = []convention.Source{convention.SourceMaxTokens}
	spent := stream(event(100, ch|tpot.KindText, 0), usageAt(110, 5, 0), event(120, tpot.KindDone, 0))
	spent.Request.MaxTokens = 64
	f := allowed.Figures(spent)
	assert.Equal(t, 64, f.N, "usage does not say that there were none")
	assert.Equal(t, convention.SourceMaxTokens, f.Source)
	spent.Request.MaxTokens = math.MaxInt32
	assert.Empty(t, allowed.Figures(spent).Source, "no request allows that")

	zero := convention.SGLangBench
	zero.TPOT.Zero = true
	nothing := stream(event(100, ch|tpot.KindText, 0), event(105, ch|tpot.KindText, 0), usageAt(110, 0, 0), event(120, tpot.KindDone, 0))
	assert.Equal(t, "there are too few tokens", zero.Figures(nothing).TPOT.Undefined, "no token is not one")
}

func TestWeightsOfOnesOwn(t *testing.T) {
	one, four := stream(event(100, ch|tpot.KindText, 1)), stream(event(100, ch|tpot.KindText, 1), event(190, ch|tpot.KindText, 3))
	c := convention.Etalon
	c.Run.Weighted = true
	s := c.Summarize([]tpot.Trace{one, four}, tpot.SLO{}).TPOT
	assert.Equal(t, 4, s.Count, "a token that takes 0, and three that take 30 ms")
	assert.Equal(t, ms(22.5), s.Mean.Value)
	c.TPOT.Floor = true
	assert.Equal(t, s, c.Summarize([]tpot.Trace{one, four}, tpot.SLO{}).TPOT)
}

func TestTheRestOfANanosecondIsDroppedOrRounded(t *testing.T) {
	trace := tpot.Trace{Outcome: tpot.OutcomeOK}
	for i := range 4 { // 5 ns over 3
		trace.Events = append(trace.Events, tpot.TraceEvent{At: time.Duration(5 * i / 3), Event: tpot.Event{Kind: ch | tpot.KindText, Tokens: 1}})
	}
	assert.Equal(t, convention.Figure{Value: 1}, convention.MLPerf.Figures(trace).TPOT)
	assert.Equal(t, convention.Figure{Value: 1}, convention.HFBenchmarker.Figures(trace).ITL)
	assert.Equal(t, convention.Figure{Value: 2}, convention.Engine.Figures(trace).TPOT)
}

func TestALostRequestHasNoFigure(t *testing.T) {
	c := convention.Tokentiming
	c.NTPOT = convention.PerToken{Of: convention.WindowStartToEnd, Over: convention.OverAll}
	c.Breaks = []convention.Break{{At: convention.KeepAlives, Why: "a ping"}}
	trace := stream(event(100, ch|tpot.KindText, 1), event(150, tpot.KindPing, 0), event(200, ch|tpot.KindText, 1), event(210, tpot.KindDone, 0))
	f := c.Figures(trace)
	for name, figure := range named(f) {
		assert.Equal(t, convention.Figure{Undefined: "a ping"}, figure, name)
	}
	assert.Zero(t, f.N)
	assert.Empty(t, f.Source)
	assert.Nil(t, f.Gaps)
	assert.Equal(t, "a ping", f.Excluded)
}

func TestWhatIsNotReportedIsNotCut(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindRole, 0))
	trace.Dropped = 1
	assert.Equal(t, "the tool reports no figure under this name", convention.VLLMBench.Figures(trace).TTFO.Undefined)
	assert.Equal(t, "the tool reports no figure under this name", convention.LlamaCPP.Figures(trace).TTFT.Undefined)
}

// Two of the three tokens came first, with usage: the last one took all the time.
func TestTokensAfterTheFirstChunkCanBeOne(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText|tpot.KindUsage, 2), event(150, ch|tpot.KindText, 1), usageAt(160, 3, 0), event(170, tpot.KindDone, 0))
	trace.Events[0].Event.Usage = tpot.Usage{Output: 2}
	assert.Equal(t, convention.Figure{Value: ms(50)}, convention.AIPerfFirstChunk.Figures(trace).ITL)
	assert.Equal(t, convention.Figure{Value: ms(25)}, convention.AIPerf.Figures(trace).ITL)
}

// The server's time per token goes to an end that a failed request has not.
func TestNoTimePerTokenToAnEndThatThereIsNot(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 1), event(150, ch|tpot.KindText, 1))
	trace.Outcome = tpot.OutcomeFailed
	assert.Equal(t, "the stream was not read to its end", convention.OTelServer.Figures(trace).TPOT.Undefined)
}
