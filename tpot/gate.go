package tpot

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// gate is the lock of a Recorder's state, together with the offset of the open wait.
//
// Both live in one word because they change together: a wait is opened while nobody holds the lock, and observing an
// event takes the lock and closes the wait. So an event costs three atomic operations, one to open the wait and two for
// the lock, and not the four of a mutex that guards both; each is as dear as a fifth of a clock read.
//
// Whoever finds the word locked queues on the mutex, and only the head of the queue spins, against sections that are
// short, at the most copy what is kept, and call nobody else's code.
type gate struct {
	word  atomic.Int64
	queue sync.Mutex
}

// What the word holds, besides gateWaiting plus the offset of an open wait.
const (
	gateOpen    int64 = iota // unlocked, no open wait
	gateLocked               // somebody holds the lock
	gateEnded                // unlocked for good: the recorder has ended
	gateWaiting              // the lowest word of an open wait
)

// openWait is a wait that the lock found open. The zero openWait is none.
type openWait int64

// waitSince is a wait that began at the offset, which is not negative.
func waitSince(at time.Duration) openWait { return openWait(int64(at) + gateWaiting) }

// maxOffset leaves room for the states beside the offsets.
const maxOffset = time.Duration(1<<63 - 1 - gateWaiting)

func (w openWait) since() (time.Duration, bool) {
	return time.Duration(int64(w) - gateWaiting), int64(w) >= gateWaiting
}

// beginWait opens a wait, unless one is open or the recorder has ended.
func (g *gate) beginWait(w openWait) {
	if !g.word.CompareAndSwap(gateOpen, int64(w)) {
		g.beginWaitQueued(w)
	}
}

// beginWaitQueued is beginWait where the word was not simply open. It may be by now: whoever had the lock has left.
func (g *gate) beginWaitQueued(w openWait) {
	if word := g.word.Load(); word != gateLocked && word != gateOpen {
		return
	}
	if open := g.lock(); open != 0 {
		w = open
	}
	g.unlock(w)
}

// ended is whether the recorder has ended. Whoever holds the lock may be ending it, or reading what has ended.
func (g *gate) ended() bool {
	word := g.word.Load()
	if word == gateLocked {
		w := g.lock()
		g.unlock(w)
		word = int64(w)
	}
	return word == gateEnded
}

// lock takes the lock and the open wait, which is to be put back with unlock or dropped.
func (g *gate) lock() openWait {
	if word := g.word.Swap(gateLocked); word != gateLocked {
		return openWait(word)
	}
	return g.lockQueued()
}

func (g *gate) lockQueued() openWait {
	g.queue.Lock()
	defer g.queue.Unlock()
	for {
		if word := g.word.Swap(gateLocked); word != gateLocked {
			return openWait(word)
		}
		runtime.Gosched()
	}
}

// unlock releases the lock and leaves w as the open wait.
func (g *gate) unlock(w openWait) { g.word.Store(int64(w)) }
