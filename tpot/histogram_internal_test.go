package tpot

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFloorIndexIsThatOfTheFloor(t *testing.T) {
	assert.Equal(t, bucketIndex(uint64(histogramFloor)), floorIndex)
}

func TestBucketBoundsAreThoseOfTheIndex(t *testing.T) {
	for i := floorIndex + 1; i < floorIndex+bucketCount-2; i++ {
		bound := bucketBound(i)
		require.Equal(t, i-1, bucketIndex(uint64(bound*(1-1e-4))), "below the bound of %d", i)
		require.Equal(t, i, bucketIndex(uint64(math.Ceil(bound*(1+1e-4)))), "above the bound of %d", i)
	}
}

func TestHistogramStaysSmall(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Histogram{}), uintptr(2304))
}

func TestFullBucketsStayFull(t *testing.T) {
	var h Histogram
	h.add(1e6, math.MaxUint32-1)
	h.addOne(1e6)
	h.addOne(1e6)
	h.Merge(&h)
	assert.Equal(t, uint32(math.MaxUint32), h.buckets[bucket(1e6)])
	assert.Equal(t, uint64(math.MaxUint32+1)*2, h.count)
	v, ok := h.Quantile(0.5)
	assert.True(t, ok)
	assert.InEpsilon(t, 1e6, float64(v), 0.02)
}
