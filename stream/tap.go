package stream

import (
	"reflect"
	"runtime"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// tap is what all adapters share: it stamps, classifies and records each value, and ends the Recorder.
type tap[T any] struct {
	rec      *tpot.Recorder
	timed    bool // this adapter delivers the events
	classify func(T) tpot.Event
	auto     func(*T) tpot.Event // when classify is nil
	value    T                   // the value being classified, here so that it does not escape anew for each event
	unpriced uint8               // events that may still pass before the cost of classifying is taken again
	cleanup  runtime.Cleanup
}

// claim makes the tap the one that delivers the Recorder's events, unless another was first.
func (t *tap[T]) claim(rec *tpot.Recorder, classify func(T) tpot.Event) {
	t.rec = rec
	t.timed = rec.Claim(t)
	t.classify = classify
	if classify == nil && t.timed {
		t.auto = autoFor[T]()
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
	if !t.timed {
		return
	}
	at := t.rec.Elapsed()
	defer t.survive(at)
	t.record(at, v)
}

// record classifies a value that arrived at the offset. The event goes straight from the classifier to the Recorder:
// each copy of it between them would cost more than the Recorder's lock.
func (t *tap[T]) record(at time.Duration, v T) {
	t.value = v
	if t.classify != nil {
		t.rec.ObserveAt(at, t.classify(t.value))
	} else {
		t.rec.ObserveAt(at, t.auto(&t.value))
	}
	t.value = *new(T)
	t.price(at)
}

// survive is deferred around whatever looks at a value: when that panics, the event is recorded without being understood
// and the caller gets it all the same.
func (t *tap[T]) survive(at time.Duration) {
	if recover() != nil {
		t.value = *new(T)
		t.rec.ObserveAt(at, tpot.Event{})
		t.rec.Fault()
	}
}

const (
	slowClassifier = time.Microsecond
	pricedEvery    = 16
)

// price begins the consumer's hold where our own work on the value ends. A third clock read for each event would cost more
// than most classifiers do, so while they take less than slowClassifier only every 16th event pays for it.
func (t *tap[T]) price(at time.Duration) {
	if t.unpriced > 0 {
		t.unpriced--
		return
	}
	now := t.rec.Elapsed()
	t.rec.BeginHoldAt(now)
	if now-at < slowClassifier {
		t.unpriced = pricedEvery - 1
	}
}

// fail records an error that may not be the stream's last word.
func (t *tap[T]) fail(err error) {
	if t.timed {
		t.rec.ObserveError(err)
	}
}

// end ends the Recorder.
func (t *tap[T]) end(err error) {
	if t.rec != nil {
		t.rec.End(err)
		t.cleanup.Stop()
	}
}

// mustNotBeNil panics with the use when the source is nil, or a nil pointer, function or channel in an interface: a nil stream that
// comes with an error nobody looked at is found here and not at its first use.
func mustNotBeNil(use string, source any) {
	if source != nil {
		switch v := reflect.ValueOf(source); v.Kind() {
		case reflect.Pointer, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice:
			if !v.IsNil() {
				return
			}
		default:
			return
		}
	}
	panic("stream: " + use)
}
