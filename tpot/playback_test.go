package tpot_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// seen is all that a Playback says.
type seen struct {
	delay                    time.Duration
	rebuffers                int64
	waited, longest          time.Duration
	idle                     time.Duration
	share                    float64
	delayOK, shareOK, idleOK bool
}

func see(p tpot.Playback) (s seen) {
	s.delay, s.delayOK = p.StartDelay()
	s.rebuffers, s.waited, s.longest = p.Rebuffers(), p.RebufferTime(), p.LongestRebuffer()
	s.share, s.shareOK = p.RebufferShare()
	s.idle, s.idleOK = p.IdleLatency()
	return s
}

// plainPlayback reads token by token, with the idle latency as a maximum over all tokens.
type plainPlayback struct {
	perToken time.Duration
	tokens   time.Duration // their number
	done     time.Duration // with the last of them
	seen
}

func (p *plainPlayback) token(at time.Duration) {
	begin := at
	if p.tokens > 0 {
		begin = max(at, p.done)
		if wait := begin - p.done; wait > 0 {
			p.rebuffers++
			p.waited += wait
			p.longest = max(p.longest, wait)
		}
		p.idle = max(p.idle, at-p.tokens*p.perToken)
	} else {
		p.delay, p.idle = at, at
		p.delayOK, p.shareOK, p.idleOK = true, true, true
	}
	p.tokens++
	p.done = begin + p.perToken
	p.share = float64(p.waited) / float64(p.done-p.delay)
}

func TestPlaybackOfRandomStreams(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		perToken := time.Duration(1 + rnd.IntN(1_000_000_000))
		p := tpot.Playback{Pace: paceOf(perToken)}
		plain := plainPlayback{perToken: perToken}
		require.Equal(t, seen{}, see(p))
		for _, chunk := range randomPortions(rnd, perToken) {
			before, waits := p.RebufferTime(), plain.tokens > 0
			wait, waiting := p.WaitingAt(chunk.at)
			p.Arrive(chunk.at, chunk.tokens)
			for range chunk.tokens {
				plain.token(chunk.at)
			}
			require.Equal(t, plain.seen, see(p), "seed %d", seed)
			if waits {
				require.Equal(t, p.RebufferTime()-before, wait, "a rebuffer is the wait that its token ends")
			} else {
				require.Equal(t, chunk.at, wait, "the start delay is the wait that the first token ends")
			}
			require.Equal(t, wait > 0, waiting)
		}
	}
}

func TestPlaybackScales(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		all := randomPortions(rnd, 100)
		k := 1 + time.Duration(rnd.IntN(1_000_000))
		var scaledAll []portion
		for _, p := range all {
			scaledAll = append(scaledAll, portion{p.at * k, p.tokens})
		}
		want := see(playback(paceOf(100), all))
		want.delay *= k
		want.waited *= k
		want.longest *= k
		want.idle *= k
		require.Equal(t, want, see(playback(paceOf(100*k), scaledAll)), "seed %d", seed)
	}
}

func TestPlaybackByHand(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		all  []portion
		want seen
	}{
		"no token": {nil, seen{}},
		"one token": {
			[]portion{{700 * ms, 1}},
			seen{delay: 700 * ms, idle: 700 * ms, delayOK: true, shareOK: true, idleOK: true},
		},
		"a token at once": {
			[]portion{{0, 1}, {200 * ms, 1}},
			seen{delayOK: true, shareOK: true, idleOK: true},
		},
		"faster than they are read, with a pause that is read over": {
			[]portion{{500 * ms, 1}, {520 * ms, 1}, {540 * ms, 8}, {2500 * ms, 1}}, // all ten are read at 2.5 s
			seen{delay: 500 * ms, idle: 500 * ms, delayOK: true, shareOK: true, idleOK: true},
		},
		"two pauses": { // read at 0.7 s, then 1.5 to 1.9 s, then 2.0 to 2.2 s
			[]portion{{500 * ms, 1}, {1500 * ms, 2}, {2000 * ms, 1}},
			seen{
				delay: 500 * ms, rebuffers: 2, waited: 900 * ms, longest: 800 * ms, share: 900.0 / 1700, idle: 1400 * ms,
				delayOK: true, shareOK: true, idleOK: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, see(playback(0, c.all))) })
	}
}

func TestPlaybackPace(t *testing.T) {
	for pace, want := range map[float64]time.Duration{ // the time to read one token
		0: 200 * time.Millisecond, tpot.ReadingPace: 200 * time.Millisecond,
		-1: 200 * time.Millisecond, math.Inf(-1): 200 * time.Millisecond, math.NaN(): 200 * time.Millisecond,
		20: 50 * time.Millisecond, 0.5: 2 * time.Second,
		3: 333_333_333, 6: 166_666_667, // the nearest
		1e9: 1, 1e10: 1, math.MaxFloat64: 1, math.Inf(1): 1,
		1e-9: 1e18, 1e-10: math.MaxInt64, math.SmallestNonzeroFloat64: math.MaxInt64,
		1e9 / (1 << 63): math.MaxInt64, // one nanosecond more than the largest Duration
	} {
		p := playback(pace, []portion{{0, 1}})
		_, waiting := p.WaitingAt(want)
		assert.False(t, waiting, "pace %v", pace)
		if want < math.MaxInt64 {
			wait, waiting := p.WaitingAt(want + 1)
			assert.True(t, waiting, "pace %v", pace)
			assert.Equal(t, time.Duration(1), wait, "pace %v", pace)
		}
	}
}

func TestPlaybackWaitingAt(t *testing.T) {
	const ms = time.Millisecond
	check := func(p tpot.Playback, at, want time.Duration) {
		t.Helper()
		wait, waiting := p.WaitingAt(at)
		assert.Equal(t, want, wait)
		assert.Equal(t, want > 0, waiting)
	}
	var p tpot.Playback
	check(p, math.MinInt64, 0)
	check(p, 0, 0)
	check(p, 300*ms, 300*ms)
	p.Arrive(400*ms, 2)
	check(p, math.MinInt64, 0)
	check(p, 300*ms, 0)
	check(p, 800*ms, 0)
	check(p, 900*ms, 100*ms)
	check(p, math.MaxInt64, math.MaxInt64-800*ms)
	assert.Zero(t, p.Rebuffers(), "one that goes on does not count yet")
}

func TestPlaybackOfVastNumbers(t *testing.T) {
	p := playback(1000, []portion{{5, 2_000_000_000}})
	_, waiting := p.WaitingAt(2_000_000*time.Second + 5)
	assert.False(t, waiting)
	p.Arrive(2_000_000*time.Second+6, math.MaxInt32)
	assert.Equal(t, []int64{1, 1}, []int64{p.Rebuffers(), int64(p.RebufferTime())})

	p = playback(0, []portion{{math.MaxInt64, math.MaxInt}, {math.MaxInt64, 1}})
	assert.Equal(t, seen{delay: math.MaxInt64, idle: math.MaxInt64, delayOK: true, shareOK: true, idleOK: true}, see(p))
	p = playback(1e9, []portion{{0, 1}, {math.MaxInt64 - 1, 1}, {math.MaxInt64, math.MaxInt}})
	assert.Equal(t, seen{
		rebuffers: 1, waited: math.MaxInt64 - 2, longest: math.MaxInt64 - 2, idle: math.MaxInt64 - 2, share: 1,
		delayOK: true, shareOK: true, idleOK: true,
	}, see(p))
}

func FuzzPlayback(f *testing.F) {
	f.Add(0.0, int64(500), 1, int64(2000), 7, int64(0))
	f.Add(math.Inf(1), int64(math.MaxInt64), math.MaxInt, int64(math.MinInt64), math.MinInt, int64(math.MinInt64))
	f.Add(1e-300, int64(0), math.MaxInt, int64(math.MaxInt64), math.MaxInt, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, pace float64, at int64, n int, later int64, m int, now int64) {
		p := tpot.Playback{Pace: pace}
		for _, chunk := range []portion{{time.Duration(at), n}, {time.Duration(later), m}, {time.Duration(later), m}, {time.Duration(at + later), n}} {
			p.Arrive(chunk.at, chunk.tokens)
			s := see(p)
			require.True(t, s.delayOK && s.shareOK && s.idleOK)
			require.GreaterOrEqual(t, s.delay, time.Duration(0))
			require.True(t, 0 <= s.longest && s.longest <= s.waited, "%v", s)
			require.Equal(t, s.rebuffers > 0, s.longest > 0)
			require.Equal(t, s.delay, s.idle-s.waited)
			require.GreaterOrEqual(t, s.idle, s.delay)
			require.True(t, 0 <= s.share && s.share <= 1, "%v", s)
			wait, waiting := p.WaitingAt(time.Duration(now))
			require.GreaterOrEqual(t, wait, time.Duration(0))
			require.Equal(t, wait > 0, waiting)
		}
	})
}
