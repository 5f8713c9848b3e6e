package matrix

import (
	"cmp"
	"encoding/json"
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

// tapped is whether the events of the record come from below the SDK: with an adapter, too, from whichever was first with a
// stream.
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
	if len(hs) > 0 && t.tells() {
		f.Model, f.Format = t.names()
	}
	if t.complete() {
		f.Server = t.wire.Server
	}
	end := t.end().Sub(start)
	f.Stalls = stalls(hs, end, !t.complete() && f.Outcome != tpot.OutcomeFailed)
	f.Setup, f.Wait, f.Hold = t.parts(start, end)
	if f.E2E = end; t.abandoned() && !t.complete() {
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
	case t.wire.InputFirst && (t.tapped() || !t.Traits.LateUsage) && len(hs) > 0 && t.tells():
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
	case t.abandoned():
		reads := t.below.last().reads
		return reads[len(reads)-1].ended
	case t.Traits.Stutters && t.outcome() == tpot.OutcomeTruncated && !t.tapped():
		return c.start.Add(c.told) // of an error that nothing followed
	}
	return c.start.Add(c.ended)
}

// parts is what the time to the end was: before the first wait, the producer's, and the consumer's.
func (t *trial[T]) parts(start time.Time, end time.Duration) (setup, wait, hold time.Duration) {
	if !t.tapped() {
		setup, hold = t.consumer.opened, t.pause*time.Duration(len(t.consumer.took))
		return setup, end - setup - hold, hold
	}
	setup = t.below.last().opened().Sub(start)
	for _, r := range t.above.last().reads {
		wait += min(r.ended.Sub(start), end) - min(r.began.Sub(start), end)
	}
	return setup, wait, end - setup - wait
}

// stalls is the waits of half a second and more for a chunk after the first, and where the answer broke off for one that did
// not come.
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
