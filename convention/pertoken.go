package convention

import (
	"fmt"
	"time"
)

// ratio is a time over a number of tokens, or why there is none.
type ratio struct {
	time   time.Duration
	tokens int
	why    string
}

// perToken works out a time per token. The tokens that it divides by are its weight.
func (r *reading) perToken(p PerToken, n int, known bool) (f Figure, weight int) {
	q := r.ratio(p, n, known)
	tokens := time.Duration(q.tokens)
	switch {
	case q.why != "":
		return Figure{Undefined: q.why}, 0
	case q.tokens < 1 && n == 1 && p.Zero:
		return Figure{}, 1
	case q.tokens < 1:
		return Figure{Undefined: fmt.Sprintf("N is %d", n)}, 0
	case p.Floor:
		return Figure{Value: q.time / tokens}, q.tokens
	}
	return Figure{Value: (q.time + tokens/2) / tokens}, q.tokens
}

func (r *reading) ratio(p PerToken, n int, known bool) ratio {
	switch {
	case p.Of == NotReported:
		return ratio{why: unreported}
	case p.Of == MeanGap:
		return r.meanGap()
	case len(r.choices) > 1:
		return r.pooled()
	case !known:
		return ratio{why: unknownN}
	}
	from, to, chunks := r.window(p.Of)
	switch {
	case !from.ok || !to.ok:
		return ratio{why: nothing}
	case chunks < p.Chunks:
		return ratio{why: fmt.Sprintf("there are fewer than %d events that count", p.Chunks)}
	}
	return ratio{time: max(to.at-from.at, 0), tokens: r.divisor(p.Over, n)}
}

func (r *reading) meanGap() ratio {
	switch {
	case r.gapsWhy != "":
		return ratio{why: r.gapsWhy}
	case len(r.gaps) == 0:
		return ratio{why: "there is no gap"}
	}
	return ratio{time: r.gapTime, tokens: len(r.gaps)}
}

// window is the ends of the time that is divided, and the number of events of First in it.
func (r *reading) window(w Window) (from, to mark, chunks int) {
	from, to, chunks = r.first, r.last, r.chunks
	if r.hidden() > 0 {
		from, to, chunks = r.output, mark{r.visible.last, r.output.ok}, r.visible.chunks
	}
	if w == StartToLast || w == StartToEnd {
		from = mark{0, true}
	}
	if w == FirstToEnd || w == StartToEnd {
		to = r.ending()
	}
	return from, to, chunks
}

func (r *reading) divisor(over Divisor, n int) int {
	switch over {
	case AllTokens:
		return n
	case AfterFirstChunk:
		if d := n - r.firstUsage; d > 0 && d < n {
			return d
		}
	}
	return n - 1
}

// pooled is the time of several choices after their first events, and the tokens that came in it. A choice of one event has no such time.
func (r *reading) pooled() (all ratio) {
	for _, s := range r.choices {
		if s.uncounted {
			return ratio{why: "several choices came, and " + unknownTokens}
		}
		if s.chunks > 1 {
			all.time += s.last - s.first
			all.tokens += s.tokens - 1
		}
	}
	return all
}
