package matrix

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// complete is whether the answer comes whole, to its end marker.
func (t *trial[T]) complete() bool {
	return t.tells() && t.scenario.outcome == tpot.OutcomeOK
}

// refused is whether the request is over with a refusal.
func (t *trial[T]) refused() bool {
	return t.played[0].Status >= 400 && (len(t.played) == 1 || !t.Traits.Retries)
}

// tells is whether any of the answer reaches the SDK.
func (t *trial[T]) tells() bool { return !t.refused() && !t.givesUp() }

// givesUp is whether the SDK leaves the stream for a comment in it.
func (t *trial[T]) givesUp() bool { return t.comments && t.Traits.NoComments }

// lingers is whether an answer that the consumer has left stays open until the context ends.
func (t *trial[T]) lingers() bool { return t.consumer.Left && t.Traits.Lingers }

// abandoned is whether a record of the answer's own ends when the garbage collector finds the response.
func (t *trial[T]) abandoned() bool { return t.own() && t.transport && t.above.last().open() }

// leaks is whether there is a response that the SDK has left open, with a record of its own.
func (t *trial[T]) leaks() bool {
	return t.own() && t.transport && slices.ContainsFunc(t.above.read, func(b *body) bool { return b.open() })
}

// races is whether it hangs on a race what the SDK makes of the end of the context.
func (t *trial[T]) races() bool { return t.cancelAt > 0 && t.Traits.RacesCancel }
