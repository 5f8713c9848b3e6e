package tpot

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"time"
)

// Buckets are logarithmic from 1 us on. Each octave is cut in bucketsPerOctave parts by a quadratic that follows the
// logarithm closely enough for every bucket's middle to be within 2 % of all values in it.
const (
	histogramFloor   = time.Microsecond
	bucketsPerOctave = 19
	octaves          = 27
	bucketCount      = bucketsPerOctave*octaves + 2 // the first holds what is under the floor, the last what is over the range
)

// Histogram holds the distribution of durations of one request or, merged, of many.
//
// Count, sum, mean, variance, minimum and maximum are exact: they are kept as integer sums, so merging in any order
// gives the very figures of the whole. Quantiles are within 2 % of the value, for values from 1 us to 2 minutes: a value
// under 1 us counts as the smallest one observed, one over the range as the largest.
//
// A bucket holds four billion values; quantiles among more are less exact. The zero Histogram is ready to use and about 2 KiB whatever it holds. It is not safe for concurrent use. Reading a
// nil *Histogram is reading an empty one.
type Histogram struct {
	count     uint64
	sum       wide // nanoseconds
	squares   wide // nanoseconds squared
	min, max  time.Duration
	steps     uint64 // pairs of successive values
	variation wide   // sum of their absolute differences, nanoseconds
	last      time.Duration
	follows   bool // last is the predecessor of the next value
	buckets   [bucketCount]uint32
}

// Observe adds one value. A negative one counts as zero.
func (h *Histogram) Observe(d time.Duration) { h.ObserveN(d, 1) }

// ObserveN adds the same value n times in succession; n below 1 adds nothing.
func (h *Histogram) ObserveN(d time.Duration, n int) {
	if n < 1 {
		return
	}
	d = max(d, 0)
	if h.follows {
		h.step(h.last, d)
	}
	h.steps += uint64(n - 1)
	h.last, h.follows = d, true
	h.add(d, uint64(n))
}

// add counts n times d without making it the successor of anything.
func (h *Histogram) add(d time.Duration, n uint64) {
	h.widen(d, d)
	h.count += n
	h.sum.addProduct(uint64(d), n)
	hi, lo := bits.Mul64(uint64(d), uint64(d))
	h.squares.addMultiple(hi, lo, n)
	saturate(&h.buckets[bucket(d)], n)
}

// addOne is add(d, 1), which every chunk pays for.
func (h *Histogram) addOne(d time.Duration) {
	h.widen(d, d)
	h.count++
	h.sum.add(uint64(d))
	if hi, lo := bits.Mul64(uint64(d), uint64(d)); hi == 0 {
		h.squares.add(lo)
	} else {
		h.squares.addWide(wide{lo, hi})
	}
	if n := &h.buckets[bucket(d)]; *n < math.MaxUint32 {
		*n++
	}
}

// widen makes the range from least to most part of that of the values; it comes before they are counted.
func (h *Histogram) widen(least, most time.Duration) {
	if least < h.min || h.count == 0 {
		h.min = least
	}
	if most > h.max {
		h.max = most
	}
}

// step records that b came right after a.
func (h *Histogram) step(a, b time.Duration) {
	h.steps++
	difference := b - a
	if difference < 0 {
		difference = -difference
	}
	h.variation.add(uint64(difference))
}

// spread adds a gap as n equal values whose sum is the gap: nanoseconds that do not divide evenly go to the later ones. It
// returns the last of them; the first follows prev if there is one.
func (h *Histogram) spread(prev time.Duration, follows bool, gap time.Duration, n int) time.Duration {
	value, larger := gap/time.Duration(n), gap%time.Duration(n)
	if follows {
		h.step(prev, value)
	}
	h.steps += uint64(n - 1)
	h.add(value, uint64(n)-uint64(larger))
	if larger > 0 {
		h.variation.add(1)
		value++
		h.add(value, uint64(larger))
	}
	return value
}

// bucket is the index of the bucket that d falls in.
func bucket(d time.Duration) int {
	if d < histogramFloor {
		return 0
	}
	return min(bucketIndex(uint64(d))-floorIndex+1, bucketCount-1)
}

// saturate adds n to a bucket that stays at its largest value rather than wrap: still the same in any order.
func saturate(bucket *uint32, n uint64) {
	*bucket = uint32(min(uint64(*bucket)+min(n, math.MaxUint32), math.MaxUint32))
}

// bucketIndex is the position of v on a nearly logarithmic scale. With v = 2^e (1+s), 0 <= s < 1, the fraction log2(1+s)
// is taken as s(4-s)/3, which meets it at both ends and whose slope stays within 8 % of it.
func bucketIndex(v uint64) int {
	e := bits.Len64(v) - 1
	s := v << (63 - e) << 1 >> 48 // 16 bits of fraction
	log := uint64(e)<<16 + s*(4<<16-s)/3>>16
	return int(log * bucketsPerOctave >> 16)
}

// floorIndex is bucketIndex(histogramFloor); a test holds it to that.
const floorIndex = 189

// bucketBound is the smallest value, in nanoseconds, that bucketIndex places at index i.
func bucketBound(i int) float64 {
	log := float64(i) / bucketsPerOctave
	e, q := math.Modf(log)
	s := 2 - math.Sqrt(4-3*q)
	return math.Ldexp(1+s, int(e))
}

// Merge adds all that other holds; nil adds nothing. A merge ends the succession: the next value observed has no
// predecessor.
func (h *Histogram) Merge(other *Histogram) {
	if other == nil || other.count == 0 {
		return
	}
	h.widen(other.min, other.max)
	h.count += other.count
	h.sum.addWide(other.sum)
	h.squares.addWide(other.squares)
	h.steps += other.steps
	h.variation.addWide(other.variation)
	h.last, h.follows = 0, false
	from, to := bucket(other.min), bucket(other.max)+1
	buckets := h.buckets[from:to]
	for i, n := range other.buckets[from:to] { // the others are empty
		saturate(&buckets[i], uint64(n))
	}
}

// Count is the number of values.
func (h *Histogram) Count() int {
	if h == nil {
		return 0
	}
	return int(min(h.count, math.MaxInt))
}

// Sum is the sum of all values; past the range of a Duration (292 years) it stays at the largest one.
func (h *Histogram) Sum() time.Duration {
	if h == nil {
		return 0
	}
	return h.sum.duration()
}

// Mean is the arithmetic mean; absent when there are no values.
func (h *Histogram) Mean() (time.Duration, bool) {
	if h == nil {
		return 0, false
	}
	return h.sum.mean(h.count)
}

// Min is the smallest value; absent when there are none.
func (h *Histogram) Min() (time.Duration, bool) {
	if h == nil {
		return 0, false
	}
	return h.min, h.count > 0
}

// Max is the largest value; absent when there are none.
func (h *Histogram) Max() (time.Duration, bool) {
	if h == nil {
		return 0, false
	}
	return h.max, h.count > 0
}

// Jitter is the mean absolute difference of successive values; absent when no value followed another. Values of
// different merged histograms do not follow one another.
func (h *Histogram) Jitter() (time.Duration, bool) {
	if h == nil {
		return 0, false
	}
	return h.variation.mean(h.steps)
}

// Variance is the population variance (ddof 0) in seconds squared; absent when there are no values.
func (h *Histogram) Variance() (float64, bool) { return h.variance(0) }

// SampleVariance is the variance with ddof 1, in seconds squared; absent below two values.
func (h *Histogram) SampleVariance() (float64, bool) { return h.variance(1) }

// variance divides the exact integer n * sum(d^2) - sum(d)^2 by n * (n - ddof): no cancellation, and equal values give
// zero.
func (h *Histogram) variance(ddof uint64) (float64, bool) {
	if h == nil || h.count <= ddof {
		return 0, false
	}
	n := new(big.Int).SetUint64(h.count)
	sum := h.sum.big()
	spread := new(big.Int).Mul(n, h.squares.big())
	spread.Sub(spread, sum.Mul(sum, sum))
	v, _ := new(big.Float).SetInt(spread).Float64()
	return v / float64(h.count) / float64(h.count-ddof) / 1e18, true
}

// StdDev is the population standard deviation (ddof 0); absent when there are no values.
func (h *Histogram) StdDev() (time.Duration, bool) {
	v, ok := h.Variance()
	return time.Duration(math.Round(math.Sqrt(v) * 1e9)), ok
}

// CV is the coefficient of variation, the population standard deviation over the mean; absent when the mean is zero or
// there are no values.
func (h *Histogram) CV() (float64, bool) {
	v, ok := h.Variance()
	if !ok || h.sum == (wide{}) {
		return 0, false
	}
	mean := h.sum.float() / float64(h.count) / 1e9
	return math.Sqrt(v) / mean, true
}

// Quantile is the value below which the share q of all values lies, by linear interpolation between the two nearest
// ranks (Hyndman and Fan's type 7, the default of most statistics software). A q outside 0 to 1, or NaN, counts as the nearest
// bound; absent when there are no values. See [Histogram] for the error.
func (h *Histogram) Quantile(q float64) (time.Duration, bool) {
	if h == nil || h.count == 0 {
		return 0, false
	}
	if !(q > 0) {
		return h.min, true
	}
	rank := min(q, 1) * float64(h.count-1)
	below := math.Floor(rank)
	a := h.atRank(uint64(below))
	b := h.atRank(uint64(min(below+1, float64(h.count-1))))
	return h.within(math.Round(a + (b-a)*(rank-below))), true
}

// within is nanoseconds as a duration that is no less than the smallest value and no more than the largest.
func (h *Histogram) within(ns float64) time.Duration {
	if ns >= float64(h.max) {
		return h.max // the largest durations round up past the range
	}
	return max(time.Duration(ns), h.min)
}

// atRank is the value at a rank counted from 0, in nanoseconds. The first and the last are exact.
func (h *Histogram) atRank(rank uint64) float64 {
	if rank == 0 {
		return float64(h.min)
	}
	if rank >= h.count-1 {
		return float64(h.max)
	}
	var seen uint64
	first := bucket(h.min)
	for i, n := range h.buckets[first:] {
		if seen += uint64(n); rank < seen {
			return h.middle(first + i)
		}
	}
	return float64(h.max)
}

// middle is the value that stands for all in a bucket, in nanoseconds: the point of least relative error.
func (h *Histogram) middle(bucket int) float64 {
	switch bucket {
	case 0:
		return float64(h.min)
	case bucketCount - 1:
		return float64(h.max)
	}
	a, b := bucketBound(floorIndex+bucket-1), bucketBound(floorIndex+bucket)
	return min(max(2*a*b/(a+b), float64(h.min)), float64(h.max))
}

// Buckets goes through the distribution from small to large: a value, and how many there are that it stands for. It is within 2 % of
// each of them; see [Histogram].
func (h *Histogram) Buckets() iter.Seq2[time.Duration, int] {
	return func(yield func(time.Duration, int) bool) {
		if h == nil {
			return
		}
		for i, n := range h.buckets {
			if n > 0 && !yield(h.within(h.middle(i)), int(min(uint64(n), math.MaxInt))) {
				return
			}
		}
	}
}
