package tpot_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// circular is an error that wraps itself; forked wraps itself twice.
type (
	circular struct{}
	forked   struct{}
)

func (circular) Error() string   { return "circular" }
func (c circular) Unwrap() error { return c }
func (forked) Error() string     { return "forked" }
func (f forked) Unwrap() []error { return []error{f, f} }

func TestAnErrorThatNeverEndsIsJustAnError(t *testing.T) {
	for _, err := range []error{circular{}, forked{}, errors.Join(errBoom, circular{})} {
		s := tpot.Start(t.Context()).EndAt(1, err)
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Equal(t, err, s.Err)
	}
}

// hostileContext panics when it is asked.
type hostileContext struct{ context.Context }

func (hostileContext) Err() error { panic("Err") }

func TestAContextThatPanicsCostsNoOutcome(t *testing.T) {
	for err, want := range map[error]tpot.Outcome{nil: tpot.OutcomeOK, tpot.EarlyClose: tpot.OutcomeCanceled} {
		s := tpot.Start(hostileContext{t.Context()}).EndAt(1, err)
		assert.Equal(t, want, s.Outcome)
		assert.Equal(t, 1, s.Faults)
	}
}

func TestEveryChoiceMustFinish(t *testing.T) {
	choice := func(ms, index int, k tpot.Kind) at { return at{ms, tpot.Event{Kind: k | marked, Choice: index}} }
	one := []at{choice(1, 0, text), choice(2, 1, text), choice(3, 0, finish)}
	assert.Equal(t, tpot.OutcomeTruncated, record(t, one...).Outcome)
	assert.Equal(t, tpot.OutcomeOK, record(t, append(one, choice(4, 1, finish))...).Outcome)
	assert.Equal(t, tpot.OutcomeOK, record(t, append(one, kind(4, tpot.KindDone))...).Outcome)
	assert.Equal(t, tpot.OutcomeOK, record(t, choice(1, 0, text), choice(2, 0, text|finish)).Outcome)
}

func TestAStallIsOfTheWholeStream(t *testing.T) {
	choice := func(ms, index int) at { return at{ms, tpot.Event{Kind: text, Choice: index}} }
	t.Run("one freeze of two choices is one", func(t *testing.T) {
		s := record(t, choice(0, 0), choice(0, 1), choice(600, 0), choice(600, 1))
		assert.Equal(t, tpot.Stalls{Count: 1, Total: millis(600), Longest: millis(600)}, s.Stalls)
	})
	t.Run("while another choice streams there is none", func(t *testing.T) {
		events := []at{choice(0, 0)}
		for ms := 20; ms < 1000; ms += 20 {
			events = append(events, choice(ms, 1))
		}
		s := record(t, append(events, choice(1000, 0))...)
		assert.Zero(t, s.Stalls)
		has(t, 1000, s.Gaps().Max, "gap of the choice")
	})
}

func TestTokensPerChunkIsOfTheSameChannels(t *testing.T) {
	var events []at
	for i := range 10 {
		events = append(events, kind(i, reasoning|tpot.KindSummary), kind(i, text))
	}
	perChunk, ok := record(t, append(events, usage(20, tpot.Usage{Output: 120, Reasoning: 100}))...).TokensPerChunk()
	assert.True(t, ok)
	assert.InDelta(t, 2.0, perChunk, 1e-9)
}

func TestAFinishReasonIsKeptWhateverItsKind(t *testing.T) {
	assert.Equal(t, "stop", record(t, at{1, tpot.Event{Kind: text, FinishReason: "stop"}}).FinishReason)
}

func TestAFaultAfterTheEndIsNone(t *testing.T) {
	r := tpot.Start(t.Context())
	r.End(nil)
	r.Fault()
	assert.Zero(t, r.Stats().Faults)
}

func TestALateErrorOfACompleteResponseIsTold(t *testing.T) {
	r := tpot.Start(t.Context())
	feed(r, kind(1, text|finish))
	r.ObserveErrorAt(2*time.Millisecond, errBoom)
	s := r.EndAt(3*time.Millisecond, nil)
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Same(t, errBoom, s.Err)
}
