package tpot_test

import (
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// A mean hides the one freeze that a person remembers; the maximum does not.
func ExampleHistogram() {
	var gaps tpot.Histogram
	gaps.ObserveN(20*time.Millisecond, 100)
	gaps.Observe(1500 * time.Millisecond)

	mean, _ := gaps.Mean()
	p99, _ := gaps.Quantile(0.99)
	longest, _ := gaps.Max()
	cv, _ := gaps.CV()
	fmt.Println("mean", mean.Round(time.Millisecond), "p99", p99.Round(time.Millisecond), "max", longest)
	fmt.Printf("coefficient of variation %.2f\n", cv)
	// Output:
	// mean 35ms p99 20ms max 1.5s
	// coefficient of variation 4.23
}

// The histogram of many requests is the merge of theirs, in any order.
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

// What has no values has no figures either, rather than zeros that look like good ones.
func ExampleHistogram_Quantile() {
	var gaps tpot.Histogram
	p50, ok := gaps.Quantile(0.5)
	fmt.Println(p50, ok)
	gaps.Observe(25 * time.Millisecond)
	p50, ok = gaps.Quantile(0.5)
	fmt.Println(p50, ok)
	// Output:
	// 0s false
	// 25ms true
}

// A plot, or an exporter, goes through the distribution.
func ExampleHistogram_Buckets() {
	var gaps tpot.Histogram
	gaps.ObserveN(20*time.Millisecond, 3)
	gaps.Observe(1500 * time.Millisecond)
	for value, n := range gaps.Buckets() {
		fmt.Println(value.Round(10*time.Millisecond), n)
	}
	// Output:
	// 20ms 3
	// 1.5s 1
}
