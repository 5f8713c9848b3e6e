package monitor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

func TestPercent(t *testing.T) {
	for want, share := range map[string]float64{
		"0%": 0, "<0.01%": 0.00009, "0.01%": 0.0001, "1.23%": 0.01234, "12.3%": 0.1234, "99.9%": 0.9994,
		"99.95%": 0.99951, "99.98%": 0.9998, ">99.99%": 0.999999, "100%": 1,
	} {
		assert.Equal(t, want, percent(share))
	}
}

func TestDurationsAreWrittenAsInPackageTpot(t *testing.T) {
	for d := time.Duration(1); d < 100*time.Hour; d += d/7 + 1 {
		rec := tpot.Start(t.Context())
		assert.Equal(t, "ok, E2E "+short(d), rec.EndAt(d, nil).String())
	}
}
