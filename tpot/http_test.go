package tpot_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// The tests here are of what a reader of an HTTP response has to tell a Recorder.

func TestAWaitMayEndWithoutAnEvent(t *testing.T) {
	tracker := &tpot.Tracker{TraceEvents: 10}
	_, r := tracker.Start(t.Context(), tpot.Request{})
	r.BeginWaitAt(100 * time.Millisecond)
	r.EndWaitAt(300 * time.Millisecond) // a part of an event
	_, waiting := r.Waiting()
	assert.False(t, waiting)
	r.BeginWaitAt(1000 * time.Millisecond)
	r.ObserveAt(1050*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(1060 * time.Millisecond)
	r.EndWaitAt(1500 * time.Millisecond)
	r.BeginWaitAt(1600 * time.Millisecond)
	r.ObserveAt(1800*time.Millisecond, tpot.Event{Kind: tpot.KindText})
	s := r.EndAt(1800*time.Millisecond, nil)

	assert.Equal(t, 100*time.Millisecond, s.Setup, "to the first wait, not to the second")
	assert.Equal(t, (200+50+440+200)*time.Millisecond, s.Wait)
	assert.Equal(t, (700+10+100)*time.Millisecond, s.Hold)
	assert.Equal(t, tpot.Stalls{Count: 1, Total: 640 * time.Millisecond, Longest: 640 * time.Millisecond}, s.Stalls, "a gap's waits add up")
	events := r.Trace().Events
	assert.Equal(t, 250*time.Millisecond, events[0].Wait)
	assert.Equal(t, 640*time.Millisecond, events[1].Wait)
}

func TestEndWaitWithoutAWaitDoesNothing(t *testing.T) {
	r := tpot.Start(t.Context())
	r.EndWaitAt(time.Second)
	s := r.EndAt(2*time.Second, nil)
	assert.Equal(t, 2*time.Second, s.Wait)
	assert.Zero(t, s.Hold)
}

func TestAddHoldMovesWait(t *testing.T) {
	r := tpot.Start(t.Context())
	r.BeginWaitAt(0)
	r.ObserveAt(time.Second, tpot.Event{Kind: tpot.KindText})
	r.BeginWaitAt(time.Second)
	r.ObserveAt(2*time.Second, tpot.Event{Kind: tpot.KindText})
	r.AddHold(1500 * time.Millisecond)
	r.AddHold(-time.Hour)
	s := r.Stats()
	assert.Equal(t, 500*time.Millisecond, s.Wait)
	assert.Equal(t, 1500*time.Millisecond, s.Hold)
	assert.Equal(t, 1, s.Stalls.Count, "the producer was as slow as it was")
	r.AddHold(time.Hour)
	s = r.EndAt(2*time.Second, nil)
	assert.Zero(t, s.Wait, "no more than there is")
	assert.Equal(t, 2*time.Second, s.Hold)
}

func TestTheStatusOfTheLastAttempt(t *testing.T) {
	failure := errors.New("boom")
	marked := tpot.Event{Kind: tpot.KindText | tpot.KindMarked}
	done := tpot.Event{Kind: tpot.KindDone}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		statuses []int
		events   []tpot.Event
		end      error
		want     [3]string // outcome, cause, error type
	}{
		"refused":                           {nil, []int{429}, nil, nil, [3]string{"failed", "status", "429"}},
		"refused, as an error":              {nil, []int{429, 503}, nil, failure, [3]string{"failed", "status", "503"}},
		"refused, and closed":               {nil, []int{500}, nil, tpot.EarlyClose, [3]string{"failed", "status", "500"}},
		"refused, and then answered":        {nil, []int{429, 200}, nil, nil, [3]string{"ok", "", ""}},
		"refused after a whole answer":      {nil, []int{200, 400}, []tpot.Event{done}, nil, [3]string{"ok", "", ""}},
		"refused, and canceled meanwhile":   {canceled, []int{429}, nil, failure, [3]string{"canceled", "context", ""}},
		"refused, then out of time":         {nil, []int{429}, nil, context.DeadlineExceeded, [3]string{"timeout", "context", "timeout"}},
		"answered, but with an error":       {nil, []int{200}, nil, failure, [3]string{"failed", "error from stream", "*errors.errorString"}},
		"answered, and cut":                 {nil, []int{200}, []tpot.Event{marked}, nil, [3]string{"truncated", "no end marker", "truncated"}},
		"redirected":                        {nil, []int{307}, nil, nil, [3]string{"ok", "", ""}},
		"no answer":                         {nil, []int{0}, nil, failure, [3]string{"failed", "error from stream", "*errors.errorString"}},
		"no answer, and the end":            {nil, []int{0}, nil, io.EOF, [3]string{"failed", "error from stream", "*errors.errorString"}},
		"no answer, and a cut":              {nil, []int{200, 0}, nil, io.ErrUnexpectedEOF, [3]string{"failed", "error from stream", "*errors.errorString"}},
		"incomplete without a marked event": {nil, []int{200}, nil, tpot.Incomplete, [3]string{"truncated", "no end marker", "truncated"}},
		"incomplete, but the context ended": {canceled, nil, nil, tpot.Incomplete, [3]string{"canceled", "context", ""}},
		"incomplete after the end marker":   {nil, nil, []tpot.Event{done}, tpot.Incomplete, [3]string{"ok", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := c.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			r := tpot.Start(ctx)
			for _, status := range c.statuses {
				r.Attempt(tpot.Attempt{Status: status})
			}
			for _, e := range c.events {
				r.Observe(e)
			}
			s := r.End(c.end)
			assert.Equal(t, c.want, [3]string{s.Outcome.String(), s.Cause, s.ErrorType})
			if _, stop := c.end.(tpot.Stop); stop {
				assert.NoError(t, s.Err)
			}
		})
	}
}

func TestAnIncompleteStreamMayGoOn(t *testing.T) {
	r := tpot.Start(t.Context())
	r.ObserveErrorAt(time.Second, tpot.Incomplete)
	pending := r.Stats()
	assert.Equal(t, tpot.OutcomeOpen, pending.Outcome)
	s := r.EndAt(time.Minute, nil)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
	assert.NoError(t, s.Err, "the stream gave no error")
	e2e, _ := s.E2E()
	assert.Equal(t, time.Second, e2e)

	r = tpot.Start(t.Context())
	r.ObserveErrorAt(time.Second, tpot.Incomplete)
	r.ObserveAt(2*time.Second, tpot.Event{Kind: tpot.KindDone})
	assert.Equal(t, tpot.OutcomeOK, r.End(nil).Outcome)
}

func TestFactsOfAResponse(t *testing.T) {
	r := tpot.Start(t.Context())
	r.FirstByteAt(time.Second) // of no attempt
	r.Attempt(tpot.Attempt{Headers: 1, Status: 429})
	r.FirstByteAt(2)
	r.Attempt(tpot.Attempt{Headers: 3, Status: 200})
	r.FirstByteAt(4)
	r.FirstByteAt(5)
	r.ReportWire("openai")
	r.Unread()
	r.ObserveAt(7, tpot.Event{Kind: tpot.KindPing})
	r.ObserveAt(9, tpot.Event{Kind: tpot.KindText})
	before := r.Stats()
	assert.False(t, r.Ended())
	s := r.End(nil)
	assert.True(t, r.Ended())
	r.ReportWire("anthropic")
	r.Unread()
	r.FirstByteAt(6)
	assert.Equal(t, s, r.Stats())

	for _, s := range []tpot.Stats{before, s} {
		assert.Equal(t, []time.Duration{2, 4}, []time.Duration{s.Attempts[0].FirstByte, s.Attempts[1].FirstByte})
		assert.Equal(t, "openai", s.Wire)
		assert.Equal(t, 1, s.Unread)
		firstEvent, ok := s.FirstEvent()
		assert.True(t, ok)
		assert.Equal(t, time.Duration(7), firstEvent)
	}
	_, ok := tpot.Stats{}.FirstEvent()
	assert.False(t, ok)
	assert.True(t, (*tpot.Recorder)(nil).Ended())
}

func TestEndResponseEndsWhereTheResponseWasComplete(t *testing.T) {
	sec := time.Second
	play := func() *tpot.Recorder {
		r := tpot.Start(t.Context())
		r.BeginWaitAt(1 * sec)
		r.ObserveAt(2*sec, tpot.Event{Kind: tpot.KindText})
		r.BeginWaitAt(3 * sec)
		r.ObserveAt(4*sec, tpot.Event{Kind: tpot.KindFinish})
		r.BeginWaitAt(5 * sec)
		r.ObserveAt(6*sec, tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Output: 3}})
		r.BeginWaitAt(7 * sec)
		r.ObserveAt(8*sec, tpot.Event{Kind: tpot.KindPing})
		r.AddHold(sec)
		r.BeginWaitAt(9 * sec)
		return r
	}
	for name, c := range map[string]struct {
		end  func(*tpot.Recorder) tpot.Stats
		want [4]time.Duration // E2E, setup, wait, hold
	}{
		"with the usage":        {func(r *tpot.Recorder) tpot.Stats { return r.EndResponseAt(20*sec, nil) }, [4]time.Duration{6 * sec, sec, 3 * sec, 2 * sec}},
		"even if it is dropped": {func(r *tpot.Recorder) tpot.Stats { return r.EndResponseAt(0, tpot.Abandoned) }, [4]time.Duration{6 * sec, sec, 3 * sec, 2 * sec}},
		"at the end for others": {func(r *tpot.Recorder) tpot.Stats { return r.EndAt(20*sec, nil) }, [4]time.Duration{20 * sec, sec, 14 * sec, 5 * sec}},
		"with the end marker": {func(r *tpot.Recorder) tpot.Stats {
			r.ObserveAt(10*sec, tpot.Event{Kind: tpot.KindDone})
			r.BeginWaitAt(11 * sec)
			r.ObserveAt(12*sec, tpot.Event{Kind: tpot.KindUsage})
			return r.EndResponseAt(20*sec, nil)
		}, [4]time.Duration{10 * sec, sec, 4 * sec, 5 * sec}},
		"not while another choice goes on": {func(r *tpot.Recorder) tpot.Stats {
			r.ObserveAt(10*sec, tpot.Event{Kind: tpot.KindText, Choice: 1})
			return r.EndResponseAt(20*sec, nil)
		}, [4]time.Duration{20 * sec, sec, 4 * sec, 15 * sec}},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.end(play())
			e2e, _ := s.E2E()
			assert.Equal(t, c.want, [4]time.Duration{e2e, s.Setup, s.Wait, s.Hold})
		})
	}
	assert.Zero(t, (*tpot.Recorder)(nil).EndResponse(nil))
}
