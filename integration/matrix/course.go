package matrix

import "github.com/tokentiming/tokentiming/tpot"

// complete is whether the answer comes whole, to its end marker.
func (t *trial[T]) complete() bool {
	return !t.refused() && !t.givesUp() && t.scenario.outcome == tpot.OutcomeOK
}

// refused is whether the request is over with a refusal.
func (t *trial[T]) refused() bool {
	return t.played[0].Status >= 400 && (len(t.played) == 1 || !t.Traits.Retries)
}

// givesUp is whether the SDK leaves the stream for a comment in it.
func (t *trial[T]) givesUp() bool { return t.comments && t.Traits.NoComments }

// races is whether it hangs on a race what the SDK makes of the end of the context.
func (t *trial[T]) races() bool { return t.cancelAt > 0 && t.Traits.RacesCancel }
