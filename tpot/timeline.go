package tpot

import (
	"math"
	"time"
)

const timelineBins = 48

// timeline is the course of a response in constant space: for each of equal spans of time since the first chunk, the
// longest gap that covers it. When the response outgrows the bins their width doubles.
// The zero timeline is ready to use and starts with bins of about 1 ms.
type timeline struct {
	bins   [timelineBins]uint32 // microseconds
	double uint8                // how often the width was doubled
	used   uint8                // bins reached so far
}

const timelineShift = 20 // 2^20 ns is the width of a bin before any doubling

func (t *timeline) width() time.Duration { return 1 << (timelineShift + t.double) }

// paint records a gap, by its ends since the first chunk.
func (t *timeline) paint(from, to time.Duration) {
	last := t.bin(to)
	for last >= timelineBins {
		t.halve()
		last = t.bin(to)
	}
	gap := uint32(min(uint64(to-from)/1000, math.MaxUint32))
	for i := t.bin(from); i <= last; i++ {
		if gap > t.bins[i] {
			t.bins[i] = gap
		}
	}
	if used := uint8(last) + 1; used > t.used {
		t.used = used
	}
}

// bin is the index of the bin that an offset falls in; it may be past the last.
func (t *timeline) bin(offset time.Duration) uint64 {
	return uint64(offset) >> ((timelineShift + t.double) & 63)
}

// halve folds pairs of bins into one.
func (t *timeline) halve() {
	for i := range timelineBins / 2 {
		t.bins[i] = max(t.bins[2*i], t.bins[2*i+1])
	}
	clear(t.bins[timelineBins/2:])
	t.used = (t.used + 1) / 2
	t.double++
}

// longest is the longest gap of each bin.
func (t *timeline) longest() []time.Duration {
	gaps := make([]time.Duration, t.used)
	for i := range gaps {
		gaps[i] = time.Duration(t.bins[i]) * time.Microsecond
	}
	return gaps
}

// bars draws the bins as one line of blocks, the longest gap filling the height; empty when there was no gap.
func (t *timeline) bars() string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	bins := t.bins[:t.used]
	var longest uint32 = 1
	for _, gap := range bins {
		longest = max(longest, gap)
	}
	line := make([]rune, len(bins))
	for i, gap := range bins {
		line[i] = blocks[uint64(gap)*uint64(len(blocks)-1)/uint64(longest)]
	}
	return string(line)
}
