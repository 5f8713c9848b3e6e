package monitor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

const (
	defaultWindow = 5 * time.Minute
	defaultKeys   = 100
)

// Config is what a Monitor is made with. The zero Config works.
type Config struct {
	// Window is how far Snapshot looks back. It moves on in steps of a twelfth, and what is in a row is never less
	// than the Window and at most one step more; see Row.Span. Zero: 5 minutes; 12 ms at least.
	Window time.Duration

	// Keys is how many combinations of provider, model and scenario are told apart at a time; the requests of any others are together
	// in a row of [Other]. One that had no request for a Window makes room. Zero: 100. A key costs about 18 KiB for
	// each step in which it had a request: some 23 MiB for a hundred keys that are always in use.
	Keys int
}

// Monitor is a [tpot.Observer] that keeps rolling statistics of the requests it is told of. Make it with [New]; a zero Monitor is of no use. Its
// methods are safe for concurrent use.
type Monitor struct {
	began time.Time
	step  time.Duration // of the windows
	keys  int

	mu     sync.Mutex // guards what follows; held for a few microseconds at a time, and never while others' code runs
	lines  map[Key]*line
	swept  int64 // the step in which lines was last looked through for room
	loads  map[endpoint]*load
	recent recent
	begun  uint64        // requests
	latest time.Duration // what now last was

	roster roster
	bell   bell            // of requests that had waited before they began
	open   context.Context // ends with Close, and with it all watches
	close  context.CancelFunc
	faults atomic.Int64
}

var _ tpot.Observer = (*Monitor)(nil)

// New makes a Monitor.
func New(c Config) *Monitor {
	m := &Monitor{
		began: time.Now(),
		step:  defaultWindow / steps,
		keys:  defaultKeys,
		lines: make(map[Key]*line),
		loads: make(map[endpoint]*load),
	}
	m.open, m.close = context.WithCancel(context.Background())
	if c.Window > 0 {
		m.step = max((c.Window-1)/steps+1, time.Millisecond)
	}
	if c.Keys > 0 {
		m.keys = c.Keys
	}
	return m
}

// Close ends all watches, and with them the Monitor's goroutines; none begins after. It does not wait for a callback that runs, so callbacks may call it.
// Statistics go on as before. Close returns nil, also when called again.
func (m *Monitor) Close() error {
	m.close()
	return nil
}

// Faults is how often a callback, or a [Figure] of a [Rule], has panicked or called [runtime.Goexit]. That goes no further, and ends no watch.
func (m *Monitor) Faults() int { return int(m.faults.Load()) }

// now is the time since the Monitor was made, which never goes back. The caller holds the lock. In a test's bubble the clock is another than
// outside, where the garbage collector's goroutine ends requests; the Monitor's time is by the one it was made by, and else stands still.
func (m *Monitor) now() time.Duration {
	if now := time.Now(); inBubble(now) == inBubble(m.began) {
		m.latest = max(m.latest, now.Sub(m.began))
	}
	return m.latest
}

// inBubble is whether a time was read in a test's bubble, where alone it has no monotonic reading.
func inBubble(t time.Time) bool { return t == t.Round(0) }

// number is the step that a time is in.
func (m *Monitor) number(now time.Duration) int64 { return int64(now / m.step) }
