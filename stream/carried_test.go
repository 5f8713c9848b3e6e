package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// part is a value that may carry an error, which its JSON tells in words only: fantasy's.
type part struct {
	Type  string `json:"type"`
	Input string `json:"tool_call_input"`
	Delta string `json:"delta"`
	Error error  `json:"error"`
}

func (p part) MarshalJSON() ([]byte, error) {
	type alias part
	words := struct {
		alias
		Error string `json:"error,omitempty"`
	}{alias: alias(p)}
	if p.Error != nil {
		words.Error = p.Error.Error()
	}
	return json.Marshal(words)
}

// mistralChunk is one whose JSON does not tell the error at all: mistral-go's.
type mistralChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason,omitempty"`
	} `json:"choices"`
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
	} `json:"usage"`
	Error error `json:"error,omitempty"`
}

// providerError is what a library makes of the error of a provider.
type providerError struct{ cause error }

func (e *providerError) Error() string { return "provider error: secret details" }
func (e *providerError) Unwrap() error { return e.cause }

func textPart(text string) part { return part{Type: "text_delta", Delta: text} }
func errorPart(err error) part  { return part{Type: "error", Error: err} }
func finishPart() part          { return part{Type: "finish"} }
func mistralText(text string) (c mistralChunk) {
	c.Choices = append(c.Choices, struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason,omitempty"`
	}{})
	c.Choices[0].Delta.Content = text
	return c
}

// ranged is the figures after a loop over values that is left after the first n.
func ranged[T any](values []T, n int, classify func(T) tpot.Event) tpot.Stats {
	rec := tpot.Start(context.Background())
	for range stream.Seq(rec, slices.Values(values), classify) {
		if n--; n == 0 {
			break
		}
	}
	return rec.Stats()
}

func TestAnErrorInAValueIsAsOneBesideIt(t *testing.T) {
	const all = -1
	cut := &providerError{io.ErrUnexpectedEOF}
	for name, c := range map[string]struct {
		values               []part
		read                 int
		outcome              tpot.Outcome
		cause, errorType     string
		chunks, unclassified int
	}{
		"a cut":                     {[]part{textPart("a"), errorPart(cut)}, all, tpot.OutcomeTruncated, "connection cut", "truncated", 1, 0},
		"a cut at which one leaves": {[]part{textPart("a"), errorPart(cut)}, 2, tpot.OutcomeTruncated, "connection cut", "truncated", 1, 0},
		"a provider's error": {
			[]part{textPart("a"), errorPart(&providerError{})}, all, tpot.OutcomeFailed, "error from stream", "*stream_test.providerError", 1, 0,
		},
		"a canceled context": {
			[]part{textPart("a"), errorPart(&providerError{context.Canceled})}, all, tpot.OutcomeCanceled, "context", "", 1, 0,
		},
		"a deadline": {
			[]part{textPart("a"), errorPart(context.DeadlineExceeded)}, all, tpot.OutcomeTimeout, "context", "timeout", 1, 0,
		},
		"an error that the stream survives": {[]part{errorPart(cut), textPart("a"), finishPart()}, all, tpot.OutcomeOK, "", "", 1, 0},
		"an error after the end":            {[]part{textPart("a"), finishPart(), errorPart(cut)}, all, tpot.OutcomeOK, "", "", 1, 0},
		"an error beside output": {
			[]part{{Type: "text_delta", Delta: "a", Error: cut}}, all, tpot.OutcomeTruncated, "connection cut", "truncated", 1, 0,
		},
		"an error beside what is not understood": {[]part{{Type: "new", Error: cut}}, all, tpot.OutcomeTruncated, "connection cut", "truncated", 0, 0},
		"the end as some write it":               {[]part{textPart("a"), finishPart(), {Type: "text_end", Error: io.EOF}}, all, tpot.OutcomeOK, "", "", 1, 0},
		"an error event without an error":        {[]part{textPart("a"), errorPart(nil)}, all, tpot.OutcomeFailed, "error in stream", "error", 1, 0},
		"no error":                               {[]part{textPart("a"), {Type: "new"}}, all, tpot.OutcomeTruncated, "no end marker", "truncated", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := ranged(c.values, c.read, nil)
			assert.Equal(t, c.outcome, s.Outcome)
			assert.Equal(t, c.cause, s.Cause)
			assert.Equal(t, c.errorType, s.ErrorType)
			assert.Equal(t, c.chunks, s.Chunks)
			assert.Equal(t, c.unclassified, s.Unclassified)
			assert.Zero(t, s.Faults)
		})
	}
}

// TestTheEventBesideAnErrorIsNone has what observers and a trace are told of a value that is an error and nothing else.
func TestTheEventBesideAnErrorIsNone(t *testing.T) {
	tracker := tpot.Tracker{TraceEvents: 1}
	_, rec := tracker.Start(t.Context(), tpot.Request{})
	for range stream.Seq(rec, slices.Values([]part{errorPart(io.ErrUnexpectedEOF)}), nil) {
	}
	assert.Equal(t, tpot.Event{Kind: tpot.KindStatus | tpot.KindMarked}, rec.Trace().Events[0].Event)
}

func TestTheErrorOfAValueIsKeptAsItIs(t *testing.T) {
	err := &providerError{io.ErrUnexpectedEOF}
	assert.Same(t, err, ranged([]part{errorPart(err)}, -1, nil).Err)
}

// A classifier says what a value holds. That it carries an error counts all the same, or who leaves at a failure would have canceled.
func TestAnErrorInAValueCountsBesideAClassifier(t *testing.T) {
	for err, want := range map[error]tpot.Outcome{
		errBoom: tpot.OutcomeFailed, io.ErrUnexpectedEOF: tpot.OutcomeTruncated, context.Canceled: tpot.OutcomeCanceled,
	} {
		s := ranged([]part{textPart("a"), errorPart(err)}, 2, stream.Each[part])
		assert.Equal(t, want, s.Outcome)
		assert.Equal(t, err, s.Err)
		assert.Equal(t, 2, s.Chunks, "what the value holds is for the classifier to say")
	}
	s := ranged([]part{errorPart(errBoom), textPart("a")}, -1, stream.Each[part])
	assert.Equal(t, tpot.OutcomeOK, s.Outcome, "a value follows")
}

// pieces never ends.
type pieces struct{ part }

func (p *pieces) Recv() (part, error) { return p.part, nil }

func TestLookingForErrorsInValuesAllocatesNothing(t *testing.T) {
	s := stream.Recv(tpot.Start(t.Context()), &pieces{textPart("a")}, stream.Each[part])
	assert.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = s.Recv() }))
}

func TestErrorsInTheValuesOfAChannel(t *testing.T) {
	values := make(chan mistralChunk, 4)
	values <- mistralText("a")
	values <- mistralChunk{Error: fmt.Errorf("error decoding stream response: %w", errors.New("invalid character"))}
	values <- mistralText("b")
	values <- mistralChunk{Error: fmt.Errorf("error reading stream response: %w", io.ErrUnexpectedEOF)}
	close(values)
	rec := tpot.Start(t.Context())
	for range stream.Chan(rec, values, nil, nil) {
	}
	s := rec.Stats()
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
	assert.Equal(t, 2, s.Chunks)
	assert.Equal(t, 4, s.Events)
}

func TestErrorsBehindPointers(t *testing.T) {
	s := ranged([]*mistralChunk{pointer(mistralText("a")), nil, {Error: io.ErrUnexpectedEOF}}, -1, nil)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
	assert.Equal(t, 1, s.Chunks)
	assert.Zero(t, s.Unclassified+s.Faults)
}

// TestAnErrorInAValueOfAnUnknownShape has a shape that nobody knows, but for its error.
func TestAnErrorInAValueOfAnUnknownShape(t *testing.T) {
	type item struct {
		Word  string
		First error
		Last  error
	}
	s := ranged([]item{{Last: io.ErrUnexpectedEOF}}, -1, nil)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
	assert.Zero(t, s.Unclassified)

	s = ranged([]item{{Word: "a"}, {First: io.EOF}}, -1, nil)
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, 1, s.Unclassified)
}

// embedded has an error in a struct that it embeds, as a field of its own.
type (
	embedded struct {
		*carrier
		Word string
		Late error `json:"-"`
	}
	carrier struct {
		Word string
		Err  error `json:"-"`
	}
)

func TestErrorsInEmbeddedStructs(t *testing.T) {
	s := ranged([]embedded{{Word: "a"}, {carrier: &carrier{}}, {carrier: &carrier{Err: io.ErrUnexpectedEOF}}}, -1, nil)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
	assert.Equal(t, 2, s.Unclassified)
	assert.Zero(t, s.Faults)

	s = ranged([]embedded{{Late: io.ErrUnexpectedEOF}}, -1, nil)
	assert.Equal(t, tpot.OutcomeTruncated, s.Outcome)
}

// touchy is a value that cannot be encoded with an error in it.
type touchy struct{ Err error }

func (v touchy) MarshalJSON() ([]byte, error) { return nil, errors.New(v.Err.Error()) }

func TestAnErrorInAValueWhoseEncoderPanics(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		outcome tpot.Outcome
		cause   string
		faults  int
	}{
		"of the error":             {(*brokenError)(nil), tpot.OutcomeFailed, "error from stream", 2}, // it panics when it is judged too
		"of the error, and cut":    {errors.Join((*brokenError)(nil), io.ErrUnexpectedEOF), tpot.OutcomeTruncated, "connection cut", 1},
		"not of this error":        {io.ErrUnexpectedEOF, tpot.OutcomeTruncated, "connection cut", 0},
		"since there is no error":  {nil, tpot.OutcomeOK, "", 1},
		"a cancel without a panic": {context.Canceled, tpot.OutcomeCanceled, "context", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := ranged([]touchy{{c.err}}, -1, nil)
			assert.Equal(t, c.outcome, s.Outcome)
			assert.Equal(t, c.cause, s.Cause)
			assert.Equal(t, c.faults, s.Faults)
			assert.Equal(t, 1, s.Events)
		})
	}
}

// brokenError panics when it is nil.
type brokenError struct{ text string }

func (e *brokenError) Error() string { return e.text }

// hidden has fields that are nobody's to look at, or are no errors although they are like one.
type hidden struct {
	err   error
	Cause *providerError
	Other fmt.Stringer
}

func TestWhatIsNoErrorFieldIsLeftAlone(t *testing.T) {
	s := ranged([]hidden{{err: io.ErrUnexpectedEOF, Cause: &providerError{}}}, -1, nil)
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, 1, s.Unclassified)
	assert.Zero(t, s.Faults)
}

// TestTheResponseOfACallThatStreamsText has langchaingo's: the callback gets text alone, and the response says how it went.
func TestTheResponseOfACallThatStreamsText(t *testing.T) {
	type choice struct {
		Content, StopReason string
		GenerationInfo      map[string]any
	}
	type response struct{ Choices []*choice }
	answer := func(reason string, tokens int) *response {
		return &response{[]*choice{{"ab", reason, map[string]any{"PromptTokens": 3 * min(tokens, 1), "CompletionTokens": tokens}}}}
	}
	call := func(resp *response, err error) tpot.Stats {
		rec := tpot.Start(t.Context())
		_ = stream.Call(rec, func(emit func([]byte) error) error {
			for _, text := range []string{"", "a", "b", ""} {
				_ = emit([]byte(text))
			}
			rec.Observe(stream.Auto(resp))
			return err
		}, func([]byte) error { return nil }, nil)
		return rec.Stats()
	}

	s := call(answer("stop", 7), nil)
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, "stop", s.FinishReason)
	assert.Equal(t, 7, s.Tokens)
	assert.Equal(t, tpot.SourceReported, s.Source)
	assert.Equal(t, 2, s.Chunks, "the response repeats the text")

	assert.Equal(t, tpot.OutcomeTruncated, call(answer("", 0), nil).Outcome)

	s = call(nil, &providerError{})
	assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
	assert.Equal(t, 2, s.Chunks)
	assert.Zero(t, s.Unclassified)
}
