package ollama

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// Of how many requests a median is taken: of as many as it takes to know it within one percent, whatever it is. That is more where
// others use the machine.
const (
	fewest = 7
	most   = 31
	within = 0.01
)

func measure(t *testing.T, w wire, by way, check func(*testing.T, answer, tpot.Stats)) (all figures) {
	for len(all) < fewest || len(all) < most && all.uncertainty() > within {
		a, s, other := beside(t, w, by)
		require.Equal(t, tokens, other.metrics.EvalCount)
		complete(t, w, by, a, s)
		check(t, a, s)
		all = append(all, figure{s.Tokens, s.Chunks, tpotOf(t, s), perToken(other), share(a, other)})
	}
	return all
}

// beside is a response, and one in which the server says how long it took for a token meanwhile. On its own wires that is the same
// one. The others have no room for it, so a request to an own wire is decoded beside them, in the same batches: what the one has
// to wait for, the other has, too, be the machine as busy as it may. Where others use the machine, a request before and one after
// would say little.
func beside(t *testing.T, w wire, by way) (a answer, s tpot.Stats, other answer) {
	if w.own() {
		a, s = by.time(t, w.call)
		return a, s, a
	}
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { other, err = ollamaChat(t.Context(), http.DefaultClient, nil) })
	a, s = by.time(t, w.call)
	wg.Wait()
	require.NoError(t, err)
	return a, s, other
}

// perToken is the server's own figure. It is the time of decoding, which has no sampling in it and not the first token, which comes
// with the prompt, over the number of all tokens: somewhat less than a client can see.
func perToken(a answer) time.Duration {
	return a.metrics.EvalDuration / time.Duration(a.metrics.EvalCount)
}

// share is the part of a's time in which the other was streamed, too.
func share(a, other answer) float64 { return overlap(a, other).Seconds() / overlap(a, a).Seconds() }

func overlap(a, b answer) time.Duration {
	from, to := a.first, a.last
	if b.first.After(from) {
		from = b.first
	}
	if b.last.Before(to) {
		to = b.last
	}
	return to.Sub(from)
}
