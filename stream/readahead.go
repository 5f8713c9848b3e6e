package stream

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"time"
)

// aheadBody is a response body that is read ahead of its reader. It is apart from what the goroutine holds, so that it can be
// found to be abandoned.
type aheadBody struct {
	*readAhead
	cleanup runtime.Cleanup
}

func newAheadBody(ctx context.Context, src io.ReadCloser, r *reading, limit int) *aheadBody {
	a := &readAhead{ctx: ctx, src: src, reading: r, limit: limit, returned: r.rec.Elapsed()}
	a.changed.L = &a.mu
	a.forgetContext = context.AfterFunc(ctx, a.wake)
	b := &aheadBody{readAhead: a}
	b.cleanup = runtime.AddCleanup(b, (*readAhead).abandon, a)
	go a.run()
	return b
}

// Close closes the response's own body, which ends the goroutine's Read.
func (b *aheadBody) Close() error {
	b.cleanup.Stop()
	return b.close()
}

// readAhead reads a body in a goroutine of its own, up to a limit ahead of its reader. The events are stamped by the
// goroutine, and so are the gaps between them the producer's; what the reader makes of its time is reported beside.
type readAhead struct {
	ctx           context.Context
	src           io.ReadCloser
	reading       *reading
	limit         int
	forgetContext func() bool

	mu       sync.Mutex
	changed  sync.Cond
	queue    bytes.Buffer  // what has been read ahead
	over     bool          // the goroutine reads no more
	err      error         // with which the source ended; nil when the goroutine ended before it
	ended    time.Duration // when it did
	panicked any           // what the source panicked with
	left     bool          // nobody wants more

	returned time.Duration // when the reader got its last bytes, or the body
	full     time.Duration // since when the goroutine has had no room; zero: it has
	blocked  time.Duration // how long it has had none since returned
}

const (
	maxRead  = 32 << 10 // how much is read at once
	maxEmpty = 100      // reads of nothing in a row that are tried before the reader is left to try
)

// run is the goroutine.
func (a *readAhead) run() {
	defer a.stop()
	buffer := make([]byte, min(a.limit, maxRead))
	for empty := 0; empty < maxEmpty; empty++ {
		room := a.awaitRoom()
		if room == 0 {
			return
		}
		a.reading.wait()
		n, err := a.src.Read(buffer[:min(room, len(buffer))])
		ended := a.reading.arrivedAhead(buffer[:n], err)
		if a.put(buffer[:n], err, ended); err != nil {
			return
		}
		if n > 0 {
			empty = 0
		}
	}
}

// stop says that the goroutine has ended. A panic of the source is kept for the reader.
func (a *readAhead) stop() {
	v := recover()
	a.forgetContext()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queue.Len() >= a.limit && a.err == nil { // the reader does not wait
		a.account()
	}
	a.panicked, a.over = v, true
	a.changed.Broadcast()
}

func (a *readAhead) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed.Broadcast()
}

// awaitRoom returns how many bytes may be read, 0 when no more are to be. The time that it waits is the reader's.
func (a *readAhead) awaitRoom() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.queue.Len() >= a.limit && !a.left && a.ctx.Err() == nil {
		if a.full == 0 {
			a.full = max(a.reading.rec.Elapsed(), 1)
		}
		a.changed.Wait()
	}
	a.unblock(a.reading.rec.Elapsed())
	if a.left {
		return 0
	}
	return max(a.limit-a.queue.Len(), 0)
}

// unblock books the time without room.
func (a *readAhead) unblock(at time.Duration) {
	if a.full > 0 {
		a.blocked += max(at-a.full, 0)
		a.full = 0
	}
}

func (a *readAhead) put(data []byte, err error, at time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue.Write(data)
	a.err, a.ended = err, at
	a.changed.Broadcast()
}

// Read reads what has been read ahead, and waits if that is nothing. Where the goroutine has ended before the body, the reader reads
// for itself.
func (a *readAhead) Read(p []byte) (int, error) {
	n, err, direct := a.next(p)
	if !direct {
		return n, err
	}
	a.reading.wait()
	n, err = a.src.Read(p)
	a.reading.arrived(p[:min(max(n, 0), len(p))], err)
	return n, err
}

// next returns what has been read ahead, or the end; direct is when there is neither.
func (a *readAhead) next(p []byte) (n int, err error, direct bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account()
	for a.queue.Len() == 0 && !a.over && !a.left && len(p) > 0 {
		a.changed.Wait()
	}
	defer func() { a.returned = a.reading.rec.Elapsed() }()
	switch {
	case a.left:
		return 0, nil, true
	case a.queue.Len() > 0 || len(p) == 0:
		n, _ = a.queue.Read(p)
		a.changed.Broadcast()
		return n, nil, false
	case a.panicked != nil:
		panic(a.panicked)
	case a.err == nil:
		return 0, nil, true
	}
	a.reading.finish(a.ended, a.err)
	return 0, a.err, false
}

// account reports the time since the reader got its last bytes as its own, as far as it was not the goroutine's too, and not
// after the end. A reader that reads for itself has its time booked like any other.
func (a *readAhead) account() {
	if a.over && a.err == nil {
		return
	}
	now := a.reading.rec.Elapsed()
	if a.full > 0 {
		a.unblock(now)
		a.full = now
	}
	end := a.reading.lastOffset(now)
	if a.err != nil {
		end = min(end, a.ended)
	}
	a.reading.rec.AddHold(min(now, end) - min(a.returned, end) - a.blocked)
	a.blocked = 0
}

func (a *readAhead) close() error {
	a.leave()
	a.reading.leave()
	return a.src.Close()
}

// abandon ends what the garbage collector found. The body is not closed: it would not have been without us.
func (a *readAhead) abandon() {
	a.leave()
	a.reading.abandon()
}

// leave says that nobody wants more.
func (a *readAhead) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.left {
		a.account()
	}
	a.left = true
	a.changed.Broadcast()
}
