package monitor

import (
	"math"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Tally is what the requests that ended in a stretch of time came to. Those in flight are not in it.
//
// The distributions of TTFT, TTFO, E2E, TPOT and ITLByRequest have one value for each request that has the figure; those of TPOTByToken, ITL and
// Gaps weigh a request by its tokens or chunks. Their Jitter is within the requests for ITL and Gaps, and for the others from
// one request to the next that ended, which tells little.
type Tally struct {
	Requests int
	Outcomes Outcomes
	Sources  Sources
	Tokens   int // output tokens, see [tpot.Stats.Tokens]; Sources tells how many requests' are guesses
	Chunks   int

	Setup, Wait, Hold time.Duration // sums over the requests

	Streamed int         // requests that had a chunk
	Stalled  int         // of these, those that had a stall
	Stalls   tpot.Stalls // of all requests

	Good, Missed int    // requests that met all their limits, and that did not; see [tpot.Stats.SLOMet] for who is neither
	Misses       Misses // by which limit

	Lost int // requests whose Recorder was dropped without End, a fault of the program; they are in no other figure

	TTFT        tpot.Histogram
	TTFO        tpot.Histogram
	E2E         tpot.Histogram
	TPOT        tpot.Histogram // per request: each request's counts once
	TPOTByToken tpot.Histogram // per token: each request's counts once for each token after the first

	ITL          tpot.Histogram // per token, where known: the inter-token latencies of all requests; see ITLBasis
	ITLByRequest tpot.Histogram // per request: the mean inter-token latency of each
	Gaps         tpot.Histogram // per chunk: the chunk gaps of all requests

	concurrency      float64 // sum over the requests
	byToken, byChunk int     // requests with such gaps in ITL
	loads            [loadClasses]Load
}

// Outcomes is how many requests ended how, by [tpot.Outcome].
type Outcomes [tpot.OutcomeFailed + 1]int

// Sources is where the token counts of how many requests came from, by [tpot.TokenSource].
type Sources [tpot.SourceChunks + 1]int

// Misses is how many requests missed which limit; one can miss several.
type Misses struct {
	TTFT  int `json:"ttft"`
	TTFO  int `json:"ttfo"`
	TPOT  int `json:"tpot"`
	ITL99 int `json:"itl99"`
	Stall int `json:"stall"`
	E2E   int `json:"e2e"`
	End   int `json:"end"` // did not end well
}

// add takes in a request that ended, with the mean number of requests that were in flight meanwhile. Done is what is kept of it: a method of
// Stats copies all of them, so each is called once.
func (t *Tally) add(s *tpot.Stats, done *finished, concurrency float64) {
	t.Requests++
	t.Outcomes[s.Outcome]++
	t.Sources[s.Source]++
	t.Tokens += s.Tokens
	t.Chunks += s.Chunks
	t.addTimes(s.Setup, s.Wait, s.Hold)
	t.addStalls(s)
	t.addLimits(s)
	t.addDistributions(s, done)
	t.concurrency += concurrency
	t.addLoad(done, concurrency)
}

// addTo adds to a sum of durations, which stays at the largest one rather than wrap around.
func addTo(sum *time.Duration, d time.Duration) {
	if *sum += d; *sum < 0 {
		*sum = math.MaxInt64
	}
}

func (t *Tally) addStalls(s *tpot.Stats) {
	if s.Chunks > 0 {
		t.Streamed++
	}
	if s.Stalls.Count > 0 {
		t.Stalled++
	}
	t.mergeStalls(s.Stalls)
}

func (t *Tally) mergeStalls(s tpot.Stalls) {
	t.Stalls.Count += s.Count
	addTo(&t.Stalls.Total, s.Total)
	t.Stalls.Longest = max(t.Stalls.Longest, s.Longest)
}

// addTimes adds what the time of requests went into.
func (t *Tally) addTimes(setup, wait, hold time.Duration) {
	addTo(&t.Setup, setup)
	addTo(&t.Wait, wait)
	addTo(&t.Hold, hold)
}

func (t *Tally) addLimits(s *tpot.Stats) {
	met, applicable := s.SLOMet()
	switch {
	case !applicable:
	case met:
		t.Good++
	default:
		t.Missed++
		t.Misses.add(s)
	}
}

func (t *Tally) addDistributions(s *tpot.Stats, done *finished) {
	observe := func(h *tpot.Histogram, f figure) {
		if f.ok {
			h.Observe(f.value)
		}
	}
	itl := s.ITL()
	observe(&t.TTFT, done.ttft)
	observe(&t.TTFO, figureOf(s.TTFO()))
	observe(&t.E2E, done.e2e)
	observe(&t.TPOT, done.tpot)
	observe(&t.ITLByRequest, figureOf(itl.Mean()))
	t.TPOTByToken.ObserveN(done.tpot.value, s.TPOTTokens())
	t.ITL.Merge(itl)
	t.addBasis(s.ITLBasis())
	t.Gaps.Merge(s.Gaps())
}

func (t *Tally) addBasis(basis string) {
	if basis == "tokens" || basis == "mixed" {
		t.byToken++
	}
	if basis == "chunks" || basis == "mixed" {
		t.byChunk++
	}
}

func (t *Tally) addLoad(done *finished, concurrency float64) {
	l := &t.loads[loadClass(concurrency)]
	l.Requests++
	l.ttft.add(done.ttft)
	l.tpot.add(done.tpot)
}

// merge adds all that other holds.
func (t *Tally) merge(other *Tally) {
	t.Requests += other.Requests
	for i, n := range other.Outcomes {
		t.Outcomes[i] += n
	}
	for i, n := range other.Sources {
		t.Sources[i] += n
	}
	t.Tokens += other.Tokens
	t.Chunks += other.Chunks
	t.addTimes(other.Setup, other.Wait, other.Hold)
	t.Streamed += other.Streamed
	t.Stalled += other.Stalled
	t.mergeStalls(other.Stalls)
	t.Good += other.Good
	t.Missed += other.Missed
	t.Misses.merge(other.Misses)
	t.Lost += other.Lost
	t.TTFT.Merge(&other.TTFT)
	t.TTFO.Merge(&other.TTFO)
	t.E2E.Merge(&other.E2E)
	t.TPOT.Merge(&other.TPOT)
	t.TPOTByToken.Merge(&other.TPOTByToken)
	t.ITL.Merge(&other.ITL)
	t.ITLByRequest.Merge(&other.ITLByRequest)
	t.Gaps.Merge(&other.Gaps)
	t.concurrency += other.concurrency
	t.byToken += other.byToken
	t.byChunk += other.byChunk
	for i := range t.loads {
		t.loads[i].merge(&other.loads[i])
	}
}

func (l *Load) merge(other *Load) {
	l.Requests += other.Requests
	l.ttft.merge(other.ttft)
	l.tpot.merge(other.tpot)
}

// add takes in a request that missed.
func (m *Misses) add(s *tpot.Stats) {
	if s.Outcome != tpot.OutcomeOK {
		m.End++
		return
	}
	count := func(n *int, limit time.Duration) {
		if limit != 0 {
			*n++
		}
	}
	missed := s.SLOMissed()
	count(&m.TTFT, missed.TTFT)
	count(&m.TTFO, missed.TTFO)
	count(&m.TPOT, missed.TPOT)
	count(&m.ITL99, missed.ITL99)
	count(&m.Stall, missed.Stall)
	count(&m.E2E, missed.E2E)
}

func (m *Misses) merge(other Misses) {
	m.TTFT += other.TTFT
	m.TTFO += other.TTFO
	m.TPOT += other.TPOT
	m.ITL99 += other.ITL99
	m.Stall += other.Stall
	m.E2E += other.E2E
	m.End += other.End
}
