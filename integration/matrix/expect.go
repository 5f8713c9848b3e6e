package matrix

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// arrived is when the exchange's request was at the server, from the consumer's start.
func (t *trial[T]) arrived(x llmtest.Exchange) time.Duration { return x.Arrived.Sub(t.consumer.start) }

// latest is the last exchange.
func (t *trial[T]) latest() llmtest.Exchange { return t.log[len(t.log)-1] }

// own is whether the records are the Transport's own, one for each attempt.
func (t *trial[T]) own() bool { return !t.adapter && !t.joined }

// tapped is whether the events of the record come from below the SDK: with an adapter, too, from whichever was first with a stream.
func (t *trial[T]) tapped() bool {
	return t.transport && (!t.adapter || !t.Traits.Lazy && !t.refused())
}

// expected is what the record of the last attempt should say.
func (t *trial[T]) expected() figures {
	start := t.start(t.latest())
	hs := t.heard(start)
	f := answer(hs, t.usage(hs), t.wire.Summary, t.tokens(len(chunks(hs))))
	f.verdict = t.verdict()
	f.Request = t.request(t.latest())
	f.FinishReason = t.finishReason()
	if len(hs) > 0 && !t.refused() && !t.givesUp() {
		f.Model, f.Format = t.names()
	}
	if t.complete() {
		f.Server = t.wire.Server
	}
	end := t.end().Sub(start)
	f.Stalls = stalls(hs, end, !t.complete() && f.Outcome != tpot.OutcomeFailed)
	f.Setup, f.Wait, f.Hold = t.parts(start, end)
	if f.E2E = end; t.leaked && !t.complete() {
		f.E2E = absent
	}
	f.Attempts = t.attempts(start)
	return f
}

// start is when the record with an exchange began.
func (t *trial[T]) start(x llmtest.Exchange) time.Time {
	if t.own() {
		return x.Arrived
	}
	return t.consumer.start
}

// heard is the events that the record should have heard of.
func (t *trial[T]) heard(start time.Time) []heard {
	switch {
	case !t.tapped() && t.Response:
		return append(t.consumer.values(), heard{chunk: chunk{At: t.consumer.ended}})
	case !t.tapped():
		return t.consumer.values()
	case t.refused():
		return nil
	}
	hs := events(t.latest(), t.below.last(), start)
	if t.scenario.half {
		hs = hs[:len(hs)-1]
	}
	return hs
}

// usage is what the record's source told of usage.
func (t *trial[T]) usage(hs []heard) tpot.Usage {
	var u llmtest.Usage
	switch {
	case t.wire.Unasked:
	case t.complete():
		u = usage(len(pieces))
	case t.wire.Running && len(chunks(hs)) > 0:
		u = usage(len(chunks(hs)))
	case t.wire.InputFirst && (t.tapped() || !t.Traits.LateUsage) && !t.refused() && len(hs) > 0 && !t.givesUp():
		u.Input = input
	}
	if t.wire.NoReasoningCount || t.Traits.NoCount && !t.tapped() {
		u.Reasoning = 0
	}
	return tpot.Usage{Input: u.Input, Output: u.Output, Reasoning: u.Reasoning}
}

// tokens is those of each of the first n chunks, for wires that tell.
func (t *trial[T]) tokens(n int) (tokens []int) {
	if t.wire.Running {
		for _, p := range pieces[:n] {
			tokens = append(tokens, p.tokens)
		}
	}
	return tokens
}

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
	case t.cancelAt > 0, t.own() && t.Traits.Lingers && t.consumer.Left:
		return "context"
	case t.leaked:
		return string(tpot.Abandoned)
	case t.adapter:
		return string(cmp.Or(t.consumer.left, tpot.Break))
	}
	return string(tpot.EarlyClose)
}

func (t *trial[T]) truncated() verdict {
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
	left := t.leaked || t.consumer.Left && !(t.own() && t.Traits.Lingers)
	if !t.transport || t.refused() || t.complete() || left {
		return nil
	}
	if err := t.below.last().err; err != io.EOF {
		return err
	}
	return nil
}

// request is what the record knows of the request: what its starter said, or what can be seen in an exchange.
func (t *trial[T]) request(x llmtest.Exchange) tpot.Request {
	if !t.own() {
		return described
	}
	req := t.wire.Request
	req.Stream = true
	body := struct {
		Model     string `json:"model"`
		MaxTokens int    `json:"max_tokens"`
	}{Model: "m"} // which is in the path otherwise
	_ = json.Unmarshal(x.Body, &body)
	req.Model, req.MaxTokens = body.Model, body.MaxTokens
	return req
}

func (t *trial[T]) finishReason() string {
	switch {
	case t.complete() && !t.tapped():
		return cmp.Or(t.Traits.FinishReason, t.wire.FinishReason)
	case t.complete():
		return t.wire.FinishReason
	case t.scenario.outcome == tpot.OutcomeFailed && !t.refused():
		return t.wire.ErrorReason
	}
	return ""
}

// names is those of the model and the format.
func (t *trial[T]) names() (model, format string) {
	switch {
	case t.tapped():
		return t.wire.Model, t.wire.Format
	case t.Traits.NoModel:
		return "", t.Format
	}
	return t.wire.Model, t.Format
}

// end is when the request ended for the record.
func (t *trial[T]) end() time.Time {
	c := &t.consumer
	switch {
	case t.own() && t.complete():
		hs := t.heard(c.start)
		return c.start.Add(hs[len(hs)-1].At)
	case t.leaked:
		reads := t.below.last().reads
		return reads[len(reads)-1].ended
	case t.Traits.Stutters && t.outcome() == tpot.OutcomeTruncated && !t.tapped():
		return c.start.Add(c.heard) // of an error that nothing followed
	}
	return c.start.Add(c.ended)
}

// parts is what the time to the end was: before the first wait, the producer's, and the consumer's.
func (t *trial[T]) parts(start time.Time, end time.Duration) (setup, wait, hold time.Duration) {
	if !t.tapped() {
		setup, hold = t.consumer.opened, t.pause*time.Duration(len(t.consumer.took))
		return setup, end - setup - hold, hold
	}
	setup = t.below.last().reads[0].began.Sub(start)
	for _, r := range t.above.last().reads {
		wait += min(r.ended.Sub(start), end) - min(r.began.Sub(start), end)
	}
	return setup, wait, end - setup - wait
}

// attempts is those that the record should have.
func (t *trial[T]) attempts(start time.Time) (as []tpot.Attempt) {
	if !t.transport {
		return nil
	}
	for i := range t.log {
		as = append(as, t.attempt(i, start))
	}
	if t.own() {
		as = as[len(as)-1:]
	}
	return as
}

func (t *trial[T]) attempt(i int, start time.Time) tpot.Attempt {
	x := t.log[i]
	at := x.Arrived.Sub(start)
	a := tpot.Attempt{Start: at, Sent: at, Headers: at + x.HeaderSent, Status: cmp.Or(t.played[i].Status, 200)}
	for _, r := range t.below.read[i].reads {
		if r.n > 0 {
			a.FirstByte = r.ended.Sub(start)
			break
		}
	}
	return a
}

// stalls is the waits of half a second and more for a chunk after the first, and where the answer broke off for one that did not
// come.
func stalls(hs []heard, end time.Duration, broke bool) (s tpot.Stalls) {
	var waited, last time.Duration
	n := 0
	count := func() {
		if waited >= 500*ms {
			s = tpot.Stalls{Count: s.Count + 1, Total: s.Total + waited, Longest: max(s.Longest, waited)}
		}
	}
	for _, h := range hs {
		if waited += h.wait; h.Kind == "" {
			continue
		}
		if n++; n > 1 {
			count()
		}
		waited, last = 0, h.At
	}
	if broke && n > 0 {
		waited = end - last
		count()
	}
	return s
}

// expectedRefusal is what the record of an attempt that was refused before another should say.
func (t *trial[T]) expectedRefusal(i int) figures {
	x := t.log[i]
	f := answer(nil, tpot.Usage{}, false, nil)
	f.verdict = verdict{tpot.OutcomeFailed, "status", fmt.Sprint(t.played[i].Status)}
	f.Request = t.request(x)
	f.Attempts = []tpot.Attempt{t.attempt(i, x.Arrived)}
	f.Setup, f.E2E = t.refusal(i)
	return f
}

// refusal is when the body of a refusal was first read, if ever, and when the SDK was done with it.
func (t *trial[T]) refusal(i int) (read, done time.Duration) {
	b, start := t.above.read[i], t.log[i].Arrived
	switch {
	case len(b.reads) > 0: // all of it, as it comes
		return b.reads[0].began.Sub(start), b.reads[len(b.reads)-1].ended.Sub(start)
	case t.leaked:
		return 0, absent
	}
	return b.closed.Sub(start), b.closed.Sub(start)
}
