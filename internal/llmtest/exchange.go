package llmtest

import (
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Exchange is what the server saw of one request and its response. Offsets count from Arrived.
//
// Over HTTP/2 what counts as flushed is in the buffer of a connection that flushes it at once, in another goroutine: a
// moment later by the clock, and none in a testing/synctest bubble.
type Exchange struct {
	Method  string
	Host    string // as the client named it
	Path    string
	Header  http.Header // of the request
	Body    []byte      // of the request, at most its first MiB
	Arrived time.Time   // when the request had been read, body included; has a monotonic clock reading

	HeaderSent time.Duration // when the response header had been flushed; zero as well when it was not
	Writes     []Sent        // the writes that were made; one that failed is not among them
	State      State
	Ended      time.Duration // when the response ended; zero while playing
	Err        error         // what kept the server from playing on, as it was met; nil when the script came to its end
}

// Sent is a write that was made.
type Sent struct {
	Write                  // as the script has it, even if it was sent compressed
	Began    time.Duration // when the write began: no client had a byte of it before
	Returned time.Duration // when it had been written and flushed: from then on the client could read it
}

// State is how far a response has come.
type State string

// The states of a response. All but StatePlaying are final.
const (
	StatePlaying  State = "playing"     // it goes on
	StateComplete State = "complete"    // the script was played to an EndComplete
	StateCut      State = "cut"         // the script was played to an EndCut
	StateGone     State = "client gone" // the client left, or could not be written to
	StateClosed   State = "closed"      // the server was closed
)

// Chunks yields each event that generated output, in order, with the write that carried it. Events of one write come
// with the same one.
func (x Exchange) Chunks() iter.Seq2[Sent, Event] {
	return func(yield func(Sent, Event) bool) {
		for _, s := range x.Writes {
			for _, e := range s.Events {
				if e.Kind != "" && !yield(s, e) {
					return
				}
			}
		}
	}
}

// entry is an Exchange that is still being written.
type entry struct {
	mu sync.Mutex
	x  Exchange
}

func (e *entry) headerSent() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.x.HeaderSent = e.elapsed()
}

func (e *entry) sent(s Sent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.x.Writes = append(e.x.Writes, s)
}

func (e *entry) end(s State, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.x.State, e.x.Err, e.x.Ended = s, err, e.elapsed()
}

// elapsed is the offset of now. It needs no lock: Arrived is never changed.
func (e *entry) elapsed() time.Duration { return time.Since(e.x.Arrived) }

// snapshot is the exchange so far. Writes that are added later do not show in it.
func (e *entry) snapshot() Exchange {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.x
	x.Writes = slices.Clip(x.Writes)
	return x
}
