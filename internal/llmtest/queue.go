package llmtest

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// queue carries the bytes of one direction of a connection. Waiting for them is durably blocking in the sense of
// testing/synctest: it is a [sync.Cond] that waits, not the mutex, which is never held for long.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	data    bytes.Buffer
	reader  side
	writer  side
}

// side is what one of the two who use a queue has set.
type side struct {
	closed  bool
	expired bool // the deadline has passed
	timer   *time.Timer
	timers  int // how many were set: a timer that was replaced as it fired has another number
}

// err is why the side can no longer use the queue.
func (s *side) err() error {
	switch {
	case s.closed:
		return net.ErrClosed
	case s.expired:
		return os.ErrDeadlineExceeded
	}
	return nil
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// read waits for bytes. It returns io.EOF when the writer has closed and all has been read.
func (q *queue) read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if err := q.reader.err(); err != nil {
			return 0, err
		}
		if q.data.Len() > 0 || len(p) == 0 {
			return q.data.Read(p)
		}
		if q.writer.closed {
			return 0, io.EOF
		}
		q.changed.Wait()
	}
}

// write adds p and never waits.
func (q *queue) write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.writer.err(); err != nil {
		return 0, err
	}
	if q.reader.closed {
		return 0, io.ErrClosedPipe
	}
	q.changed.Broadcast()
	return q.data.Write(p)
}

func (q *queue) close(s *side) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.stop()
	s.closed = true
	q.changed.Broadcast()
}

// setDeadline makes the side's use of q fail from t on. The zero t takes the deadline away.
func (q *queue) setDeadline(s *side, t time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.stop()
	left := time.Until(t)
	s.expired = !t.IsZero() && left <= 0
	if left > 0 {
		number := s.timers
		s.timer = time.AfterFunc(left, func() { q.expire(s, number) })
	}
	q.changed.Broadcast()
}

// expire is called by timers.
func (q *queue) expire(s *side, number int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if number == s.timers {
		s.expired = true
		q.changed.Broadcast()
	}
}

// stop ends the timer. If it is firing just now, its call of expire finds another number.
func (s *side) stop() {
	s.timers++
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
