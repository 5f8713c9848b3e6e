package tpot

import (
	"math"
	"time"
)

// ReadingPace is how many tokens a second a person reads: 200 to 250 words a minute, at 0.75 words a token, are 4.4 to 5.6.
const ReadingPace = 5.0

// Playback is a reader who takes in a response at a constant pace, as a video player does. Tokens that come faster than they are read wait
// for the reader; where all have been read, the reader waits for the next one, which is a rebuffer. Gaps that the reader does not notice
// count for nothing.
//
// Token i, counted from 0, comes at t(i), and its reading begins at r(0) = t(0), r(i) = max(t(i), r(i-1) + 1/Pace): when it has come and
// the one before it is read. The time 1/Pace that a token takes is rounded to whole nanoseconds, and at least one.
//
// The zero Playback is ready to use. Set the pace before the first Arrive. A Playback takes a few words whatever it is told, and an arrival
// the same short time however many tokens it has. It is a value, a copy of which is a snapshot, and not safe for concurrent use. What is
// not read within 292 years of the start, the range of a Duration, counts as read then.
type Playback struct {
	Pace float64 // tokens a second; zero, or no pace at all (below zero, NaN): ReadingPace

	start     time.Duration // when the first token came
	through   time.Duration // when all tokens so far are read; zero: none has come
	rebuffers int64
	waited    time.Duration // in rebuffers
	longest   time.Duration // of these
}

// Arrive says that a chunk arrived at an offset from the request's start, as [Arrival] and [TraceEvent] have them; all chunks are to be of
// one choice. An offset earlier than the last is taken as the last. Tokens below 1 are taken as 1: a chunk whose tokens are not known is
// one token.
func (p *Playback) Arrive(at time.Duration, tokens int) {
	at = max(at, p.through) // when the reader gets to it
	if p.through == 0 {
		p.start = at
	} else if wait := at - p.through; wait > 0 {
		p.rebuffers++
		p.waited += wait
		p.longest = max(p.longest, wait)
	}
	p.through = after(at, p.perToken(), max(tokens, 1))
}

// perToken is the time that the reading of a token takes.
func (p *Playback) perToken() time.Duration {
	pace := p.Pace
	if !(pace > 0) {
		pace = ReadingPace
	}
	ns := math.Round(1e9 / pace)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(time.Duration(ns), 1)
}

// StartDelay is the time from the start until the first token came; absent when none did.
func (p Playback) StartDelay() (time.Duration, bool) { return p.start, p.through > 0 }

// Rebuffers is how often the reader had read all and had to wait for a further token, which then came.
func (p Playback) Rebuffers() int64 { return p.rebuffers }

// RebufferTime is how long these waits were together.
func (p Playback) RebufferTime() time.Duration { return p.waited }

// LongestRebuffer is the longest of them, zero when there was none.
func (p Playback) LongestRebuffer() time.Duration { return p.longest }

// RebufferShare is the share of rebuffers in the time from the arrival of the first token until the last is read, 0 to 1: the stall ratio
// of video. The abstract of arXiv 2401.12961, which is all that was read of it, has such a figure: the proportion of token rendering wait
// time. Absent when no token came.
func (p Playback) RebufferShare() (share float64, ok bool) {
	if p.through == 0 {
		return 0, false
	}
	played := max(p.through-p.start, 1) // zero only where the range of a Duration ends
	return float64(p.waited) / float64(played), true
}

// IdleLatency is all the time in which the reader had nothing to read: the start delay and the rebuffers. It equals the largest
// t(i) - i/Pace of all tokens, the earliest offset at which one could have begun to read without ever having to wait. A figure of this kind is
// reported of arXiv 2410.14257, whose equations were not read; this one does not claim to be it. Absent when no token came.
func (p Playback) IdleLatency() (time.Duration, bool) { return p.start + p.waited, p.through > 0 }

// WaitingAt is for a look at a stream under way: whether at an offset from the start the reader has nothing to read, and for how long by
// then; before the first token since the start. A rebuffer so shows before the token comes that ends it, with which it counts. A Playback
// does not know of the response's end: after it the reader waits for nothing, whatever WaitingAt says.
func (p Playback) WaitingAt(at time.Duration) (wait time.Duration, waiting bool) {
	if at <= p.through {
		return 0, false
	}
	return at - p.through, true
}
