package matrix

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// verdict is how the request ended, as far as the record's source can tell.
func (t *trial[T]) verdict() verdict {
	switch t.outcome() {
	case tpot.OutcomeOK:
		return verdict{Outcome: tpot.OutcomeOK}
	case tpot.OutcomeCanceled:
		return verdict{tpot.OutcomeCanceled, t.stopped(), ""}
	case tpot.OutcomeTimeout:
		return verdict{tpot.OutcomeTimeout, "context", "timeout"}
	case tpot.OutcomeTruncated:
		return t.truncated()
	}
	return t.failed()
}

// outcome is the scenario's, as it is with this SDK.
func (t *trial[T]) outcome() tpot.Outcome {
	switch {
	case t.refused():
		return tpot.OutcomeFailed
	case t.givesUp() && t.own():
		return tpot.OutcomeCanceled
	case t.givesUp(), t.scenario.half && !t.transport:
		return ofError(t.consumer.lastError()).Outcome
	case t.scenario.outcome == tpot.OutcomeFailed && t.Traits.NoError && !t.tapped():
		return tpot.OutcomeTruncated
	}
	return t.scenario.outcome
}

// stopped is why the consumer did not want more.
func (t *trial[T]) stopped() string {
	switch {
	case t.cancelAt > 0, t.own() && t.lingers():
		return "context"
	case t.abandoned():
		return string(tpot.Abandoned)
	case t.adapter:
		return string(cmp.Or(t.consumer.left, tpot.Break))
	}
	return string(tpot.EarlyClose)
}

func (t *trial[T]) truncated() verdict {
	if t.scenario.outcome == tpot.OutcomeFailed {
		return noEndMarker
	}
	if t.transport && t.played[len(t.played)-1].Ending == llmtest.EndCut {
		return connectionCut
	}
	if err := t.consumer.lastError(); err != nil && !t.own() {
		return ofError(err)
	}
	return noEndMarker
}

var (
	connectionCut = verdict{tpot.OutcomeTruncated, "connection cut", "truncated"}
	noEndMarker   = verdict{tpot.OutcomeTruncated, "no end marker", "truncated"}
)

// ofError is the verdict on an error that the consumer got, if it was not the consumer's doing.
func ofError(err error) verdict {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return noEndMarker
	case errors.Is(err, io.ErrUnexpectedEOF):
		return connectionCut
	case errors.As(err, &syntax) && syntax.Offset > 0 && syntax.Error() == "unexpected end of JSON input":
		return noEndMarker
	}
	return verdict{tpot.OutcomeFailed, "error from stream", typeOf(err)}
}

func (t *trial[T]) failed() verdict {
	switch {
	case t.refused() && t.transport:
		return verdict{tpot.OutcomeFailed, "status", fmt.Sprint(t.played[0].Status)}
	case t.scenario.outcome == tpot.OutcomeFailed && !t.refused() && (t.tapped() || t.Traits.HidesError):
		return verdict{tpot.OutcomeFailed, "error in stream", t.wire.ErrorType}
	}
	return ofError(t.consumer.lastError())
}

// typeOf is the type of an error that is not mere wrapping.
func typeOf(err error) string {
	for fmt.Sprintf("%T", err) == "*fmt.wrapError" {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}

// lastError is the error that the record should have: what reading the body came to, or what the SDK makes of that.
func (t *trial[T]) lastError() error {
	given, read := t.consumer.lastError(), t.readError()
	switch {
	case t.consumer.Left && !t.own():
		return nil
	case t.own():
		return read
	case read == nil, t.adapter && given != nil && (read != io.ErrUnexpectedEOF || ofError(given) == connectionCut):
		return given
	}
	return read
}

// readError is with what reading the answer's body failed before the end of the record.
func (t *trial[T]) readError() error {
	left := t.abandoned() || t.consumer.Left && !t.lingers()
	if !t.transport || t.refused() || t.complete() || left {
		return nil
	}
	if err := t.below.last().err; err != io.EOF {
		return err
	}
	return nil
}
