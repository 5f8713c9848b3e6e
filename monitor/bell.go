package monitor

import (
	"sync"
	"time"
)

// alreadyOld is the age from which on a request that begins rings the bell. Those of [tpot.Tracker.StartAt] may have waited for long by then,
// and reach a limit before a watch would look.
const alreadyOld = time.Millisecond

// bell wakes all who listen. The zero bell is ready for use, and safe for concurrent use.
type bell struct {
	mu    sync.Mutex
	rings chan struct{} // closed when it rings; nil while nobody listens
}

// listen returns what is closed when the bell rings next.
func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rings == nil {
		b.rings = make(chan struct{})
	}
	return b.rings
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rings != nil {
		close(b.rings)
		b.rings = nil
	}
}
