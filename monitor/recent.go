package monitor

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// finished is what is kept of a request that ended, for a person to look at. It holds on to nothing of the request.
type finished struct {
	number          int // of those that ended before
	key             Key // as far as there was room for it
	start           time.Time
	outcome         tpot.Outcome
	cause           string
	errorType       string
	ttft, tpot, e2e figure
	tokens, chunks  int
	source          tpot.TokenSource
	stalls          tpot.Stalls
	course          course
}

// figure is a duration that may be absent.
type figure struct {
	value time.Duration
	ok    bool
}

func figureOf(value time.Duration, ok bool) figure { return figure{value, ok} }

// course is a response over time; see [tpot.Stats.Course].
type course struct {
	step    time.Duration
	longest []time.Duration
}

func courseOf(step time.Duration, longest []time.Duration) course { return course{step, longest} }

// finish is what is kept of a request but for its key.
func finish(s *tpot.Stats) finished {
	return finished{
		start: s.Start, outcome: s.Outcome, cause: s.Cause, errorType: s.ErrorType,
		ttft: figureOf(s.TTFT()), tpot: figureOf(s.TPOT()), e2e: figureOf(s.E2E()),
		tokens: s.Tokens, chunks: s.Chunks, source: s.Source, stalls: s.Stalls, course: courseOf(s.Course()),
	}
}

// recentRequests is how many finished requests are kept.
const recentRequests = 100

// recent is the last requests that ended. The zero recent is empty.
type recent struct {
	ring  [recentRequests]finished
	count int // of all that ever ended
}

func (r *recent) add(f finished) {
	f.number = r.count
	r.ring[r.count%recentRequests] = f
	r.count++
}

// latest is the requests from the last that ended to the first that is kept.
func (r *recent) latest() []finished {
	n := min(r.count, recentRequests)
	list := make([]finished, 0, n)
	for i := range n {
		list = append(list, r.ring[(r.count-1-i)%recentRequests])
	}
	return list
}
