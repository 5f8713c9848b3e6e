package monitor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// Outside of a bubble no look is on time, and one may be later than the next. They count as if they were.
func TestLooksThatAreABitLate(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		_, rec := (&tpot.Tracker{Observers: []tpot.Observer{m}}).Start(t.Context(), tpot.Request{})
		rec.End(nil)
		var breaches []Breach
		w := newRuleWatch(m, Rule{Figure: (*Row).RequestsPerMinute, For: 3 * time.Second}, func(b Breach) { breaches = append(breaches, b) })
		began := time.Now()
		for _, at := range []time.Duration{1005 * ms, 2001 * ms, 3999 * ms} {
			time.Sleep(time.Until(began.Add(at)))
			w.look()
		}
		assert.Empty(t, breaches, "it has been beyond since 1, for less than 3 seconds")
		time.Sleep(time.Until(began.Add(4002 * ms)))
		w.look()
		require.Len(t, breaches, 1)
		assert.Equal(t, began.Add(time.Second), breaches[0].Since)
	})
}
