package tpot

import (
	"math"
	"time"
)

// Fluidity counts the tokens of a response that came in time. Each token has a deadline, and one that comes early leaves the rest of its time
// to those after it: a pause that earlier tokens make up for is no fault, and one that they do not is, however good the mean. A token
// is on time when it comes within its deadline plus the slack, which then grows by what is left over; a late one sets the slack to zero. A
// token that has not come yet is not late yet: see [Playback.WaitingAt] and [Recorder.OpenGap] for a pause that goes on.
//
// Two forms go by the name of fluidity index, and differ in what a late token counts for: [Fluidity.DeadlineReset] is that of the
// documentation of etalon (github.com/project-etalon/etalon, docs/tutorials/metrics_used.rst), [Fluidity.PerToken] that of its code
// (etalon/metrics/metric_utils.py). Figures compare only under one form and the same deadlines.
//
// A deadline of zero or below is none: the tokens that it would be for are not judged, and the zero Fluidity judges none. Set the deadlines
// before the first Arrive. A Fluidity takes a few words whatever it is told, and an arrival the same short time however many tokens it
// has. It is a value, a copy of which is a snapshot, and not safe for concurrent use.
type Fluidity struct {
	First time.Duration // deadline of the first token, from the start; zero: it is not judged, and the walk begins with the second
	Next  time.Duration // deadline of each further token, from the one before it

	last, slack          time.Duration
	begun                bool // the first token has come
	onTime, late, missed count
}

// Arrive says that a chunk arrived at an offset from the request's start, as [Arrival] and [TraceEvent] have them; all chunks are to be of
// one choice. The chunk's first token is judged by the time since the token before it, and the others came with it. An offset earlier than
// the last is taken as the last. Tokens below 1 are taken as 1: a chunk whose tokens are not known is one token.
func (f *Fluidity) Arrive(at time.Duration, tokens int) {
	at = max(at, f.last)
	gap, deadline := at-f.last, f.Next
	if !f.begun {
		deadline = f.First
	}
	f.last, f.begun = at, true
	f.judge(gap, deadline)
	f.bundle(max(tokens, 1) - 1)
}

// judge takes in a token that came after a gap. Slack past the range of a Duration covers all that can still come, so that nothing is lost
// where it stays at the largest one.
func (f *Fluidity) judge(gap, deadline time.Duration) {
	if deadline <= 0 {
		return
	}
	slack := f.slack + min(deadline-gap, math.MaxInt64-f.slack)
	if slack >= 0 {
		f.slack = slack
		f.onTime.add(1)
		return
	}
	f.slack = 0
	f.late.add(1)
	f.missed.add(1)
	if f.Next > 0 {
		f.missed.add(int64(-slack / f.Next))
	}
}

// bundle takes in n tokens that came with the one before them.
func (f *Fluidity) bundle(n int) {
	if f.Next > 0 {
		f.slack = after(f.slack, f.Next, n)
		f.onTime.add(int64(n))
	}
}

// Tokens is the number of tokens that were judged: the first only where it has a deadline.
func (f Fluidity) Tokens() int64 {
	judged := f.onTime
	judged.add(int64(f.late))
	return int64(judged)
}

// OnTime is the number of tokens that came in time.
func (f Fluidity) OnTime() int64 { return int64(f.onTime) }

// Late is the number of tokens that came late.
func (f Fluidity) Late() int64 { return int64(f.late) }

// Missed is the number of deadlines that late tokens missed: each its own, and one more for every whole Next that it was late by.
func (f Fluidity) Missed() int64 { return int64(f.missed) }

// DeadlineReset is the share of tokens that came in time: a late token is one miss, however late it is. It is never below PerToken, where a
// late token is at least one. Absent when there is no token to judge.
func (f Fluidity) DeadlineReset() (share float64, ok bool) { return f.onTime.against(f.late) }

// PerToken is 1 - missed/total, where a late token counts for all the deadlines that it missed, in both missed and total:
// floor((gap - slack) / Next), and for the first token 1 + floor((gap - First) / Next). Absent when there is no token to judge.
func (f Fluidity) PerToken() (share float64, ok bool) { return f.onTime.against(f.missed) }

// count is a number of things that stays at the largest value rather than overflow.
type count int64

func (c *count) add(n int64) { *c += min(count(n), math.MaxInt64-*c) }

// against is the share of c in c and others; absent when there are neither.
func (c count) against(others count) (share float64, ok bool) {
	if c == 0 && others == 0 {
		return 0, false
	}
	return float64(c) / (float64(c) + float64(others)), true
}
