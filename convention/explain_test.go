package convention_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// usageAt is an event of usage alone.
func usageAt(millis float64, output, reasoning int) tpot.TraceEvent {
	e := event(millis, tpot.KindUsage, 0)
	e.Event.Usage = tpot.Usage{Output: output, Reasoning: reasoning}
	return e
}

func inChoice(e tpot.TraceEvent, choice int) tpot.TraceEvent {
	e.Event.Choice = choice
	return e
}

// answer is a complete answer whose body is closed 10 ms after its last event.
func answer(events ...tpot.TraceEvent) tpot.Trace {
	last := events[len(events)-1].At
	return tpot.Trace{Start: epoch, Events: events, End: last, Closed: last + 10*time.Millisecond, Outcome: tpot.OutcomeOK}
}

const (
	text      = tpot.KindText | tpot.KindChoices
	reasoning = tpot.KindReasoning | tpot.KindChoices
	role      = tpot.KindRole | tpot.KindChoices
	finish    = tpot.KindFinish | tpot.KindChoices
	tool      = tpot.KindToolCall
)

// Each difference is one that can be read off the events: what they are, and when they come.
func TestWhatMakesFiguresDiffer(t *testing.T) {
	withLeast, ofChoices := convention.Etalon, convention.Convention{Chunks: convention.Events{{With: text}}}
	withLeast.MinTokens = 3
	for _, c := range []struct {
		name  string
		of    convention.Convention
		trace tpot.Trace
		want  []string
	}{
		{"nothing", convention.Engine, answer(event(100, text, 1), event(140, text, 1)), nil},
		{"the first", convention.VLLMBench, answer(event(50, role, 0), event(100, text, 1), event(140, text, 1)), []string{
			"counts the role-only event as first",
		}},
		{"a name before its tool call", convention.LlamaCPP, answer(event(50, tpot.KindToolMeta, 1), event(100, tool, 1), event(140, tool, 1)), []string{
			"counts the name of the tool call as first", "takes the tokens of the channels it sees for N", "divides by N, not by N-1",
		}},
		{"a first of a channel that is seen", ofChoices, answer(event(100, tpot.KindText, 1), event(140, text, 1)), []string{
			"does not count the text as first", "gives no N, since the number of tokens is not known",
		}},
		{"the last", convention.VLLMBench, answer(event(100, text, 1), event(140, text, 1), event(150, finish, 0)), []string{
			"ends the time per token with the finish reason", "counts the gaps before events without output, too",
		}},
		{"a channel", convention.InferencePerfServer, answer(
			event(50, reasoning, 1), event(100, text, 1), event(140, text, 1), usageAt(140, 3, 1),
		), []string{
			"does not see the reasoning", "ends E2E when the body is closed",
		}},
		{"all channels", convention.GenAIPerf, answer(event(50, tool, 1), event(100, tool, 1)), []string{"sees nothing of this response"}},
		{"two channels", convention.SGLangBench, answer(
			event(50, text, 1), event(60, tpot.KindRefusal, 1), event(70, tpot.KindMedia, 1), event(80, text, 1),
			usageAt(80, 4, 0)), []string{"does not see the refusal and the media"}},
		{"several choices", convention.Engine, answer(
			event(100, text, 1), inChoice(event(110, text, 1), 1), event(140, text, 1), inChoice(event(150, text, 1), 1)),
			[]string{"takes all choices for one stream"}},
		{"one token", convention.Etalon, answer(event(100, text, 1)), []string{"gives 0 per token for a single one"}},
		{"one chunk", convention.Engine, answer(event(100, text, 3)), []string{"gives a time per token for a single chunk"}},
		{"tokens in one chunk", convention.SGLangBench, answer(event(100, text, 1), event(140, text, 2), usageAt(140, 3, 0)), []string{
			"takes a chunk for one gap, however many tokens it has",
		}},
		{"tokens in the first chunk", convention.SGLangBench, answer(event(100, text, 3), event(140, text, 1), usageAt(140, 4, 0)), nil},
		{"no output", convention.GuideLLM, answer(event(50, role, 0), event(60, tpot.KindDone, 0)), nil},
		{"an end in the midst", convention.Etalon, answer(event(100, text, 1), event(140, text, 1), usageAt(150, 2, 0), event(160, text, 1),
			usageAt(160, 3, 0)), []string{
			"reads nothing after the usage event", "ends the time per token with the last text", "takes the tokens of the channels it sees for N",
			"ends E2E with the last text",
		}},
		{"reasoning that is not streamed", convention.Engine, answer(event(100, text, 1), event(140, text, 1), usageAt(140, 5, 3)), []string{
			"takes all that usage says for N",
		}},
		{"a summary of the reasoning", convention.Engine, answer(event(50, reasoning|tpot.KindSummary, 1), event(100, text, 1), event(140, text, 1),
			usageAt(140, 5, 3)), []string{
			"begins the time per token with the reasoning", "takes all that usage says for N",
		}},
		{"no token counts", convention.Etalon, answer(event(100, text, 0), event(140, text, 0), usageAt(140, 2, 0)), []string{
			"gives no TPOT, ITL and N, since the token counts of chunks are not known",
		}},
		{"too few tokens", withLeast, answer(event(100, text, 1), event(140, text, 1)), []string{
			"gives no TTFT, TPOT and ITL, since there are too few tokens",
		}},
		{"ITL that is no mean of gaps", convention.GuideLLM, answer(event(100, text, 0), event(140, text, 0), usageAt(140, 5, 0)), []string{
			"calls the time per token after the first ITL", "has the wait for the first token in its time per token", "divides by N, not by N-1",
			"ends E2E when the body is closed",
		}},
		{"an event before tokens that are not known", convention.VLLMBench, answer(event(50, tpot.KindStatus, 0), event(100, tpot.KindText, 0),
			event(140, tpot.KindText, 0)), []string{"sees nothing of this response"}},
		{"a refusal", convention.InferencePerf, answer(event(100, tpot.KindRefusal, 1), event(140, tpot.KindRefusal, 1)), []string{
			"sees nothing of this response", "ends E2E when the body is closed",
		}},
		{"usage of nothing", convention.SGLangBench, tpot.Trace{
			Request: tpot.Request{MaxTokens: 64}, Events: []tpot.TraceEvent{usageAt(50, 0, 0), event(100, text, 1), event(140, text, 1)},
			Outcome: tpot.OutcomeFailed,
		}, []string{"takes all that usage says for N", "gives no TPOT, since there are too few tokens"}},
		{"an end that did not come", convention.HFBenchmarker, tpot.Trace{
			Events: []tpot.TraceEvent{event(100, text, 1), event(140, text, 1)}, Outcome: tpot.OutcomeTruncated,
		}, []string{"calls its time per token ITL", "gives no E2E, since nothing came that is an end to the tool"}},
		{"what loses it", convention.LLMPerf, answer(event(100, text, 1), event(120, tpot.KindPing, 0), event(140, text, 1)), []string{
			"a keep-alive breaks the tool's parser and the request is lost",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, c.of.Explain(c.trace, convention.Tokentiming))
		})
	}
}

func TestADifferenceIsFromTheBaseThatIsGiven(t *testing.T) {
	bundled := answer(event(50, role, 0), event(100, text, 1), event(140, text, 3), event(150, finish, 0), usageAt(160, 4, 0))
	assert.Equal(t, []string{
		"does not count the role-only event as first", "ends the time per token with the last text", "spreads a gap over the tokens of its chunk",
		"ends E2E when the response is complete",
	}, convention.Tokentiming.Explain(bundled, convention.VLLMBench))
	two := answer(event(100, text, 1), event(140, text, 1))
	assert.Equal(t, []string{"divides by N-1, not by N"}, convention.MLPerf.Explain(two, convention.LlamaCPP)[:1])
	midst := answer(event(100, text, 1), usageAt(150, 2, 0), event(160, text, 1))
	assert.Empty(t, convention.Etalon.Explain(midst, convention.Etalon), "it reads nothing after the usage either")
	summaryLast := answer(event(100, text, 1), event(140, text, 1), event(150, reasoning|tpot.KindSummary, 1), usageAt(150, 5, 3))
	assert.Contains(t, convention.Tokentiming.Explain(summaryLast, convention.Engine), "ends the time per token with the last visible output")
	summaryFirst := answer(event(50, reasoning|tpot.KindSummary, 1), event(100, text, 1), event(140, text, 1), usageAt(150, 5, 3))
	assert.Contains(t, convention.Tokentiming.Explain(summaryFirst, convention.Engine), "begins the time per token with the visible output")
	choices := answer(event(100, text, 1), inChoice(event(110, text, 1), 1), event(140, text, 1), inChoice(event(150, text, 1), 1))
	assert.Contains(t, convention.Tokentiming.Explain(choices, convention.Engine), "takes each choice for a stream of its own")
}

// What is not told does not differ.
func TestFiguresDifferOnlyWithAnExplanation(t *testing.T) {
	for seed := range uint64(500) {
		trace := anyTrace(rand.New(rand.NewPCG(seed, 2)))
		ours := convention.Tokentiming.Figures(trace)
		for _, c := range convention.All() {
			require.Empty(t, c.Explain(trace, c), "%s is no other than itself, seed %d", c.Name, seed)
			if c.Explain(trace, convention.Tokentiming) != nil {
				continue
			}
			f := c.Figures(trace)
			perToken := f.TPOT
			if c.TPOT.Of == convention.WindowNone {
				perToken = f.ITL
			}
			for name, pair := range map[string][2]convention.Figure{
				"TTFT": {f.TTFT, ours.TTFT}, "TPOT": {perToken, ours.TPOT}, "ITL": {f.ITL, ours.ITL}, "E2E": {f.E2E, ours.E2E},
			} {
				if pair[0].Undefined == "" {
					require.Empty(t, pair[1].Undefined, "%s of %s, seed %d", name, c.Name, seed)
					require.InDelta(t, pair[1].Value, pair[0].Value, 1, "%s of %s, seed %d", name, c.Name, seed)
				}
			}
			if f.Source != "" && f.TTFT.Undefined == "" {
				require.Equal(t, ours.N, f.N, "N of %s, seed %d", c.Name, seed)
			}
		}
	}
}
