package tpot

import (
	"context"
	"time"
)

// Observer is told of requests as they go. Start is called by [Tracker.Start], in the order of the Tracker's observers, each
// with the context that the one before returned; it may return nil for the context to keep it, and a nil Observation when it
// is not interested in this request. Start may be called concurrently. An observer that panics costs its own view of the
// request and is counted in [Stats.Faults]. Of events that somebody it gave the Recorder to records before all observers have started,
// none is told; of an end all are.
type Observer interface {
	Start(ctx context.Context, req Request, r *Recorder) (context.Context, Observation)
}

// Observation is an observer's view of one request. Its calls are serialised, in order, and made by the goroutine that reads
// or closes the stream, or reads it ahead, or for the End of an abandoned one by the runtime's for cleanups, so they should be short. They may
// call r.Stats and the other readers, but nothing that records an event or ends the request, which would wait for them.
type Observation interface {
	Observe(a Arrival) // every event
	End(s Stats)       // once
}

// EndOnly is for an [Observation] to embed that wants no events: its Observe is never called. Where no observer wants them, an event costs
// what it does without observers.
type EndOnly struct{}

// Observe does nothing.
func (EndOnly) Observe(Arrival) {}

func (EndOnly) endOnly() {}

// Arrival is an event as it arrived. The strings of Event may belong to the stream's own value: copy what is to be kept.
type Arrival struct {
	At     time.Duration // offset from the start
	Gap    time.Duration // since the previous chunk of the same choice; zero when there is none, and for other events
	Wait   time.Duration // the producer's time since the previous chunk, or since the start
	Event  Event
	Chunk  bool   // the event carries output
	First  bool   // the first chunk
	HasGap bool   // there is a previous chunk of the same choice; a Gap of zero is two chunks that came at once
	Stall  bool   // Wait was long enough to be a stall, of that length: before a chunk of any choice, or an error event
	Model  string // the response model last named
}

func (r *Recorder) observeAndTell(at time.Duration, e *Event) {
	r.delivery.Lock()
	defer r.delivery.Unlock()
	w := r.gate.lock()
	if w == openWait(gateEnded) {
		r.gate.unlock(w)
		return
	}
	a := r.arrival(r.arrive(w, at), e)
	r.gate.unlock(0)
	for _, o := range r.observations[:r.listening.Load()] {
		r.tell(o, &a)
	}
}

// arrival takes in an event and describes it.
func (r *Recorder) arrival(at time.Duration, e *Event) Arrival {
	waited, gaps, stalls := r.waited, r.gaps.count, r.stalls.Count
	r.event(at, e)
	a := Arrival{At: at, Wait: r.wait - waited, Event: *e, Chunk: e.Kind&KindGenerated != 0, Model: r.model}
	a.First = a.Chunk && r.chunks == 1
	a.Stall = r.stalls.Count > stalls
	if r.gaps.count > gaps {
		a.HasGap, a.Gap = true, r.choices.find(e.Choice).gap
	}
	return a
}

func (r *Recorder) tell(o Observation, a *Arrival) {
	defer r.survive()
	o.Observe(*a)
}

// survive is deferred around a call of an observer's: a panic of it is counted and goes no further.
func (r *Recorder) survive() {
	if recover() != nil {
		r.fault()
	}
}

func (r *Recorder) endAndTell(at time.Duration, err error, asResponse bool, s *Stats) {
	if r.gate.ended() {
		return
	}
	r.delivery.Lock()
	defer r.delivery.Unlock()
	if r.finish(at, err, asResponse) {
		r.tellEnds(s)
	}
}

// tellEnds tells all observers of the end, whose Stats it puts into s. The caller holds delivery.
func (r *Recorder) tellEnds(s *Stats) {
	r.read(s)
	for _, o := range r.observations {
		r.tellEnd(o, s)
	}
}

func (r *Recorder) tellEnd(o Observation, s *Stats) {
	defer r.survive()
	o.End(*s)
}
