package monitor

import (
	"math"
	"math/bits"
	"time"
)

// endpoint is what requests share a load on, whatever they are for.
type endpoint struct{ provider, model string }

// load is how many requests are in flight to one endpoint, and were over time.
type load struct {
	inFlight int
	at       time.Duration // up to when area counts
	area     uint64        // requests times nanoseconds; it wraps around, and only differences count
}

// change adds n to the requests in flight and returns the area so far.
func (l *load) change(now time.Duration, n int) uint64 {
	l.area += uint64(l.inFlight) * uint64(now-l.at)
	l.at = now
	l.inFlight += n
	return l.area
}

// loadClasses are 1, 2, 3 to 4, 5 to 8 and so on; the last has no upper end.
const loadClasses = 16

// Load is the requests of a row that ran while about as many were in flight to the same provider and model. Comparing TPOT between the
// loads of a row tells whether it is slow because it is loaded.
type Load struct {
	From, To int // requests in flight, the request itself included, by the mean over its time; To of the last possible Load is a mere 32768
	Requests int
	ttft     mean
	tpot     mean
}

// MeanTTFT is the mean time to first token; absent when no request had one.
func (l Load) MeanTTFT() (time.Duration, bool) { return l.ttft.value() }

// MeanTPOT is the mean over requests of the time per output token; absent when no request had one.
func (l Load) MeanTPOT() (time.Duration, bool) { return l.tpot.value() }

// mean is a mean in the making.
type mean struct {
	count int
	sum   time.Duration
}

func (m *mean) add(f figure) {
	if f.ok {
		m.count++
		addTo(&m.sum, f.value)
	}
}

func (m *mean) merge(other mean) {
	m.count += other.count
	addTo(&m.sum, other.sum)
}

func (m mean) value() (time.Duration, bool) {
	if m.count == 0 {
		return 0, false
	}
	n := time.Duration(m.count)
	nearest := m.sum / n
	if rest := m.sum % n; rest >= n-rest {
		nearest++
	}
	return nearest, true
}

// loadClass is the index of the class that a mean number in flight falls in.
func loadClass(concurrency float64) int {
	n := uint64(max(math.Round(concurrency), 1))
	return min(bits.Len64(n-1), loadClasses-1)
}

// bounds are the least and the most in flight that fall in a class.
func bounds(class int) (from, to int) {
	if class == 0 {
		return 1, 1
	}
	return 1<<(class-1) + 1, 1 << class
}
