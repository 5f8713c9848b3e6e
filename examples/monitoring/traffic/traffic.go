// Package traffic simulates an application that streams answers: several scenarios over several models of a few providers,
// each with a way of its own to be slow or quick. Faults can be switched on and off while it runs.
//
// Providers and users are made up. What lies between them, in answer.go, is what an application does: it starts a record,
// wraps the stream that a client gives it, and reads it.
package traffic

import (
	"context"
	"maps"
	"sync"

	"github.com/tokentiming/tokentiming/tpot"
)

// Traffic is the simulation. Its methods are safe for concurrent use.
type Traffic struct {
	tracker   *tpot.Tracker
	perSecond float64
	seed      uint64

	mu     sync.Mutex
	faults faults
	ledger Ledger
}

// New makes a Traffic of so many requests a second, on average, whose answers are timed by the tracker. It panics when that is
// not more than zero. Of two with the same seed and the same faults at the same times every request goes the same way.
func New(tracker *tpot.Tracker, perSecond float64, seed uint64) *Traffic {
	if !(perSecond > 0) {
		panic("traffic: no requests per second")
	}
	return &Traffic{
		tracker: tracker, perSecond: perSecond, seed: seed,
		faults: make(faults), ledger: Ledger{Ended: make(map[Class]Sum)},
	}
}

// Run sends requests until the context ends. Then the answers on their way are canceled, and Run returns when the last of them has
// ended. It is to be called once.
func (t *Traffic) Run(ctx context.Context) {
	var open sync.WaitGroup
	defer open.Wait()
	arrivals := newDice(t.seed, 0)
	for number := uint64(1); ; number++ {
		if pause(ctx, arrivals.interval(t.perSecond)) != nil {
			return
		}
		q := t.next(number)
		open.Go(func() { t.finish(q, t.ask(ctx, q)) })
	}
}

// next starts a request. The faults of this moment are its faults.
func (t *Traffic) next(number uint64) request {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ledger.Started++
	return newRequest(newDice(t.seed, number), t.faults)
}

// finish enters a request in the ledger.
func (t *Traffic) finish(q request, n notes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ledger.enter(Class{q.scenario.name, q.model.name, n.outcome}, n.sum)
}

// Set switches a fault on or off, for the requests that start from now on.
func (t *Traffic) Set(f Fault, on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults[f] = on
}

// On is whether a fault is on.
func (t *Traffic) On(f Fault) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.faults[f]
}

// Ledger is what the simulation has done so far.
func (t *Traffic) Ledger() Ledger {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Ledger{Started: t.ledger.Started, Ended: maps.Clone(t.ledger.Ended)}
}
