//go:build unix

package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The benchmarks here are of 10,000 scripted streams at once: with a Monitor that has a stall watch and a rule, bare with a Tracker that has no
// observers, and untimed.

// BenchmarkStreams tells the CPU time of the whole process for each chunk, cpu-ns/chunk, where each stream has 300 chunks, 20 to 50 ms apart, and
// another follows it: a hundred begin and end every tenth of a second. It is the least of several half seconds, in each of which the
// watch looks at all streams.
func BenchmarkStreams(b *testing.B)        { benchmarkStreams(b, monitored) }
func BenchmarkStreamsBare(b *testing.B)    { benchmarkStreams(b, bare) }
func BenchmarkStreamsUntimed(b *testing.B) { benchmarkStreams(b, untimed) }

// BenchmarkOpenStreams tells the memory of each stream, B/stream, its goroutine's stack included, while all wait in the middle of a response.
func BenchmarkOpenStreams(b *testing.B)        { benchmarkOpenStreams(b, monitored) }
func BenchmarkOpenStreamsBare(b *testing.B)    { benchmarkOpenStreams(b, bare) }
func BenchmarkOpenStreamsUntimed(b *testing.B) { benchmarkOpenStreams(b, untimed) }

const (
	tenThousand = 10_000
	halfASecond = 500 * time.Millisecond
)

// wrapper is what times a stream, or does not.
type wrapper func(i int, s stream.Receiver[int]) stream.Receiver[int]

func untimed(*testing.B) wrapper {
	return func(_ int, s stream.Receiver[int]) stream.Receiver[int] { return s }
}

func bare(*testing.B) wrapper { return trackedBy(&tpot.Tracker{}) }

func monitored(b *testing.B) wrapper {
	m := monitor.New(monitor.Config{})
	b.Cleanup(func() { m.Close() })
	m.WatchStalls(monitor.StallLimits{FirstToken: 2 * time.Second, Gap: halfASecond}, func(monitor.Stall) {})
	m.Watch(monitor.Rule{Figure: monitor.TTFT(0.95), Limit: 1}, func(monitor.Breach) {})
	return trackedBy(&tpot.Tracker{Observers: []tpot.Observer{m}})
}

func trackedBy(t *tpot.Tracker) wrapper {
	var requests [100]tpot.Request
	for i := range requests {
		requests[i] = tpot.Request{Provider: "p", Model: "m", Scenario: fmt.Sprint(i)}
	}
	return func(i int, s stream.Receiver[int]) stream.Receiver[int] {
		_, rec := t.Start(context.Background(), requests[i%len(requests)])
		return stream.Recv(rec, s, func(int) tpot.Event { return tpot.Event{Kind: tpot.KindText} })
	}
}

// paced is streams, one after the other.
type paced struct {
	number int
	chunks int          // of the stream
	total  atomic.Int64 // of all streams
	closed *atomic.Bool
}

func (p *paced) Recv() (int, error) {
	if p.chunks == 300 || p.closed.Load() {
		p.chunks = 0
		return 0, io.EOF
	}
	p.chunks++
	time.Sleep(time.Duration(20+(p.number*17+p.chunks*7)%31) * time.Millisecond)
	p.total.Add(1)
	if p.chunks == 1 {
		return decode()
	}
	return p.chunks, nil
}

// decode is what an SDK does with a chunk. It takes more stack than a goroutine has at first, as every real call does.
func decode() (n int, err error) {
	return n, json.Unmarshal([]byte("7"), &n)
}

// run plays each stream on a goroutine of its own.
func (p *paced) run(all *sync.WaitGroup, wrap wrapper) {
	all.Go(func() {
		drain(wrap(p.number, p))
		if !p.closed.Load() {
			p.run(all, wrap)
		}
	})
}

func drain(s stream.Receiver[int]) {
	for {
		if _, err := s.Recv(); err != nil {
			return
		}
	}
}

func benchmarkStreams(b *testing.B, with func(*testing.B) wrapper) {
	wrap := with(b)
	var all sync.WaitGroup
	var closed atomic.Bool
	sources := make([]paced, tenThousand)
	for i := range sources {
		p := &sources[i]
		p.number, p.chunks, p.closed = i, i*37%300, &closed
		p.run(&all, wrap)
	}
	chunks := func() (n int64) {
		for i := range sources {
			n += sources[i].total.Load()
		}
		return n
	}
	least := math.Inf(1)
	time.Sleep(halfASecond) // until all are under way
	for b.Loop() {
		for range 4 {
			used, given := cpuTime(b), chunks()
			time.Sleep(halfASecond)
			least = min(least, float64(cpuTime(b)-used)/float64(chunks()-given))
		}
	}
	b.ReportMetric(least, "cpu-ns/chunk")
	closed.Store(true)
	all.Wait()
}

// cpuTime is what the process has used so far.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// held is a stream that gives some chunks at once and ends when it is let go.
type held struct {
	chunks  int
	waiting *sync.WaitGroup
	letGo   chan struct{}
}

func (h *held) Recv() (int, error) {
	if h.chunks++; h.chunks <= 10 {
		return decode()
	}
	h.waiting.Done()
	<-h.letGo
	return 0, io.EOF
}

func benchmarkOpenStreams(b *testing.B, with func(*testing.B) wrapper) {
	openStreams(untimed(b)) // their goroutines are used again
	wrap := with(b)
	var memory uint64
	for b.Loop() {
		memory += openStreams(wrap)
	}
	b.ReportMetric(float64(memory)/float64(b.N)/tenThousand, "B/stream")
}

// openStreams is the memory of all streams.
func openStreams(wrap wrapper) uint64 {
	before := memoryInUse()
	var waiting, all sync.WaitGroup
	letGo := make(chan struct{})
	for i := range tenThousand {
		waiting.Add(1)
		all.Go(func() { drain(wrap(i, &held{waiting: &waiting, letGo: letGo})) })
	}
	waiting.Wait()
	memory := memoryInUse() - before
	close(letGo)
	all.Wait()
	return memory
}

func memoryInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
