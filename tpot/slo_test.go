package tpot_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// A request with each figure known: TTFT 100, TTFO 200, TPOT and ITL99 100, stall 100, E2E 400 ms.
func limited(t *testing.T, slo tpot.SLO, err error) tpot.Stats {
	_, r := (&tpot.Tracker{SLO: slo}).Start(t.Context(), tpot.Request{})
	feed(r, kind(100, reasoning), kind(200, text), kind(300, text))
	return r.EndAt(400*time.Millisecond, err)
}

func TestEachLimitIsMetUpToItselfAndMissedBeyond(t *testing.T) {
	const ms = time.Millisecond
	for name, limit := range map[string]func(d time.Duration) tpot.SLO{
		"TTFT":  func(d time.Duration) tpot.SLO { return tpot.SLO{TTFT: 100*ms + d} },
		"TTFO":  func(d time.Duration) tpot.SLO { return tpot.SLO{TTFO: 200*ms + d} },
		"TPOT":  func(d time.Duration) tpot.SLO { return tpot.SLO{TPOT: 100*ms + d} },
		"ITL99": func(d time.Duration) tpot.SLO { return tpot.SLO{ITL99: 100*ms + d} },
		"Stall": func(d time.Duration) tpot.SLO { return tpot.SLO{Stall: 100*ms + d} },
		"E2E":   func(d time.Duration) tpot.SLO { return tpot.SLO{E2E: 400*ms + d} },
	} {
		t.Run(name, func(t *testing.T) {
			kept, missed := limited(t, limit(0), nil), limited(t, limit(-1), nil)
			assertSLO(t, true, true, kept)
			assert.Zero(t, kept.SLOMissed())
			assertSLO(t, false, true, missed)
			assert.Equal(t, limit(-1), missed.SLOMissed())
		})
	}
}

func TestSLOMissedNamesTheLimitsThatWereMissed(t *testing.T) {
	s := limited(t, tpot.SLO{TTFT: time.Millisecond, TPOT: time.Second, E2E: 2 * time.Millisecond}, nil)
	assert.Equal(t, tpot.SLO{TTFT: time.Millisecond, E2E: 2 * time.Millisecond}, s.SLOMissed())
}

func TestARequestThatDidNotEndWellMissesAsAWhole(t *testing.T) {
	strict := tpot.SLO{TTFT: 1}
	failed := limited(t, strict, errBoom)
	assertSLO(t, false, true, failed)
	assert.Zero(t, failed.SLOMissed())
	assertSLO(t, false, true, limited(t, tpot.SLO{TTFT: time.Hour}, io.ErrUnexpectedEOF))
	assertSLO(t, false, false, limited(t, strict, tpot.EarlyClose))
	assertSLO(t, false, false, limited(t, tpot.SLO{}, errBoom))
}

// A limit on a figure that the request does not have is none of its.
func TestALimitIsApplicableWhereThereIsTheFigure(t *testing.T) {
	for name, c := range map[string]struct {
		slo    tpot.SLO
		events []at // each has the figure with the last of them
	}{
		"TTFT":  {tpot.SLO{TTFT: time.Hour}, []at{kind(1, text)}},
		"TTFO":  {tpot.SLO{TTFO: time.Hour}, []at{kind(1, reasoning), kind(2, text)}},
		"TPOT":  {tpot.SLO{TPOT: time.Hour}, []at{kind(1, text), kind(2, text)}},
		"ITL99": {tpot.SLO{ITL99: time.Hour}, []at{kind(1, text), kind(2, text)}},
		"Stall": {tpot.SLO{Stall: time.Hour}, []at{kind(1, text), kind(2, text)}},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range len(c.events) + 1 {
				_, r := (&tpot.Tracker{SLO: c.slo}).Start(t.Context(), tpot.Request{})
				feed(r, c.events[:n]...)
				has := n == len(c.events)
				assertSLO(t, has, has, r.EndAt(time.Second, nil))
			}
		})
	}
}

// Of 200 gaps three are long: more than one in a hundred, and fewer than one in twenty.
func TestITL99IsThe99thPercentile(t *testing.T) {
	_, r := (&tpot.Tracker{SLO: tpot.SLO{ITL99: 50 * time.Millisecond}}).Start(t.Context(), tpot.Request{})
	for i := range 201 {
		at := 10 * i
		if i > 197 {
			at += 100 * (i - 197)
		}
		feed(r, kind(at, text))
	}
	assertSLO(t, false, true, r.EndAt(time.Hour, nil))
}

// A scenario's limits take the place of the Tracker's, also where they are none.
func TestLimitsByScenario(t *testing.T) {
	chat, rest := tpot.SLO{TPOT: tpot.ChatTPOT}, tpot.SLO{TTFT: time.Second}
	tracker := &tpot.Tracker{SLO: rest, Scenarios: map[string]tpot.SLO{"chat": chat, "batch": {}}}
	for scenario, want := range map[string]tpot.SLO{"chat": chat, "batch": {}, "summary": rest, "": rest} {
		_, r := tracker.Start(t.Context(), tpot.Request{Scenario: scenario})
		assert.Equal(t, want, r.EndAt(0, nil).SLO, scenario)
	}
}

func assertSLO(t *testing.T, met, applicable bool, s tpot.Stats) {
	t.Helper()
	gotMet, gotApplicable := s.SLOMet()
	assert.Equal(t, met, gotMet, "met")
	assert.Equal(t, applicable, gotApplicable, "applicable")
}
