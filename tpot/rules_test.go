package tpot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// The tests here are named after the twelve rules that decide correctness.

const (
	text      = tpot.KindText
	reasoning = tpot.KindReasoning
	finish    = tpot.KindFinish | tpot.KindMarked
	marked    = tpot.KindMarked
)

var errBoom = errors.New("boom")

// at feeds a Recorder events by their offset in milliseconds.
type at struct {
	ms    int
	event tpot.Event
}

func kind(ms int, k tpot.Kind) at { return at{ms, tpot.Event{Kind: k}} }

func tokens(ms, n int) at { return at{ms, tpot.Event{Kind: text, Tokens: n}} }

func usage(ms int, u tpot.Usage) at { return at{ms, tpot.Event{Kind: tpot.KindUsage, Usage: u}} }

func feed(r *tpot.Recorder, events ...at) {
	for _, e := range events {
		r.ObserveAt(time.Duration(e.ms)*time.Millisecond, e.event)
	}
}

// record runs a stream that ends cleanly at its last event.
func record(t *testing.T, events ...at) tpot.Stats {
	r := tpot.Start(t.Context())
	feed(r, events...)
	return r.EndAt(0, nil)
}

// has asserts that a figure is present with a value in milliseconds.
func has(t *testing.T, want float64, figure func() (time.Duration, bool), name string) {
	t.Helper()
	got, ok := figure()
	if assert.True(t, ok, "%s is present", name) {
		assert.InDelta(t, want*1e6, float64(got), 0.5, name)
	}
}

func lacks(t *testing.T, figure func() (time.Duration, bool), name string) {
	t.Helper()
	got, ok := figure()
	assert.False(t, ok, "%s is absent", name)
	assert.Zero(t, got, name)
}

func TestRule1OnlyGeneratedOutputIsAChunk(t *testing.T) {
	structural := []tpot.Kind{
		tpot.KindToolMeta, tpot.KindRole, finish, tpot.KindUsage, tpot.KindDone, tpot.KindPing, tpot.KindStatus,
		tpot.KindError, tpot.KindChoices, marked, 0,
	}
	for _, k := range structural {
		s := record(t, kind(100, k))
		assert.Zero(t, s.Chunks, k)
		lacks(t, s.TTFT, "TTFT after "+k.String())
	}
	for _, k := range []tpot.Kind{text, reasoning, tpot.KindToolCall, tpot.KindRefusal, tpot.KindMedia} {
		s := record(t, kind(50, tpot.KindRole), kind(100, k|tpot.KindChoices))
		assert.Equal(t, 1, s.Chunks, k)
		has(t, 100, s.TTFT, "TTFT of "+k.String())
	}

	t.Run("a finish event with the last text is both", func(t *testing.T) {
		s := record(t, kind(100, text|marked), at{150, tpot.Event{Kind: text | finish, FinishReason: "stop"}})
		assert.Equal(t, 2, s.Chunks)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, "stop", s.FinishReason)
		has(t, 50, s.TPOT, "TPOT")
	})
	t.Run("the first output may come after the first token", func(t *testing.T) {
		s := record(t, kind(100, reasoning), kind(300, reasoning|text), kind(400, text))
		has(t, 100, s.TTFT, "TTFT")
		has(t, 300, s.TTFO, "TTFO")
		has(t, 200, s.TTST, "TTST")
	})
	t.Run("reasoning alone is no output", func(t *testing.T) {
		s := record(t, kind(100, reasoning), kind(200, reasoning))
		has(t, 100, s.TTFT, "TTFT")
		lacks(t, s.TTFO, "TTFO")
	})
}

func TestRule2AbsentIsNotZero(t *testing.T) {
	t.Run("no token", func(t *testing.T) {
		s := record(t, kind(100, tpot.KindRole))
		for name, figure := range map[string]func() (time.Duration, bool){
			"TTFT": s.TTFT, "TTFO": s.TTFO, "TTST": s.TTST, "TPOT": s.TPOT, "answer TPOT": s.AnswerTPOT,
			"mean gap": s.Gaps().Mean, "mean ITL": s.ITL().Mean, "TTFB": s.TTFB, "headers": s.Headers,
		} {
			lacks(t, figure, name)
		}
		assert.Equal(t, tpot.SourceUnknown, s.Source)
		_, ok := s.TokensPerSecond()
		assert.False(t, ok)
	})
	t.Run("one chunk of several tokens", func(t *testing.T) {
		s := record(t, tokens(100, 5), usage(110, tpot.Usage{Output: 5}))
		has(t, 100, s.TTFT, "TTFT")
		lacks(t, s.TPOT, "TPOT")
		lacks(t, s.TTST, "TTST")
		assert.Zero(t, s.Gaps().Count())
	})
	t.Run("two chunks of one token", func(t *testing.T) {
		s := record(t, kind(100, text), kind(130, text), usage(140, tpot.Usage{Output: 1}))
		lacks(t, s.TPOT, "TPOT")
	})
	t.Run("two chunks at once", func(t *testing.T) {
		s := record(t, kind(100, text), kind(100, text))
		has(t, 0, s.TPOT, "TPOT")
		_, ok := s.TokensPerSecond()
		assert.False(t, ok, "no rate over no time")
		_, ok = s.Gaps().CV()
		assert.False(t, ok)
	})
	t.Run("JSON leaves absent fields out and has no NaN", func(t *testing.T) {
		for _, s := range []tpot.Stats{{}, record(t), record(t, kind(1, text)), record(t, kind(100, text), kind(100, text))} {
			data, err := json.Marshal(s)
			require.NoError(t, err)
			var fields map[string]any
			require.NoError(t, json.Unmarshal(data, &fields))
			_, ok := s.TPOT()
			assert.Equal(t, ok, fields["tpot_ms"] != nil)
			_, ok = s.TTFT()
			assert.Equal(t, ok, fields["ttft_ms"] != nil)
			assert.NotContains(t, string(data), ":-", "no negative number")
		}
	})
}

func TestRule3UsageIsCumulative(t *testing.T) {
	t.Run("the last and largest wins", func(t *testing.T) {
		s := record(t, kind(10, text), usage(20, tpot.Usage{Input: 7, Output: 13}), kind(30, text), usage(40, tpot.Usage{Output: 20}))
		assert.Equal(t, tpot.Usage{Input: 7, Output: 20}, s.Usage)
		assert.Equal(t, 20, s.Tokens)
		assert.Equal(t, tpot.SourceReported, s.Source)
	})
	t.Run("a smaller one does not take back", func(t *testing.T) {
		s := record(t, usage(20, tpot.Usage{Output: 20}), usage(40, tpot.Usage{Output: 3}))
		assert.Equal(t, 20, s.Usage.Output)
	})
	t.Run("zeros on every chunk are no count", func(t *testing.T) {
		s := record(t, at{10, tpot.Event{Kind: text | tpot.KindUsage}}, at{20, tpot.Event{Kind: text | tpot.KindUsage}})
		assert.Equal(t, tpot.SourceChunks, s.Source)
		assert.Equal(t, 2, s.Tokens)
	})
	t.Run("usage is read only where the kind says so", func(t *testing.T) {
		s := record(t, at{10, tpot.Event{Kind: text, Usage: tpot.Usage{Output: 99}}})
		assert.Zero(t, s.Usage)
	})
	t.Run("a count for each chunk comes before a guess", func(t *testing.T) {
		s := record(t, tokens(10, 2), tokens(20, 3))
		assert.Equal(t, tpot.SourceCounted, s.Source)
		assert.Equal(t, 5, s.Tokens)
		has(t, 2.5, s.TPOT, "TPOT")
	})
	t.Run("a count for some chunks is none", func(t *testing.T) {
		s := record(t, tokens(10, 2), kind(20, text))
		assert.Equal(t, tpot.SourceChunks, s.Source)
		assert.Equal(t, 2, s.Tokens)
	})
}

func TestRule4TheWindowAndTheCountCoverTheSameChannels(t *testing.T) {
	t.Run("hidden reasoning", func(t *testing.T) {
		s := record(t, kind(1000, text), kind(1040, text), kind(1080, text), usage(1090, tpot.Usage{Output: 103, Reasoning: 100}))
		assert.Equal(t, 3, s.Tokens)
		has(t, 40, s.TPOT, "TPOT")
		has(t, 40, s.AnswerTPOT, "answer TPOT")
	})
	t.Run("a summary of the reasoning", func(t *testing.T) {
		s := record(t,
			kind(100, reasoning|tpot.KindSummary), kind(900, reasoning|tpot.KindSummary),
			kind(1000, text), kind(1040, text), kind(1060, reasoning|tpot.KindSummary),
			usage(1090, tpot.Usage{Output: 103, Reasoning: 100}))
		assert.Equal(t, 3, s.Tokens)
		has(t, 100, s.TTFT, "TTFT")
		has(t, 20, s.TPOT, "TPOT") // 1000 to 1040 for three tokens
	})
	t.Run("streamed reasoning", func(t *testing.T) {
		s := record(t, kind(100, reasoning), kind(200, reasoning), kind(300, text), kind(340, text), usage(350, tpot.Usage{Output: 10, Reasoning: 7}))
		assert.Equal(t, 10, s.Tokens)
		has(t, 240.0/9, s.TPOT, "TPOT")
		has(t, 20, s.AnswerTPOT, "answer TPOT")
	})
	t.Run("streamed reasoning that nobody counted", func(t *testing.T) {
		s := record(t, kind(100, reasoning), kind(300, text), kind(340, text), usage(350, tpot.Usage{Output: 10}))
		has(t, 240.0/9, s.TPOT, "TPOT")
		lacks(t, s.AnswerTPOT, "answer TPOT")
	})
	t.Run("more reasoning than output is no count", func(t *testing.T) {
		s := record(t, kind(100, text), kind(200, text), usage(350, tpot.Usage{Output: 10, Reasoning: 70}))
		lacks(t, s.TPOT, "TPOT")
		assert.Zero(t, s.Tokens)
	})
	t.Run("choices side by side", func(t *testing.T) {
		choice := func(ms, index, n int) at { return at{ms, tpot.Event{Kind: text, Choice: index, Tokens: n}} }
		shared := record(t, choice(100, 0, 0), choice(105, 1, 0), choice(120, 0, 0), choice(125, 1, 0), usage(130, tpot.Usage{Output: 4}))
		assert.Equal(t, 2, shared.Choices)
		lacks(t, shared.TPOT, "TPOT")
		has(t, 20, shared.Gaps().Max, "a gap lies within one choice")
		assert.Equal(t, 2, shared.Gaps().Count())

		counted := record(t, choice(100, 0, 1), choice(105, 1, 1), choice(120, 0, 2), choice(145, 1, 1))
		has(t, (20.0+40)/(2+1), counted.TPOT, "TPOT with a count per choice")

		single := record(t, choice(100, 0, 1), choice(105, 1, 9), choice(120, 0, 2))
		has(t, 20.0/2, single.TPOT, "TPOT where one choice is a single chunk")
	})
}

// The weight of a TPOT is the tokens that it is the mean time of, and nothing where it is absent.
func TestTPOTTokens(t *testing.T) {
	second := at{30, tpot.Event{Kind: text, Tokens: 2, Choice: 1}}
	for name, c := range map[string]struct {
		stats tpot.Stats
		want  int
	}{
		"no chunk":             {record(t, kind(10, tpot.KindRole)), 0},
		"one chunk":            {record(t, tokens(10, 5)), 0},
		"counted":              {record(t, tokens(10, 2), tokens(20, 3)), 4},
		"guessed":              {record(t, kind(10, text), kind(20, text), kind(30, text)), 2},
		"reported":             {record(t, kind(10, text), kind(20, text), usage(30, tpot.Usage{Output: 100})), 99},
		"reasoning not there":  {record(t, kind(10, text), kind(20, text), usage(30, tpot.Usage{Output: 100, Reasoning: 60})), 39},
		"reasoning alone":      {record(t, kind(10, text), kind(20, text), usage(30, tpot.Usage{Output: 60, Reasoning: 60})), 0},
		"two choices, counted": {record(t, tokens(10, 2), tokens(20, 3), second, at{40, second.event}), 4 + 3},
		"two choices":          {record(t, kind(10, text), second, kind(20, text)), 0},
	} {
		assert.Equal(t, c.want, c.stats.TPOTTokens(), name)
		_, ok := c.stats.TPOT()
		assert.Equal(t, c.want > 0, ok, name)
	}
}

func TestRule5ACleanEndIsNoSuccess(t *testing.T) {
	cases := map[string]struct {
		events []at
		err    error
		want   tpot.Outcome
		cause  string
	}{
		"a marked stream without its marker":      {[]at{kind(1, text|marked)}, nil, tpot.OutcomeTruncated, "no end marker"},
		"the same with io.EOF":                    {[]at{kind(1, text|marked)}, io.EOF, tpot.OutcomeTruncated, "no end marker"},
		"an unmarked stream":                      {[]at{kind(1, text)}, nil, tpot.OutcomeOK, ""},
		"a finish reason":                         {[]at{kind(1, text|marked), kind(2, finish)}, nil, tpot.OutcomeOK, ""},
		"an end marker":                           {[]at{kind(1, text|marked), kind(2, tpot.KindDone)}, nil, tpot.OutcomeOK, ""},
		"a finish reason, then a cancel":          {[]at{kind(1, text|marked), kind(2, finish)}, context.Canceled, tpot.OutcomeOK, ""},
		"an end marker, then a transport error":   {[]at{kind(1, text|marked), kind(2, tpot.KindDone)}, io.ErrUnexpectedEOF, tpot.OutcomeOK, ""},
		"an end marker, then Close":               {[]at{kind(1, text|marked), kind(2, tpot.KindDone)}, tpot.EarlyClose, tpot.OutcomeOK, ""},
		"a finish reason of one choice of two":    {[]at{kind(1, text|marked), kind(2, finish), {3, tpot.Event{Kind: text | marked, Choice: 1}}}, nil, tpot.OutcomeTruncated, "no end marker"},
		"a chunk after the end marker":            {[]at{kind(1, tpot.KindDone|marked), kind(2, text|marked)}, nil, tpot.OutcomeOK, ""},
		"an error in the stream":                  {[]at{kind(1, text|marked), kind(2, tpot.KindError)}, nil, tpot.OutcomeFailed, "error in stream"},
		"an error in the stream, then the marker": {[]at{kind(1, tpot.KindError), kind(2, tpot.KindDone)}, nil, tpot.OutcomeFailed, "error in stream"},
		"the marker, then an error in the stream": {[]at{kind(1, tpot.KindDone), kind(2, tpot.KindError)}, nil, tpot.OutcomeFailed, "error in stream"},
		"a cut connection":                        {[]at{kind(1, text|marked)}, io.ErrUnexpectedEOF, tpot.OutcomeTruncated, "connection cut"},
		"a cut connection, wrapped":               {[]at{kind(1, text)}, fmt.Errorf("read: %w", io.ErrUnexpectedEOF), tpot.OutcomeTruncated, "connection cut"},
		"a connection reset":                      {[]at{kind(1, text)}, &net.OpError{Op: "read", Err: errors.New("reset by peer")}, tpot.OutcomeTruncated, "connection cut"},
		"half an object of JSON":                  {[]at{kind(1, text)}, fmt.Errorf("event: %w", json.Unmarshal([]byte(`{"a":`), new(any))), tpot.OutcomeTruncated, "no end marker"},
		"no bytes of JSON":                        {[]at{kind(1, text)}, json.Unmarshal(nil, new(any)), tpot.OutcomeFailed, "error from stream"},
		"no JSON":                                 {[]at{kind(1, text)}, json.Unmarshal([]byte(`}`), new(any)), tpot.OutcomeFailed, "error from stream"},
		"a connection refused":                    {nil, &net.OpError{Op: "dial", Err: errors.New("refused")}, tpot.OutcomeFailed, "error from stream"},
		"a request that got no response":          {nil, &url.Error{Op: "Post", Err: io.ErrUnexpectedEOF}, tpot.OutcomeFailed, "error from stream"},
		"a request that timed out":                {nil, &url.Error{Op: "Post", Err: timeout{}}, tpot.OutcomeTimeout, "deadline"},
		"any other error":                         {[]at{kind(1, text)}, errBoom, tpot.OutcomeFailed, "error from stream"},
		"a context's cancel":                      {[]at{kind(1, text)}, fmt.Errorf("get: %w", context.Canceled), tpot.OutcomeCanceled, "context"},
		"a context's deadline":                    {[]at{kind(1, text)}, context.DeadlineExceeded, tpot.OutcomeTimeout, "context"},
		"a deadline that is no context's":         {[]at{kind(1, text)}, &net.OpError{Op: "read", Err: timeout{}}, tpot.OutcomeTimeout, "deadline"},
		"an early close":                          {[]at{kind(1, text|marked)}, tpot.EarlyClose, tpot.OutcomeCanceled, "early close"},
		"a break":                                 {[]at{kind(1, text|marked)}, tpot.Break, tpot.OutcomeCanceled, "break"},
		"a panic":                                 {[]at{kind(1, text|marked)}, tpot.Panic, tpot.OutcomeCanceled, "panic"},
		"abandoned":                               {[]at{kind(1, text|marked)}, tpot.Abandoned, tpot.OutcomeCanceled, "abandoned"},
		"given up by a watchdog":                  {[]at{kind(1, text|marked)}, tpot.Stalled, tpot.OutcomeTimeout, "stalled"},
		"given up after the end marker":           {[]at{kind(1, text|marked), kind(2, tpot.KindDone)}, tpot.Stalled, tpot.OutcomeOK, ""},
		"nothing at all":                          {nil, nil, tpot.OutcomeOK, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := tpot.Start(t.Context())
			feed(r, c.events...)
			s := r.EndAt(5*time.Millisecond, c.err)
			assert.Equal(t, c.want, s.Outcome)
			assert.Equal(t, c.cause, s.Cause)
		})
	}
}

type timeout struct{}

func (timeout) Error() string { return "timed out" }
func (timeout) Timeout() bool { return true }

func TestRule6OneRecordOnEveryWayOut(t *testing.T) {
	t.Run("the first End counts", func(t *testing.T) {
		var log observerLog
		_, r := (&tpot.Tracker{Observers: []tpot.Observer{&log}}).Start(t.Context(), tpot.Request{})
		feed(r, kind(10, text))
		first := r.EndAt(20*time.Millisecond, nil)
		second := r.EndAt(90*time.Millisecond, errBoom)
		assert.Equal(t, first, second)
		assert.Equal(t, tpot.OutcomeOK, second.Outcome)
		assert.Len(t, log.ends, 1)
	})
	t.Run("concurrent Ends", func(t *testing.T) {
		var log observerLog
		_, r := (&tpot.Tracker{Observers: []tpot.Observer{&log}}).Start(t.Context(), tpot.Request{})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { r.End(tpot.EarlyClose) })
		}
		all.Wait()
		assert.Len(t, log.ends, 1)
	})
	t.Run("a nil error with the context ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := tpot.Start(ctx)
		feed(r, kind(10, text|marked))
		cancel()
		s := r.End(nil)
		assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
		assert.Equal(t, "context", s.Cause)
		assert.NoError(t, s.Err)
	})
	t.Run("a cancel with a cause", func(t *testing.T) {
		for cause, want := range map[error][2]string{
			errBoom:                                  {"canceled", "context"},
			tpot.Stalled:                             {"timeout", "stalled"},
			fmt.Errorf("given up: %w", tpot.Stalled): {"timeout", "stalled"},
			fmt.Errorf("late: %w", context.DeadlineExceeded): {"timeout", "context"},
			circular{}: {"canceled", "context"},
		} {
			for _, err := range []error{nil, context.Canceled, errBoom, tpot.EarlyClose, fmt.Errorf("get: %w", context.Canceled), cause} {
				ctx, cancel := context.WithCancelCause(t.Context())
				r := tpot.Start(ctx)
				feed(r, kind(10, text|marked))
				cancel(cause)
				s := r.End(err)
				if err == (circular{}) {
					want = [2]string{"failed", "error from stream"}
				}
				assert.Equal(t, want, [2]string{s.Outcome.String(), s.Cause}, "%v: %v", cause, err)
			}
		}
	})
	t.Run("a nil error with the deadline past", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r := tpot.Start(ctx)
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, tpot.OutcomeTimeout, r.End(nil).Outcome)
		})
	})
	t.Run("a context that ends after a complete response", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := tpot.Start(ctx)
		feed(r, kind(10, text|marked), kind(20, finish))
		cancel()
		assert.Equal(t, tpot.OutcomeOK, r.End(nil).Outcome)
	})
	t.Run("End before any event", func(t *testing.T) {
		s := tpot.Start(t.Context()).EndAt(time.Second, nil)
		has(t, 1000, s.E2E, "E2E")
		assert.Zero(t, s.Events)
	})
	t.Run("partial figures are kept", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(100, text|marked), kind(150, text), kind(200, text))
		s := r.EndAt(300*time.Millisecond, errBoom)
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Same(t, errBoom, s.Err)
		has(t, 50, s.TPOT, "TPOT")
		has(t, 300, s.E2E, "E2E")
	})
}

func TestRule7AnErrorStaysPendingUntilAnotherEvent(t *testing.T) {
	start := func(t *testing.T) *tpot.Recorder {
		r := tpot.Start(t.Context())
		feed(r, kind(100, text|marked))
		r.BeginWaitAt(110 * time.Millisecond)
		r.ObserveErrorAt(200*time.Millisecond, errBoom)
		return r
	}
	for name, end := range map[string]error{"Close": tpot.EarlyClose, "EOF": io.EOF, "abandonment": tpot.Abandoned, "another error": context.Canceled} {
		t.Run(name+" then ends with it, at its offset", func(t *testing.T) {
			s := start(t).EndAt(900*time.Millisecond, end)
			assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
			assert.Same(t, errBoom, s.Err)
			has(t, 200, s.E2E, "E2E")
			assert.Equal(t, 90*time.Millisecond, s.Wait-100*time.Millisecond)
		})
	}
	t.Run("an event clears it", func(t *testing.T) {
		r := start(t)
		feed(r, kind(300, finish))
		s := r.EndAt(400*time.Millisecond, nil)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.NoError(t, s.Err)
		has(t, 400, s.E2E, "E2E")
	})
	t.Run("a complete response stays complete", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(100, text|finish))
		r.ObserveErrorAt(200*time.Millisecond, errBoom)
		s := r.EndAt(300*time.Millisecond, tpot.EarlyClose)
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Same(t, errBoom, s.Err, "the error is told all the same")
	})
	t.Run("a pending cancel is a cancel", func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.ObserveErrorAt(200*time.Millisecond, context.Canceled)
		assert.Equal(t, tpot.OutcomeCanceled, r.EndAt(300*time.Millisecond, tpot.EarlyClose).Outcome)
	})
	t.Run("of two the last counts", func(t *testing.T) {
		r := start(t)
		r.ObserveErrorAt(300*time.Millisecond, io.ErrUnexpectedEOF)
		s := r.EndAt(400*time.Millisecond, nil)
		assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
		has(t, 300, s.E2E, "E2E")
	})
	t.Run("a cut explains the failure after it", func(t *testing.T) {
		r := start(t)
		r.ObserveErrorAt(300*time.Millisecond, io.ErrUnexpectedEOF)
		r.ObserveErrorAt(350*time.Millisecond, errBoom)
		s := r.EndAt(400*time.Millisecond, errBoom)
		assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
		assert.Same(t, io.ErrUnexpectedEOF, s.Err)
		has(t, 300, s.E2E, "E2E")
	})
	t.Run("a cut explains the half of an event after it", func(t *testing.T) {
		r := start(t)
		r.ObserveErrorAt(300*time.Millisecond, io.ErrUnexpectedEOF)
		r.ObserveErrorAt(350*time.Millisecond, json.Unmarshal([]byte(`{"a":`), new(any)))
		s := r.EndAt(400*time.Millisecond, nil)
		assert.Equal(t, "connection cut", s.Cause)
		assert.Same(t, io.ErrUnexpectedEOF, s.Err)
	})
	t.Run("half an event does not explain a cut after it", func(t *testing.T) {
		r := start(t)
		r.ObserveErrorAt(300*time.Millisecond, json.Unmarshal([]byte(`{"a":`), new(any)))
		r.ObserveErrorAt(350*time.Millisecond, io.ErrUnexpectedEOF)
		s := r.EndAt(400*time.Millisecond, nil)
		assert.Equal(t, "connection cut", s.Cause)
		has(t, 350, s.E2E, "E2E")
	})
	t.Run("a cut does not explain a cancel after it", func(t *testing.T) {
		r := start(t)
		r.ObserveErrorAt(300*time.Millisecond, io.ErrUnexpectedEOF)
		r.ObserveErrorAt(350*time.Millisecond, context.Canceled)
		assert.Equal(t, tpot.OutcomeCanceled, r.EndAt(400*time.Millisecond, nil).Outcome)
	})
	t.Run("no error is none", func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.ObserveErrorAt(200*time.Millisecond, nil)
		r.ObserveErrorAt(200*time.Millisecond, io.EOF)
		assert.Equal(t, tpot.OutcomeOK, r.EndAt(300*time.Millisecond, nil).Outcome)
	})
}

func TestRule8OffsetsAreMonotonic(t *testing.T) {
	t.Run("they never go back", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(100, text), kind(40, text), kind(-5, text))
		r.BeginWaitAt(10 * time.Millisecond)
		s := r.EndAt(50*time.Millisecond, nil)
		has(t, 100, s.TTFT, "TTFT")
		has(t, 0, s.Gaps().Max, "gap")
		has(t, 100, s.E2E, "E2E")
		assert.Equal(t, 100*time.Millisecond, s.Setup+s.Wait+s.Hold)
	})
	t.Run("the largest offset there is", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(0, text))
		r.BeginWaitAt(math.MaxInt64)
		r.ObserveAt(math.MaxInt64, tpot.Event{Kind: text})
		s := r.EndAt(math.MaxInt64, nil)
		longest, _ := s.Gaps().Max()
		assert.GreaterOrEqual(t, longest, time.Duration(math.MaxInt64-8))
		assert.NotEmpty(t, s.Report())
	})
	t.Run("the clock is read when the event comes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := tpot.Start(t.Context())
			time.Sleep(300 * time.Millisecond)
			r.BeginWait()
			time.Sleep(200 * time.Millisecond)
			assert.Equal(t, 500*time.Millisecond, r.Elapsed())
			r.Observe(tpot.Event{Kind: text})
			time.Sleep(20 * time.Millisecond)
			r.BeginWait()
			time.Sleep(30 * time.Millisecond)
			r.Observe(tpot.Event{Kind: text})
			s := r.End(nil)
			has(t, 500, s.TTFT, "TTFT")
			has(t, 50, s.TPOT, "TPOT")
			assert.Equal(t, 300*time.Millisecond, s.Setup)
			assert.Equal(t, 230*time.Millisecond, s.Wait)
			assert.Equal(t, 20*time.Millisecond, s.Hold)
		})
	})
}

func TestRule9RecordersAreSafe(t *testing.T) {
	t.Run("a nil Recorder does nothing", func(t *testing.T) {
		var r *tpot.Recorder
		r.BeginWait()
		r.BeginWaitAt(1)
		r.BeginHold()
		r.BeginHoldAt(1)
		r.Observe(tpot.Event{Kind: text})
		r.ObserveAt(1, tpot.Event{Kind: text})
		r.ObserveError(errBoom)
		r.ObserveErrorAt(1, errBoom)
		r.Attempt(tpot.Attempt{})
		r.ReportServer(tpot.ServerTimings{})
		r.Fault()
		assert.False(t, r.Claim("x"))
		assert.Zero(t, r.Elapsed())
		assert.Equal(t, tpot.Stats{}, r.End(errBoom))
		assert.Equal(t, tpot.Stats{}, r.EndAt(1, nil))
		assert.Equal(t, tpot.Stats{}, r.Stats())
		assert.Equal(t, tpot.Trace{}, r.Trace())
		_, ok := r.Waiting()
		assert.False(t, ok)
	})
	t.Run("zero Stats can be read", func(t *testing.T) {
		var s tpot.Stats
		assert.Equal(t, "open", s.String())
		assert.NotPanics(t, func() { _ = s.Report(); s.LogValue() })
		assert.Zero(t, s.ITL().Count())
		met, applicable := s.SLOMet()
		assert.False(t, met || applicable)
	})
	t.Run("after End nothing changes", func(t *testing.T) {
		r := tpot.Start(t.Context())
		feed(r, kind(10, text), kind(20, text))
		want := r.EndAt(30*time.Millisecond, nil)
		gaps := *want.Gaps()
		feed(r, kind(40, text), kind(90, text))
		r.BeginWait()
		r.ObserveError(errBoom)
		r.Attempt(tpot.Attempt{Status: 500})
		r.BeginHold()
		assert.False(t, r.Claim("late"))
		_, waiting := r.Waiting()
		assert.False(t, waiting)
		assert.Equal(t, want, r.Stats())
		assert.Equal(t, gaps, *r.Stats().Gaps())
	})
	t.Run("all methods at once", func(t *testing.T) {
		var log observerLog
		_, r := (&tpot.Tracker{Observers: []tpot.Observer{&log}, TraceEvents: 10}).Start(t.Context(), tpot.Request{})
		var all sync.WaitGroup
		const each = 200
		for range 4 {
			all.Go(func() {
				for range each {
					r.BeginWait()
					r.Observe(tpot.Event{Kind: text, Tokens: 2})
				}
			})
			all.Go(func() {
				for range each {
					r.Waiting()
					r.Stats()
					r.Trace()
					r.Claim(r)
				}
			})
		}
		all.Wait()
		s := r.End(nil)
		assert.Equal(t, 4*each, s.Events)
		assert.Equal(t, 4*each, len(log.arrivals))
		assert.Equal(t, 8*each, s.Tokens)
		e2e, _ := s.E2E()
		assert.Equal(t, e2e, s.Setup+s.Wait+s.Hold)
	})
}

func TestRule10NoContentIsKept(t *testing.T) {
	t.Run("strings are copied, not referred to", func(t *testing.T) {
		event := []byte("gpt-secret-content-stop")
		view := unsafe.String(&event[0], len(event))
		var log observerLog
		_, r := (&tpot.Tracker{TraceEvents: 2, Observers: []tpot.Observer{&log}}).Start(t.Context(), tpot.Request{})
		r.ObserveAt(1, tpot.Event{Kind: text | tpot.KindFinish | tpot.KindError, Model: view[:3], FinishReason: view[19:], ErrorType: view[4:10]})
		r.ObserveAt(2, tpot.Event{Kind: tpot.KindFinish, Model: view[:5], FinishReason: view[18:], ErrorType: view[3:10]})
		trace := r.Trace()
		for i := range event {
			event[i] = '#'
		}
		s := r.EndAt(3, nil)
		assert.Equal(t, "gpt-s", s.Model)
		assert.Equal(t, "-stop", s.FinishReason)
		assert.Equal(t, "secret", s.ErrorType)
		assert.Equal(t, "gpt", trace.Events[0].Event.Model)
		assert.Equal(t, "-secret", trace.Events[1].Event.ErrorType)
		assert.Equal(t, "gpt-s", log.arrivals[1].Model)
	})
	t.Run("an equal string costs no copy", func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.ObserveAt(1, tpot.Event{Kind: text, Model: "m", FinishReason: "f"})
		assert.Zero(t, testing.AllocsPerRun(100, func() { r.ObserveAt(1, tpot.Event{Kind: text, Model: "m", FinishReason: "f"}) }))
		_, r = (&tpot.Tracker{TraceEvents: 1000}).Start(t.Context(), tpot.Request{})
		failed := tpot.Event{Kind: text | tpot.KindError, Model: "m", FinishReason: "f", ErrorType: "e"}
		assert.Zero(t, testing.AllocsPerRun(100, func() { r.ObserveAt(1, failed) }), "nor in a trace, whose blocks are less than one an event")
	})
	t.Run("an endless name is cut", func(t *testing.T) {
		s := record(t, at{1, tpot.Event{Kind: text, Model: strings.Repeat("m", 1<<20)}})
		assert.Len(t, s.Model, 256)
	})
	t.Run("an error's message is not exported", func(t *testing.T) {
		r := tpot.Start(t.Context())
		s := r.EndAt(1, fmt.Errorf("wrapped: %w", errors.New("the user's own words")))
		data, err := json.Marshal(s)
		require.NoError(t, err)
		for _, export := range []string{string(data), s.String(), s.Report(), s.LogValue().String()} {
			assert.NotContains(t, export, "own words")
		}
		assert.Equal(t, "*errors.errorString", s.ErrorType)
	})
}

func TestRule11APanicOfOursNeverReachesTheStream(t *testing.T) {
	good := &observerLog{}
	tracker := &tpot.Tracker{Observers: []tpot.Observer{panicking{start: true}, panicking{}, good}}
	var r *tpot.Recorder
	require.NotPanics(t, func() {
		_, r = tracker.Start(t.Context(), tpot.Request{})
		feed(r, kind(10, text), kind(20, text))
		r.EndAt(30*time.Millisecond, nil)
	})
	s := r.Stats()
	assert.Equal(t, 1+2+1, s.Faults)
	assert.Len(t, good.arrivals, 2, "the others are told all the same")
	assert.Len(t, good.ends, 1)

	t.Run("an error whose methods panic", func(t *testing.T) {
		s := tpot.Start(t.Context()).EndAt(1, hostileError{})
		assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
		assert.Equal(t, 1, s.Faults)
	})
}

type hostileError struct{}

func (hostileError) Error() string   { panic("Error") }
func (hostileError) Is(error) bool   { panic("Is") }
func (hostileError) Unwrap() error   { panic("Unwrap") }
func (hostileError) Timeout() bool   { panic("Timeout") }
func (hostileError) Temporary() bool { panic("Temporary") }

func TestRule12AnAbandonedRequestEndsWhereItWasLastHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tpot.Start(t.Context())
		r.BeginWaitAt(5 * time.Millisecond)
		feed(r, kind(100, text|marked), kind(150, text))
		r.BeginWaitAt(160 * time.Millisecond)
		time.Sleep(time.Hour)
		s := r.EndAt(0, tpot.Abandoned)
		assert.Equal(t, tpot.OutcomeCanceled, s.Outcome)
		assert.Equal(t, "abandoned", s.Cause)
		lacks(t, s.E2E, "E2E")
		has(t, 50, s.TPOT, "TPOT")
		assert.Zero(t, s.Stalls.Count, "the open wait has no known end")
		assert.Equal(t, 145*time.Millisecond, s.Wait)
	})
}

func TestRule12ClaimKeepsNothingAlive(t *testing.T) {
	r := tpot.Start(t.Context())
	a, b := new(int), new(int)
	assert.True(t, r.Claim(a))
	assert.False(t, r.Claim(b))
	assert.True(t, r.Claim(a))
}
