package monitor

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		step   time.Duration // a twelfth of the window
		keys   int
	}{
		"zero":        {Config{}, 25 * time.Second, 100},
		"negative":    {Config{Window: -1, Keys: -1}, 25 * time.Second, 100},
		"least":       {Config{Window: 1, Keys: 1}, time.Millisecond, 1},
		"given":       {Config{Window: time.Minute, Keys: 7}, 5 * time.Second, 7},
		"no twelfths": {Config{Window: 12*time.Second + 1}, time.Second + 1, 100},
		"for ever":    {Config{Window: math.MaxInt64}, math.MaxInt64/12 + 1, 100},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(c.config)
			assert.Equal(t, []any{c.step, c.keys}, []any{m.step, m.keys})
			assert.Equal(t, min(c.step, time.Second), newRuleWatch(m, Rule{}, nil).every, "a rule is looked at every second, or every step")
		})
	}
}
