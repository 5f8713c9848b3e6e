package stream

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// tap is what all adapters share: it stamps, classifies and records each value, and ends the Recorder.
type tap[T any] struct {
	rec      *tpot.Recorder
	timed    bool // this adapter delivers the events
	classify func(T) tpot.Event
	carrier  *carrier[T] // of the errors in values; nil when they have none
	fast     atomic.Bool // the classifier was, when last priced
	cleanup  runtime.Cleanup

	mu      sync.Mutex    // guards the rest, and the carrier, for streams that are read from several goroutines
	memory  *memory[T]    // when classify is nil
	pending error         // where another adapter delivers the events: an error that no value has followed
	failed  time.Duration // when that came
}

// attach makes the tap, which is part of owner, the one that delivers the Recorder's events, unless another was first. When
// the garbage collector finds owner before the tap has ended, the stream was abandoned.
func attach[O, T any](owner *O, t *tap[T], rec *tpot.Recorder, classify func(T) tpot.Event) {
	t.claim(rec, classify)
	if rec != nil {
		t.cleanup = runtime.AddCleanup(owner, abandoned, rec)
	}
}

func (t *tap[T]) claim(rec *tpot.Recorder, classify func(T) tpot.Event) {
	t.rec = rec
	t.timed = rec.Claim(t)
	t.classify = classify
	if rec != nil {
		t.carrier = newCarrier[T]()
	}
	if classify == nil && t.timed {
		t.memory = newMemory[T]()
	}
}

// abandoned ends a Recorder whose stream the garbage collector found. The clock is of no use by then.
func abandoned(rec *tpot.Recorder) { rec.EndAt(0, tpot.Abandoned) }

// wait begins the wait for the next value.
func (t *tap[T]) wait() {
	if t.timed {
		t.rec.BeginWait()
	}
}

// take records a value that has just arrived.
func (t *tap[T]) take(v T) {
	switch {
	case t.timed:
		t.record(t.rec.Elapsed(), v)
	case t.carrier == nil:
		t.keep(nil)
	default:
		t.keep(t.carried(v))
	}
}

// record classifies a value that arrived at the offset. The event goes straight from the classifier to the Recorder: a
// copy of it between them would cost as much as the Recorder's lock.
func (t *tap[T]) record(at time.Duration, v T) {
	defer t.survive(at)
	switch {
	case t.carrier != nil:
		t.recordWithError(at, v)
	case t.classify != nil:
		t.rec.ObserveAt(at, t.classify(v))
	default:
		t.rec.ObserveAt(at, t.look(v))
	}
	t.price(at)
}

// look is the classifier that nil stands for.
func (t *tap[T]) look(v T) tpot.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.memory.classify(v)
	t.memory.told.tell(t.rec, t.memory.wire.Facts)
	return e
}

// recordWithError records a value that may carry an error, which then is as one beside the value: not the stream's last word. It is
// recorded even if looking at the value panics, as the value's own encoder may do because of the error.
func (t *tap[T]) recordWithError(at time.Duration, v T) {
	err := t.carried(v)
	defer func() { t.rec.ObserveErrorAt(at, err) }()
	defer t.survive(at)
	switch {
	case t.classify != nil:
		t.rec.ObserveAt(at, t.classify(v))
	case err != nil:
		t.rec.ObserveAt(at, besideError(t.look(v)))
	default:
		t.rec.ObserveAt(at, t.look(v))
	}
}

// carried is the error that a value carries.
func (t *tap[T]) carried(v T) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.carrier.errorIn(v)
}

// survive is deferred around whatever looks at a value: when that panics, the event is recorded without being understood
// and the caller gets it all the same.
func (t *tap[T]) survive(at time.Duration) {
	if recover() != nil {
		t.rec.ObserveAt(at, tpot.Event{})
		t.rec.Fault()
	}
}

const (
	slowClassifier = time.Microsecond
	pricedOneIn    = 64 // a power of two
)

// price begins the consumer's hold where our own work on the value ends. A third clock read for each event would cost more
// than most classifiers do, so while they take less than slowClassifier only one event in 64 pays for it, chosen by the
// clock's own digits: microseconds, since some clocks have none below.
func (t *tap[T]) price(at time.Duration) {
	if t.fast.Load() && at/time.Microsecond%pricedOneIn != 0 {
		return
	}
	now := t.rec.Elapsed()
	t.rec.BeginHoldAt(now)
	t.fast.Store(now-at < slowClassifier)
}

// fail records an error that may not be the stream's last word. Where another adapter delivers the events, they do not tell whether
// it is: whoever reads bytes may be ahead of them.
func (t *tap[T]) fail(err error) {
	if t.timed {
		t.rec.ObserveError(err)
	} else {
		t.keep(err)
	}
}

// keep keeps an error for the end, nil being that there is none.
func (t *tap[T]) keep(err error) {
	if t.rec == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending = err; err != nil {
		t.failed = t.rec.Elapsed()
	}
}

// end ends the Recorder.
func (t *tap[T]) end(err error) {
	if t.rec == nil {
		return
	}
	t.mu.Lock()
	pending, at := t.pending, t.failed
	t.mu.Unlock()
	t.rec.ObserveErrorAt(at, pending)
	t.rec.End(err)
	t.cleanup.Stop()
}

// mustNotBeNil panics with the use when the source is nil, or a nil pointer, function or channel in an interface: a nil stream that
// comes with an error nobody looked at is found here and not at its first use.
func mustNotBeNil(use string, source any) {
	if source != nil {
		switch v := reflect.ValueOf(source); v.Kind() {
		case reflect.Pointer, reflect.Func, reflect.Chan:
			if !v.IsNil() {
				return
			}
		default:
			return
		}
	}
	panic("stream: " + use)
}
