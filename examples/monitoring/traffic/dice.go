package traffic

import (
	"math/rand/v2"
	"time"
)

// dice decide. Each request has its own, so that nothing depends on the order in which requests that run side by side come to
// throw them.
type dice struct{ *rand.Rand }

func newDice(seed, request uint64) dice { return dice{rand.New(rand.NewPCG(seed, request))} }

// interval is the time between two requests that come independently of each other.
func (d dice) interval(perSecond float64) time.Duration {
	return time.Duration(d.ExpFloat64() / perSecond * float64(time.Second))
}

func (d dice) chance(p float64) bool { return d.Float64() < p }

// between is a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// duration is a duration from low to high.
func (d dice) duration(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low+1)))
}

// around is a duration that differs from the typical one by no more than a share of it, less than one.
func (d dice) around(typical time.Duration, share float64) time.Duration {
	return time.Duration(float64(typical) * (1 + share*(2*d.Float64()-1)))
}

// late is a duration that is seldom much longer than the typical one, and never much shorter.
func (d dice) late(typical time.Duration) time.Duration {
	return time.Duration(float64(typical) * (0.6 + 0.4*d.ExpFloat64()))
}
