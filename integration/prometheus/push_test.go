package prometheus

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is pushed by OTLP and what is scraped are the same series with the same values, but for four things:
//
//   - job and instance tell where the metrics come from, and are named by the one who scrapes or by the one who pushes;
//   - otel_scope_name, otel_scope_version and otel_scope_tokentiming_convention are there where they are scraped, and not where they are
//     pushed, unless Prometheus is configured with promote_scope_metadata;
//   - classic histograms have le="1" where they are pushed and le="1.0" where they are scraped, and so with all whole numbers: of an
//     application of which one instance is scraped and another pushes, sum by (le) makes two buckets of one;
//   - native histograms call zero what is not above 1e-128 where they are pushed, and what is not above 0 where they are scraped.
func TestWhatIsPushedIsWhatIsScraped(t *testing.T) {
	eachVariant(t, setting{names: allNames}, func(e *example) {
		e.runThroughFaults()
		require.NoError(e, e.app.MeterProvider.ForceFlush(e.Context()))
		scraped, pushed := e.stored(`instance="`+appAddress+`"`), e.stored(`instance=""`)
		require.NotEmpty(e, scraped.values)
		assert.Equal(e, scraped.values, pushed.values)
		w := e.table("", "series", "with le like 1.0", "with le like 1", "with a wider zero")
		defer w.Flush()
		fmt.Fprintf(w, "scraped\t%v\n", scraped)
		fmt.Fprintf(w, "pushed\t%v\n", pushed)
	})
}

// stored is the newest values of series by their labels, without what is known to differ.
type stored struct {
	values                           map[string]promql.Sample
	decimalBounds, wholeBounds, zero int // series that have it
}

func (s stored) String() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d", len(s.values), s.decimalBounds, s.wholeBounds, s.zero)
}

// stored is all series of our metrics that match.
func (e *example) stored(matcher string) stored {
	vector, err := e.Query(e.Context(), `{__name__=~"(tokentiming|gen_ai)_.+", `+matcher+`}`, time.Now())
	require.NoError(e, err)
	s := stored{values: make(map[string]promql.Sample)}
	for _, sample := range vector {
		ls := labels.NewBuilder(sample.Metric).
			Del("job", "instance", "otel_scope_name", "otel_scope_version", "otel_scope_tokentiming_convention")
		if le := sample.Metric.Get("le"); le != "" {
			ls.Set("le", s.bound(e, le))
		}
		if sample.H != nil {
			sample.H = s.histogram(sample.H)
		}
		s.values[ls.Labels().String()] = promql.Sample{F: sample.F, H: sample.H}
	}
	require.Len(e, s.values, len(vector))
	return s
}

// bound is a bucket's bound as a number.
func (s *stored) bound(e *example, le string) string {
	bound, err := strconv.ParseFloat(le, 64)
	require.NoError(e, err)
	number := strconv.FormatFloat(bound, 'f', -1, 64)
	switch {
	case bound != float64(int64(bound)):
	case le == number:
		s.wholeBounds++
	default:
		s.decimalBounds++
	}
	return number
}

// histogram is a histogram whose zero is nothing but zero, and that has forgotten the sample before it.
func (s *stored) histogram(h *histogram.FloatHistogram) *histogram.FloatHistogram {
	if h.ZeroThreshold > 0 {
		s.zero++
	}
	h = h.Copy().Compact(0)
	h.ZeroThreshold, h.CounterResetHint = 0, histogram.UnknownCounterReset
	return h
}
