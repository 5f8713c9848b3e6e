package tpot

import "time"

// maxChoices bounds the choices whose chunks are timed apart, so that a stream of made-up indices cannot grow memory.
// Providers stop at 128.
const maxChoices = 128

// choice is what is known of one choice's chunks. Gaps lie between chunks of one choice.
type choice struct {
	index       int
	chunks      int
	counted     tally // chunks whose tokens are known
	first, last time.Duration
	unfinished  bool          // no finish reason since its last chunk
	gap         time.Duration // the last gap
	itl         time.Duration // the last inter-token latency, once that is not the gap
}

// choices finds a choice by its index. The first has its place inside, since most streams have no other.
type choices struct {
	first choice
	more  []choice
}

// find returns the choice, new or known; nil when there are too many.
func (c *choices) find(index int) *choice {
	if c.first.index == index || c.first.chunks == 0 {
		c.first.index = index
		return &c.first
	}
	for i := range c.more {
		if c.more[i].index == index {
			return &c.more[i]
		}
	}
	if len(c.more)+1 == maxChoices {
		return nil
	}
	c.more = append(c.more, choice{index: index})
	return &c.more[len(c.more)-1]
}

func (c *choices) each(do func(*choice)) {
	do(&c.first)
	for i := range c.more {
		do(&c.more[i])
	}
}

func (c *choices) count() int { return min(c.first.chunks, 1) + len(c.more) }

// pooled is the time that all choices together spent after their first chunks and the number of tokens that came in it, ok
// when every chunk's tokens are known. A choice of one chunk has no such time.
func (c *choices) pooled() (s span, ok bool) {
	ok = true
	c.each(func(one *choice) { ok = s.pool(one) && ok })
	return s, ok
}

// pool adds a choice to the span and reports whether all its tokens are known.
func (s *span) pool(c *choice) bool {
	if c.chunks > 1 {
		s.length += c.last - c.first
		s.tokens += c.counted.tokens - 1
	}
	return c.counted.chunks == c.chunks
}
