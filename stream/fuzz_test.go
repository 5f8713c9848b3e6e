package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// FuzzPassThrough runs any sequence of values and errors, with any consumer, through every adapter: the consumer must see what it sees
// without it, and there must be one record whose counts are those of what it saw.
func FuzzPassThrough(f *testing.F) {
	f.Add([]byte("abc."), uint8(0), uint8(0))
	f.Add([]byte("ab!c."), uint8(2), uint8(0))
	f.Add([]byte("a\x00b\x00\x00."), uint8(0), uint8(3))
	f.Add([]byte{}, uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, leaveAfter, panicAfter uint8) {
		var items []any
		for _, b := range data[:min(len(data), 64)] {
			if b == 0 {
				items = append(items, errBoom)
			} else {
				items = append(items, string(rune(b)))
			}
		}
		for _, sh := range shapes() {
			bare := sh.consume(nil, instant(t, items), int(leaveAfter), int(panicAfter))
			log := &records{}
			_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
			wrapped := sh.consume(rec, instant(t, items), int(leaveAfter), int(panicAfter))
			bare.times, wrapped.times = nil, nil
			require.Equal(t, bare, wrapped, sh.name)
			if bare.panicked != nil && sh.closes {
				continue // whoever panics without closing is found by the collector
			}
			require.Len(t, log.ends, 1, sh.name)
			require.Zero(t, log.ends[0].Faults)
			require.LessOrEqual(t, log.ends[0].Events, len(wrapped.values))
			require.NotEqual(t, tpot.OutcomeOpen, log.ends[0].Outcome)
		}
	})
}

func instant(t *testing.T, items []any) *source {
	s := newSource(t.Context(), items...)
	s.pace = 0
	return s
}
