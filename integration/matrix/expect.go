package matrix

import (
	"cmp"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// arrived is when the exchange's request was at the server, from the consumer's start.
func (t *trial[T]) arrived(x llmtest.Exchange) time.Duration { return x.Arrived.Sub(t.consumer.start) }

// sent is the chunks that the server sent, from the consumer's start.
func (t *trial[T]) sent() (cs []chunk) {
	for _, x := range t.log {
		for s, e := range x.Chunks() {
			cs = append(cs, chunk{t.arrived(x) + s.Returned, e.Kind})
		}
	}
	return cs
}

// seen is the chunks that the consumer saw.
func (c *Consumer[T]) seen() (cs []chunk) {
	for _, v := range c.Took {
		if v.Kind != "" {
			cs = append(cs, chunk{v.Got, v.Kind})
		}
	}
	return cs
}

// visible is the chunks that the SDK shows of those that were sent.
func (t *trial[T]) visible(cs []chunk) (shown []chunk) {
	for _, c := range cs {
		if !t.Traits.NoReasoning || c.Kind != llmtest.KindReasoning {
			shown = append(shown, c)
		}
	}
	return shown
}

// tapped is whether the events of the record come from below the SDK: with an adapter, too, from whichever was first.
func (t *trial[T]) tapped() bool { return t.transport && (!t.adapter || !t.Traits.Lazy) }

// loose is whether what the record hears, and when, hangs on the buffers of the SDK: below it, with a slow consumer above.
func (t *trial[T]) loose() bool { return t.pause > 0 && t.tapped() && t.readAhead == 0 }

// expected is what the record of the last attempt should say.
func (t *trial[T]) expected() figures {
	cs, start := t.sent(), time.Duration(0)
	if !t.tapped() {
		cs = t.consumer.seen()
	}
	u := t.heardUsage(cs)
	if !t.adapter && !t.joined {
		start = t.arrived(t.log[len(t.log)-1])
		cs = since(start, cs)
	}
	counts := !t.wire.NoReasoningCount && (t.tapped() || !t.Traits.NoCount)
	f := answer(cs, u, counts, t.wire.Summary)
	f.Outcome = t.heardOutcome()
	f.E2E, f.Headers = t.end()-start, absent
	if t.leaked && !t.complete {
		f.E2E = absent
	}
	if t.transport {
		f.Headers = t.arrived(t.log[len(t.log)-1]) + t.log[len(t.log)-1].HeaderSent - start
	}
	switch {
	case t.adapter && !t.tapped() && t.Traits.NoReason:
	case t.complete && !t.tapped():
		f.FinishReason = cmp.Or(t.Traits.FinishReason, t.wire.FinishReason)
	case t.complete:
		f.FinishReason = t.wire.FinishReason
	case t.outcome == tpot.OutcomeFailed:
		f.FinishReason = t.wire.ErrorReason
	}
	f.Stalls = t.stalls(cs)
	f.Statuses = t.statuses()
	return f
}

// heardOutcome is the outcome, as far as the record's source can tell.
func (t *trial[T]) heardOutcome() tpot.Outcome {
	switch {
	case t.scenario.name == "cut in an event" && t.Traits.GarblesCut && !t.transport:
		return tpot.OutcomeFailed
	case t.scenario.name == "error in stream" && t.Traits.NoError && !t.tapped():
		return tpot.OutcomeTruncated
	}
	return t.outcome
}

// heardUsage is the usage that the record's source told.
func (t *trial[T]) heardUsage(cs []chunk) (u llmtest.Usage) {
	switch {
	case !t.tapped() && t.Traits.NoUsage, t.wire.Unasked:
	case t.complete:
		u = usage(len(pieces))
	case t.wire.Running:
		u = usage(len(cs))
	}
	return u
}

// end is when the answer ended for the record, from the consumer's start.
func (t *trial[T]) end() time.Duration {
	if t.transport && !t.joined && t.complete {
		last := t.log[len(t.log)-1]
		return t.arrived(last) + closingAt
	}
	if t.Traits.Stutters && t.outcome == tpot.OutcomeTruncated && !t.tapped() {
		return t.consumer.Heard // of an error that nothing followed
	}
	return t.consumer.Ended
}

func (t *trial[T]) statuses() (codes []int) {
	if !t.transport {
		return nil
	}
	for _, s := range t.played {
		codes = append(codes, max(s.Status, 200))
	}
	if !t.joined {
		codes = codes[len(codes)-1:]
	}
	return codes
}

// stalls is the waits of half a second and more since a chunk.
func (t *trial[T]) stalls(cs []chunk) (s tpot.Stalls) {
	for _, wait := range t.waits(cs) {
		if wait >= 500*ms {
			s.Count++
			s.Total += wait
			s.Longest = max(s.Longest, wait)
		}
	}
	return s
}

// waits is how long was waited after each chunk for the next one, or for the end of what broke off.
func (t *trial[T]) waits(cs []chunk) (waits []time.Duration) {
	for i := 1; i < len(cs); i++ {
		waits = append(waits, cs[i].At-cs[i-1].At)
	}
	if t.pause > 0 && !t.tapped() {
		waits = t.consumer.waits()
	}
	if !t.complete && t.outcome != tpot.OutcomeFailed && len(cs) > 0 {
		waits = append(waits, t.consumer.Ended-cs[len(cs)-1].At)
	}
	return waits
}

// waits is how long the consumer waited for each chunk but the first, its own pauses left out.
func (c *Consumer[T]) waits() (waits []time.Duration) {
	var waited time.Duration
	chunks := 0
	for _, v := range c.Took {
		if waited += v.Got - v.Asked; v.Kind == "" {
			continue
		}
		if chunks++; chunks > 1 {
			waits = append(waits, waited)
		}
		waited = 0
	}
	return waits
}

// since is the chunks with another start.
func since(start time.Duration, cs []chunk) []chunk {
	moved := make([]chunk, len(cs))
	for i, c := range cs {
		moved[i] = chunk{c.At - start, c.Kind}
	}
	return moved
}
