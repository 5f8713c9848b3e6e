package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// cadence is a stream of n chunks of one token, each one gap after the other, and of what ends it, each a while after that before: the finish
// reason, the usage, the end marker and the close of the body.
type cadence struct {
	n                              int
	first, gap                     time.Duration
	finish, usage, marker, closing time.Duration
}

// trace leaves out the events without choices where there is to be no usage, for the tools that do not survive them.
func (c cadence) trace(usage bool) tpot.Trace {
	trace := tpot.Trace{Start: epoch, Outcome: tpot.OutcomeOK}
	at := c.first
	add := func(after time.Duration, e tpot.Event) {
		at += after
		trace.Events = append(trace.Events, tpot.TraceEvent{At: at, Event: e})
	}
	for i := range c.n {
		add(min(c.gap, c.gap*time.Duration(i)), tpot.Event{Kind: tpot.KindText | tpot.KindChoices, Tokens: 1})
	}
	if c.finish > 0 {
		add(c.finish, tpot.Event{Kind: tpot.KindFinish | tpot.KindChoices})
	}
	if usage {
		add(c.usage, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Output: c.n}})
	}
	add(c.marker, tpot.Event{Kind: tpot.KindDone})
	trace.End = at + c.closing
	return trace
}

// afterFirst is whether it is over the tokens after the first, which its window then has to hold.
func afterFirst(p convention.PerToken) bool {
	return p.Of == convention.WindowGaps ||
		(p.Of == convention.WindowFirstToLast || p.Of == convention.WindowFirstToEnd) &&
			(p.Over == convention.OverAfterFirst || p.Over == convention.OverAfterFirstChunk)
}

// notAfterFirst are the conventions with a time per token that is over something else.
var notAfterFirst = map[string]func(convention.Convention) convention.PerToken{
	"guidellm":              func(c convention.Convention) convention.PerToken { return c.TPOT },
	"inference-perf":        func(c convention.Convention) convention.PerToken { return c.NTPOT },
	"inference-perf-server": func(c convention.Convention) convention.PerToken { return c.NTPOT },
	"llmperf":               func(c convention.Convention) convention.PerToken { return c.ITL },
	"llamacpp":              func(c convention.Convention) convention.PerToken { return c.TPOT },
}

// diesOfUsage are the tools that an event without choices ends, or that lose the request.
var diesOfUsage = map[string]bool{"llmperf": true, "hf-benchmarker": true}

// Where nothing comes after the last chunk, all that divide by N-1 divide the same time.
func TestAConstantCadenceIsTheTimePerToken(t *testing.T) {
	for _, steady := range []cadence{
		{n: 2, first: 100 * time.Millisecond, gap: 20 * time.Millisecond},
		{n: 17, first: 1, gap: 33_333_333},
		{n: 1000, first: time.Minute, gap: 1},
		{n: 64, first: time.Second, gap: 0},
	} {
		eachConvention(t, func(t *testing.T, c convention.Convention) {
			f := c.Figures(steady.trace(!diesOfUsage[c.Name]))
			others := 0
			for _, p := range []struct {
				rule   convention.PerToken
				figure convention.Figure
			}{{c.TPOT, f.TPOT}, {c.ITL, f.ITL}, {c.NTPOT, f.NTPOT}} {
				switch {
				case p.rule.Of == convention.WindowNone:
					assert.NotEmpty(t, p.figure.Undefined)
				case afterFirst(p.rule):
					assert.Equal(t, convention.Figure{Value: steady.gap}, p.figure)
				default:
					others++
					require.Contains(t, notAfterFirst, c.Name)
					assert.Equal(t, notAfterFirst[c.Name](c), p.rule)
					assert.Empty(t, p.figure.Undefined)
					if steady.gap > time.Millisecond { // lest it is rounded to the same
						assert.NotEqual(t, steady.gap, p.figure.Value)
					}
				}
			}
			_, listed := notAfterFirst[c.Name]
			assert.Equal(t, listed, others == 1)
		})
	}
}

// Where the finish reason, the usage, the end marker and the close come later, some tools take the one or the other for the end.
func TestWhatEndsTheTimePerToken(t *testing.T) {
	steady := cadence{n: 11, first: ms(100), gap: ms(20), finish: ms(10), usage: ms(5), marker: ms(3), closing: ms(2)}
	later := map[string]time.Duration{
		"vllm-bench": ms(10), "trtllm-serve": ms(15), "sglang-bench": ms(18), "sglang-bench-spec": ms(18), "otel-server": ms(20),
	}
	gaps := map[string]time.Duration{"vllm-bench": ms(210) / 11, "trtllm-serve": ms(210) / 11} // 10 of 20 ms and that before the finish reason
	eachConvention(t, func(t *testing.T, c convention.Convention) {
		f := c.Figures(steady.trace(!diesOfUsage[c.Name]))
		for _, p := range []struct {
			rule   convention.PerToken
			figure convention.Figure
		}{{c.TPOT, f.TPOT}, {c.ITL, f.ITL}} {
			switch {
			case p.rule.Of == convention.WindowNone || !afterFirst(p.rule):
			case p.rule.Of == convention.WindowGaps:
				want, ok := gaps[c.Name]
				if !ok {
					want = steady.gap
				}
				assert.InDelta(t, want, p.figure.Value, 1)
			default:
				assert.Equal(t, (10*ms(20)+later[c.Name])/10, p.figure.Value)
			}
		}
	})
}
