package tpot_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// Each step of a Course is as long as the longest gap that covers a part of it.
func TestCourseOfRandomStreams(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		scale := time.Microsecond << rnd.IntN(25) // up to half a minute
		r := tpot.Start(t.Context())
		chunks := []time.Duration{time.Second}
		r.ObserveAt(chunks[0], tpot.Event{Kind: text})
		for range rnd.IntN(100) {
			chunks = append(chunks, chunks[len(chunks)-1]+time.Duration(rnd.ExpFloat64()*float64(scale)))
			r.ObserveAt(chunks[len(chunks)-1], tpot.Event{Kind: text})
		}
		step, longest := r.Stats().Course()
		want := make([]time.Duration, len(longest))
		for i, at := range chunks[1:] {
			from, to := chunks[i]-chunks[0], at-chunks[0]
			for n := from / step; n <= to/step; n++ {
				want[n] = max(want[n], (to - from).Truncate(time.Microsecond))
			}
		}
		assert.Equal(t, want, longest, "seed %d", seed)
		assert.LessOrEqual(t, len(longest), 48)
		if len(chunks) == 1 {
			assert.Empty(t, longest)
			continue
		}
		assert.Equal(t, int((chunks[len(chunks)-1]-chunks[0])/step), len(longest)-1, "no step after the last chunk")
	}
}
