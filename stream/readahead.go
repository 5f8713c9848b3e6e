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
	trailing trailing
	cleanup  runtime.Cleanup
}

func newAheadBody(ctx context.Context, src io.ReadCloser, r *reading, t trailing, limit int) *aheadBody {
	a := &readAhead{ctx: ctx, src: src, reading: r, limit: limit, idle: idle{since: r.rec.Elapsed()}}
	a.changed.L = &a.mu
	a.forgetContext = context.AfterFunc(ctx, a.wake)
	b := &aheadBody{readAhead: a, trailing: t}
	b.cleanup = runtime.AddCleanup(b, (*readAhead).abandon, a)
	go a.run()
	return b
}

// Read reads what has been read ahead, and waits if that is nothing. Where the goroutine has ended before the body, the reader
// reads for itself.
func (b *aheadBody) Read(p []byte) (int, error) {
	defer runtime.KeepAlive(b) // it is not abandoned while it is read
	n, err := b.read(p)
	b.trailing.pass(err)
	return n, err
}

// Close closes the response's own body, which ends the goroutine's Read.
func (b *aheadBody) Close() error {
	b.cleanup.Stop()
	b.reading.beginClose()
	b.leave()
	defer b.reading.leave()
	return b.src.Close()
}

// readAhead reads a body in a goroutine of its own, up to a limit ahead of its reader. The events are stamped by the
// goroutine, so the gaps between them are the producer's; what the reader makes of its time is reported beside.
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
	err      error         // what it ended with, until the reader has it
	ended    time.Duration // when that came
	panicked any           // what the source panicked with
	left     bool          // nobody wants more

	waiting  bool // the reader is in Read
	idle     idle
	reported time.Duration // of the reader's idle time
}

// maxRead is how much is read at once.
const maxRead = 32 << 10

// run is the goroutine. A Read of nothing ends it; from then on the reader calls Read itself.
func (a *readAhead) run() {
	defer a.stop()
	buffer := make([]byte, min(a.limit, maxRead))
	for {
		room := a.awaitRoom()
		if room == 0 {
			return
		}
		a.reading.wait()
		n, err := a.src.Read(buffer[:min(room, len(buffer))])
		data := within(buffer, n)
		a.reportNow()
		at := a.reading.arrivedAhead(data, err)
		if a.put(data, err, at); err != nil || n == 0 {
			return
		}
	}
}

// stop says that the goroutine has ended. A panic of the source is kept for the reader.
func (a *readAhead) stop() {
	v := recover()
	a.forgetContext()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report()
	a.panicked, a.over = v, true
	a.changed.Broadcast()
}

func (a *readAhead) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed.Broadcast()
}

// awaitRoom returns how many bytes may be read, 0 when no more are to be. The Recorder counts the time that it waits as the
// reader's already.
func (a *readAhead) awaitRoom() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.queue.Len() >= a.limit && !a.left && a.ctx.Err() == nil {
		a.idle.pause(a.reading.rec.Elapsed())
		a.changed.Wait()
	}
	if !a.waiting {
		a.idle.begin(a.reading.rec.Elapsed())
	}
	if a.left {
		return 0
	}
	return max(a.limit-a.queue.Len(), 0)
}

// reportNow is report before the Recorder hears of what a Read has brought, which may be the end.
func (a *readAhead) reportNow() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report()
}

func (a *readAhead) put(data []byte, err error, at time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue.Write(data)
	a.err, a.ended = err, at
	a.changed.Broadcast()
}

// read is aheadBody's Read.
func (a *readAhead) read(p []byte) (int, error) {
	n, direct, err := a.next(p)
	switch {
	case direct:
		a.reading.wait()
		n, err = a.src.Read(p)
		a.reading.arrived(within(p, n), err)
	case err != nil:
		a.reading.finish(a.ended, err)
	}
	return n, err
}

// next returns what has been read ahead, or the error that ended it; direct is that there is neither, and the reader is to
// read for itself. A body that was closed gives what it has like any other, once the goroutine has left it.
func (a *readAhead) next(p []byte) (n int, direct bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = true
	a.idle.pause(a.reading.rec.Elapsed())
	defer func() {
		a.waiting = false
		if !a.over {
			a.idle.begin(a.reading.rec.Elapsed())
		}
	}()
	for a.queue.Len() == 0 && !a.over && len(p) > 0 {
		a.changed.Wait()
	}
	switch {
	case a.queue.Len() > 0 || len(p) == 0 && !a.over:
		n, _ = a.queue.Read(p)
		a.changed.Broadcast()
		return n, false, nil
	case a.panicked != nil:
		panic(a.panicked)
	case a.err != nil:
		err, a.err = a.err, nil
		return 0, false, err
	}
	return 0, true, nil
}

// report tells the Recorder of the reader's idle time up to now.
func (a *readAhead) report() {
	if a.over {
		return
	}
	spent := a.idle.upTo(a.reading.rec.Elapsed())
	a.reading.rec.AddHold(spent - a.reported)
	a.reported = spent
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
	a.report()
	a.left = true
	a.changed.Broadcast()
}

// idle adds up the time in which the reader was not in Read while the goroutine could read on.
type idle struct {
	total  time.Duration
	since  time.Duration
	paused bool // the time now is none
}

func (i *idle) begin(at time.Duration) {
	if i.paused {
		i.since, i.paused = at, false
	}
}

func (i *idle) pause(at time.Duration) {
	i.total, i.paused = i.upTo(at), true
}

// upTo is the time until an offset.
func (i *idle) upTo(at time.Duration) time.Duration {
	if i.paused {
		return i.total
	}
	return i.total + max(at-i.since, 0)
}
