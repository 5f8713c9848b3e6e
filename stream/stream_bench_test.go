package stream_test

import (
	"context"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The benchmarks here come in pairs, bare and wrapped, with BenchmarkClockRead as the unit: the cost of a wrapper is the difference.

var (
	elapsed time.Duration
	sum     int
)

func BenchmarkClockRead(b *testing.B) {
	start := time.Now()
	for b.Loop() {
		elapsed = time.Since(start)
	}
}

func text(int) tpot.Event { return tpot.Event{Kind: tpot.KindText} }

// endless is a stream of two shapes that never ends.
type endless struct{ n int }

func (e *endless) Next() bool         { e.n++; return true }
func (e *endless) Current() int       { return e.n }
func (e *endless) Err() error         { return nil }
func (e *endless) Close() error       { return nil }
func (e *endless) Recv() (int, error) { e.n++; return e.n, nil }

func BenchmarkPullBare(b *testing.B) {
	var s stream.Puller[int] = &endless{}
	for b.Loop() {
		s.Next()
		sum += s.Current()
	}
}

func BenchmarkPull(b *testing.B) {
	s := stream.Pull(tpot.Start(context.Background()), &endless{}, text)
	b.ReportAllocs()
	for b.Loop() {
		s.Next()
		sum += s.Current()
	}
}

func BenchmarkRecvBare(b *testing.B) {
	var s stream.Receiver[int] = &endless{}
	for b.Loop() {
		v, _ := s.Recv()
		sum += v
	}
}

func BenchmarkRecv(b *testing.B) {
	s := stream.Recv(tpot.Start(context.Background()), &endless{}, text)
	b.ReportAllocs()
	for b.Loop() {
		v, _ := s.Recv()
		sum += v
	}
}

func BenchmarkSeq2Bare(b *testing.B) {
	for v := range whileRunning(b) {
		sum += v
	}
}

func BenchmarkSeq2(b *testing.B) {
	b.ReportAllocs()
	for v := range stream.Seq2(tpot.Start(context.Background()), whileRunning(b), text) {
		sum += v
	}
}

// whileRunning is an iterator that goes on as long as the benchmark does.
func whileRunning(b *testing.B) func(yield func(int, error) bool) {
	return func(yield func(int, error) bool) {
		n := 0
		for b.Loop() {
			n++
			if !yield(n, nil) {
				return
			}
		}
	}
}

func BenchmarkRecvRawJSON(b *testing.B) {
	s := stream.Recv(tpot.Start(context.Background()), rawEndless{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Recv()
	}
}

// typed is a chunk without RawJSON, so that Auto must encode it.
type typed struct {
	Model   string        `json:"model"`
	Choices []typedChoice `json:"choices"`
}

type typedChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Content string `json:"content"`
}

type typedEndless struct{ chunk typed }

func (t *typedEndless) Recv() (typed, error) { return t.chunk, nil }

func BenchmarkRecvEncoded(b *testing.B) {
	src := &typedEndless{typed{Model: "m", Choices: []typedChoice{{Delta: delta{"Hi"}}}}}
	s := stream.Recv(tpot.Start(context.Background()), src, nil)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Recv()
	}
}

// BenchmarkRequest is a whole request of 100 chunks through Pull.
func BenchmarkRequest(b *testing.B) {
	src := &endless{}
	b.ReportAllocs()
	for b.Loop() {
		s := stream.Pull(tpot.Start(context.Background()), src, text)
		for range 100 {
			s.Next()
		}
		_ = s.Close()
	}
}
