package convention

import (
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// Summary is what a convention says of a run. What the tool itself prints differs where it prints a zero for what is not defined, and where it
// takes a request for a success that was none: here those that did not end well are never counted, see [Figures.Excluded].
type Summary struct {
	Convention string // its name

	TTFT, TTFO, TPOT, ITL, NTPOT, E2E Statistics
	Gaps                              Statistics // of the gaps of all requests together; ITL is the same where it is the mean of gaps

	Good          int           // requests that kept to every limit
	GoodUndefined string        // why there is no such count; empty: there is one
	Counted       int           // requests that the statistics are of
	Duration      time.Duration // of the run; 0 where not all of several requests have a Start
}

// Summarize works out a run of requests whose Starts are of one clock. The limits are for the count of good requests; a zero field is none. A
// limit on TPOT is held against ITL where that is the name of the tool's one time per token; with one on a figure that the tool does not report
// there is no count. Only [Tokentiming] has limits on ITL99 and Stall.
func (c Convention) Summarize(ts []tpot.Trace, slo tpot.SLO) Summary {
	run := c.run(slo)
	for i := range ts {
		run.add(c.read(&ts[i]))
	}
	return run.summary()
}

// Goodput is the number of good requests per second; false where they are not counted, or the run has no duration. The share of good requests,
// which some tools call goodput, is Good over Counted.
func (s Summary) Goodput() (perSecond float64, ok bool) {
	if s.GoodUndefined != "" || s.Duration <= 0 {
		return 0, false
	}
	return float64(s.Good) / s.Duration.Seconds(), true
}

// P99Within is whether the 99th percentiles keep to the limits on TTFT and TPOT, which is what MLPerf LoadGen asks of a run instead of a goodput:
// false where one that has a limit is undefined. Limits on other figures are not looked at.
func (s Summary) P99Within(slo tpot.SLO) bool {
	within := func(p99 Figure, limit time.Duration) bool {
		return limit == 0 || p99.Undefined == "" && p99.Value <= limit
	}
	return within(s.TTFT.P99, slo.TTFT) && within(s.TPOT.P99, slo.TPOT)
}

// run is a run while its requests are added.
type run struct {
	*Convention
	slo                                     tpot.SLO
	ttft, ttfo, tpot, itl, ntpot, e2e, gaps sample
	counted, goods                          int
	judges                                  bool   // requests are held against limits
	noGood                                  string // why good requests are not counted; empty: they are
	span                                    span
}

func (c *Convention) run(slo tpot.SLO) run {
	r := run{Convention: c, slo: slo}
	switch {
	case slo == tpot.SLO{}:
		r.noGood = noLimits
	case c.Run.Goodput == GoodputNone:
		r.noGood = noGoodput
	default:
		r.judges = true
	}
	return r
}

func (r *run) add(one *reading) {
	f, w, t := one.figures, one.weights, one.trace
	if !r.Run.ToLast {
		r.span.add(t.Start, one.closed())
	}
	if f.Excluded != "" {
		return
	}
	if r.Run.ToLast && f.E2E.Undefined == "" {
		r.span.add(t.Start, f.E2E.Value)
	}
	if !r.Run.Weighted {
		w = weights{1, 1}
	}
	r.counted++
	r.ttft.add(f.TTFT, 1)
	r.ttfo.add(f.TTFO, 1)
	r.e2e.add(f.E2E, 1)
	r.tpot.add(f.TPOT, w.tpot)
	r.itl.add(f.ITL, w.itl)
	r.ntpot.add(f.NTPOT, 1)
	for _, gap := range f.Gaps {
		r.gaps.add(Figure{Value: gap}, 1)
	}
	if r.judges && r.good(t, f) {
		r.goods++
	}
}

// summary is what the run comes to so far.
func (r *run) summary() Summary {
	s := Summary{
		Convention: r.Name, Counted: r.counted, Good: r.goods, GoodUndefined: r.noGood, Duration: r.span.length(),
		TTFT:  r.Run.statistics(&r.ttft, len(r.Chunks) > 0 && !r.NoTTFT),
		TTFO:  r.Run.statistics(&r.ttfo, len(r.Output) > 0),
		TPOT:  r.Run.statistics(&r.tpot, r.TPOT.Of != WindowNone),
		ITL:   r.Run.statistics(&r.itl, r.ITL.Of != WindowNone),
		NTPOT: r.Run.statistics(&r.ntpot, r.NTPOT.Of != WindowNone),
		E2E:   r.Run.statistics(&r.e2e, r.End.reported()),
		Gaps:  r.Run.statistics(&r.gaps, r.Convention.Gaps != GapNone),
	}
	if r.ITL.Of == WindowGaps {
		s.ITL = s.Gaps
	}
	if s.GoodUndefined != "" {
		s.Good = 0
	}
	return s
}

// span is the time from the first start to the last end.
type span struct {
	requests int
	started  bool // one of them has a start
	from, to time.Time
}

func (s *span) add(start time.Time, length time.Duration) {
	end := start.Add(length)
	if s.requests == 0 || start.Before(s.from) {
		s.from = start
	}
	if s.requests == 0 || end.After(s.to) {
		s.to = end
	}
	s.requests++
	s.started = s.started || !start.IsZero()
}

// length is 0 where it is not known: none of several requests has a start, or some have and others do not, which are then two thousand years apart.
func (s *span) length() time.Duration {
	length := s.to.Sub(s.from)
	if s.requests > 1 && (!s.started || length != credible(length)) {
		return 0
	}
	return length
}
