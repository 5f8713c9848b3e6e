package tpot_test

import (
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A mean hides the one freeze that a person remembers; the maximum does not.
func ExampleHistogram() {
	var gaps tpot.Histogram
	for range 100 {
		gaps.Observe(20 * time.Millisecond)
	}
	gaps.Observe(1500 * time.Millisecond)

	mean, _ := gaps.Mean()
	p99, _ := gaps.Quantile(0.99)
	longest, _ := gaps.Max()
	cv, _ := gaps.CV()
	fmt.Printf("mean %v, p99 %v, max %v, CV %.2f\n", mean.Round(time.Millisecond), p99.Round(time.Millisecond), longest, cv)
	// Output: mean 35ms, p99 20ms, max 1.5s, CV 4.23
}

// The histogram of many requests is the merge of theirs.
func ExampleHistogram_Merge() {
	var a, b, all tpot.Histogram
	a.Observe(10 * time.Millisecond)
	b.ObserveN(40*time.Millisecond, 2)
	all.Merge(&a)
	all.Merge(&b)
	mean, _ := all.Mean()
	fmt.Println(all.Count(), mean)
	// Output: 3 30ms
}
