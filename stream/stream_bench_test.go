package stream_test

import (
	"context"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

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

// endless is a stream of every shape that never ends.
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
