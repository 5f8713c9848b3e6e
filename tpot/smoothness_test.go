package tpot_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// What holds for both Fluidity and Playback: how they are told of tokens, and what that costs.

// portion is a chunk of tokens that arrived at an offset.
type portion struct {
	at     time.Duration
	tokens int
}

// randomPortions are those of a stream whose tokens come about once in a pace, in runs and after pauses.
func randomPortions(rnd *rand.Rand, pace time.Duration) []portion {
	var all []portion
	at := time.Duration(rnd.Int64N(int64(4*pace) + 1))
	for range rnd.IntN(40) {
		all = append(all, portion{at, 1 + rnd.IntN(4)})
		switch rnd.IntN(4) {
		case 0: // a whole number of paces
			at += pace * time.Duration(rnd.IntN(4))
		case 1: // in the same packet
		default:
			at += time.Duration(rnd.Int64N(int64(5*pace) + 1))
		}
	}
	return all
}

func fluidity(first, next time.Duration, all []portion) tpot.Fluidity {
	f := tpot.Fluidity{First: first, Next: next}
	for _, p := range all {
		f.Arrive(p.at, p.tokens)
	}
	return f
}

func playback(pace float64, all []portion) tpot.Playback {
	b := tpot.Playback{Pace: pace}
	for _, p := range all {
		b.Arrive(p.at, p.tokens)
	}
	return b
}

// paceOf is the pace at which a token takes so long.
func paceOf(perToken time.Duration) float64 { return float64(time.Second) / float64(perToken) }

func TestTokensOfAChunkMayBeToldOneByOne(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		whole := randomPortions(rnd, time.Millisecond)
		var split []portion
		for _, p := range whole {
			for range p.tokens {
				split = append(split, portion{p.at, 1})
			}
		}
		first := time.Duration(rnd.IntN(3)) * time.Millisecond
		require.Equal(t, fluidity(first, time.Millisecond, split), fluidity(first, time.Millisecond, whole), "seed %d", seed)
		require.Equal(t, playback(1000, split), playback(1000, whole), "seed %d", seed)
	}
}

func TestOffsetsAndTokensOutOfRange(t *testing.T) {
	told := []portion{{math.MinInt64, 0}, {7, math.MinInt}, {5, 1}, {math.MinInt64, 2}, {9, -1}, {-1, 1}, {30, 1}}
	meant := []portion{{0, 1}, {7, 1}, {7, 1}, {7, 2}, {9, 1}, {9, 1}, {30, 1}}
	for _, first := range []time.Duration{0, 3} {
		assert.Equal(t, fluidity(first, 2, meant), fluidity(first, 2, told))
	}
	assert.Equal(t, playback(paceOf(2), meant), playback(paceOf(2), told))
}

func TestSmoothnessIsSmallAndAllocatesNothing(t *testing.T) {
	var f tpot.Fluidity
	var b tpot.Playback
	assert.LessOrEqual(t, unsafe.Sizeof(f), uintptr(100))
	assert.LessOrEqual(t, unsafe.Sizeof(b), uintptr(100))
	f.First, f.Next = time.Second, 50*time.Millisecond
	var at time.Duration
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		at += 120 * time.Millisecond
		f.Arrive(at, 2)
		b.Arrive(at, 2)
		_, _ = f.DeadlineReset()
		_, _ = f.PerToken()
		_, _ = b.RebufferShare()
		_, _ = b.WaitingAt(at)
	}))
}

// BenchmarkClockRead is the baseline of these two.

func BenchmarkFluidityArrive(b *testing.B) {
	f := tpot.Fluidity{First: time.Second, Next: 50 * time.Millisecond}
	var at time.Duration
	b.ReportAllocs()
	for b.Loop() {
		at += 120 * time.Millisecond
		f.Arrive(at, 2)
	}
}

func BenchmarkPlaybackArrive(b *testing.B) {
	var p tpot.Playback
	var at time.Duration
	b.ReportAllocs()
	for b.Loop() {
		at += 120 * time.Millisecond
		p.Arrive(at, 2)
	}
}
