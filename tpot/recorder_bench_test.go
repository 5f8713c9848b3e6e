package tpot_test

import (
	"context"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

var elapsed time.Duration

func BenchmarkClockRead(b *testing.B) {
	start := time.Now()
	for b.Loop() {
		elapsed = time.Since(start)
	}
}

func BenchmarkObserve(b *testing.B) {
	r := tpot.Start(context.Background())
	e := tpot.Event{Kind: tpot.KindText}
	b.ReportAllocs()
	for b.Loop() {
		r.Observe(e)
	}
}

func BenchmarkBeginWaitObserve(b *testing.B) {
	r := tpot.Start(context.Background())
	e := tpot.Event{Kind: tpot.KindText}
	b.ReportAllocs()
	for b.Loop() {
		r.BeginWait()
		r.Observe(e)
	}
}
