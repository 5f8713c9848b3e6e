package matrix

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// Run tries the SDK in every way and scenario, in subtests named SDK/way/scenario.
func Run[T any](t *testing.T, sdk SDK[T]) {
	t.Run(sdk.Name, func(t *testing.T) {
		plain := map[string]*trial[T]{}
		t.Run(untimed.name, func(t *testing.T) {
			for _, s := range scenarios {
				t.Run(s.name, func(t *testing.T) {
					tr := try(t, sdk, untimed, s)
					plain[s.name] = tr
					tr.checkSDK(t)
				})
			}
		})
		leaked := false
		for _, w := range ways {
			t.Run(w.name, func(t *testing.T) {
				for _, s := range scenarios {
					t.Run(s.name, func(t *testing.T) {
						tr := try(t, sdk, w, s)
						tr.checkConsumer(t, plain[s.name])
						tr.checkRecords(t)
						leaked = leaked || tr.leaked
					})
				}
			})
		}
		assert.Equal(t, sdk.Traits.Leaks, leaked, "leaks")
	})
}

// refused is whether the request is over with its first attempt.
func (t *trial[T]) refused() bool { return t.name429() && !t.Traits.Retries }

func (t *trial[T]) name429() bool { return len(t.played) > 1 }

// checkSDK holds the SDK's traits against what it does.
func (t *trial[T]) checkSDK(tt *testing.T) {
	c := &t.consumer
	hidden := false
	switch t.scenario.name {
	case "429 first":
		hidden = t.Traits.Retries
		assert.Len(tt, t.log, map[bool]int{true: 2, false: 1}[t.Traits.Retries])
	case "cut":
		hidden = t.Traits.HidesCut
	case "cut in an event":
		hidden = t.Traits.HidesCut && !t.Traits.GarblesCut
	case "no end marker":
		hidden = t.Traits.HidesEnd
	case "cancel":
		hidden = t.Traits.HidesCancel || t.Traits.RacesCancel && len(c.Errs) == 0
	case "error in stream":
		hidden = t.Traits.HidesError
	case "early close":
		hidden = !t.Traits.PanicsAtEnd
	default:
		hidden = true
	}
	assert.Equal(tt, hidden, len(c.troubles()) == 0, "errors: %v", c.Errs)
	if t.outcome == tpot.OutcomeOK && !t.refused() {
		assert.Equal(tt, t.Traits.Stutters, len(c.Errs) > 0)
	}
	if t.pause == 0 {
		assert.Equal(tt, t.visible(t.sent()), c.seen(), "what the server sent is seen when it was sent")
	} else {
		assert.Len(tt, c.seen(), len(t.visible(t.sent())))
	}
}

// checkConsumer compares what the consumer saw with what it sees of the SDK alone.
func (t *trial[T]) checkConsumer(tt *testing.T, plain *trial[T]) {
	require.NotNil(tt, plain)
	assert.Equal(tt, plain.view(), t.view())
}

// view is all that a consumer can tell. Of two attempts the second comes after a pause of any length.
func (t *trial[T]) view() map[string]any {
	c := &t.consumer
	late := t.arrived(t.log[len(t.log)-1])
	var values []Taken
	for _, v := range c.Took {
		v.Asked -= late
		v.Got -= late
		values = append(values, v)
	}
	if len(values) > 0 {
		values[0].Asked = 0
	}
	errs := describe(c.Errs...)
	if t.cancelAt > 0 && t.Traits.RacesCancel {
		errs = nil
	}
	return map[string]any{"values": values, "errors": errs, "close": describe(c.Close), "left": c.Left, "ended": c.Ended - late}
}

func describe(errs ...error) (texts []string) {
	for _, err := range errs {
		var chain string
		for e := err; e != nil; e = errors.Unwrap(e) {
			chain += fmt.Sprintf("%T: %v\n", e, e)
		}
		texts = append(texts, chain)
	}
	return texts
}

// checkRecords holds the records against what they should say.
func (t *trial[T]) checkRecords(tt *testing.T) {
	records := t.records
	if !t.adapter && !t.joined {
		require.Len(tt, records, len(t.log), "a record for each attempt")
	} else {
		require.Len(tt, records, 1)
	}
	for _, r := range records {
		s := r.stats
		if e2e, ok := s.E2E(); ok {
			assert.Equal(tt, e2e, s.Setup+s.Wait+s.Hold)
		}
	}
	if t.name429() && (len(records) > 1 || t.refused()) {
		t.checkRefusal(tt, records[0].stats)
		records = records[1:]
	}
	for _, r := range records {
		t.checkAnswer(tt, r)
	}
}

func (t *trial[T]) checkRefusal(tt *testing.T, s tpot.Stats) {
	assert.Equal(tt, tpot.OutcomeFailed, s.Outcome)
	assert.Zero(tt, s.Chunks)
	if t.transport {
		assert.Equal(tt, "status", s.Cause)
		assert.Equal(tt, "429", s.ErrorType)
	}
}

func (t *trial[T]) checkAnswer(tt *testing.T, r record) {
	want, got := t.expected(), r.figures()
	if t.loose() {
		t.checkBounds(tt, got)
		want.Chunks, want.TTFT, want.TTFO, want.TPOT, want.Gaps, want.Stalls, want.E2E = got.Chunks, got.TTFT, got.TTFO, got.TPOT, got.Gaps, got.Stalls, got.E2E
	}
	assert.Equal(tt, want, got)
	s := r.stats
	if t.adapter && !t.tapped() {
		assert.Equal(tt, t.pause*time.Duration(len(t.consumer.Took)), s.Hold)
	}
	if last := t.consumer.lastWord(); t.adapter && !t.transport && last != nil && !t.consumer.Left {
		assert.Equal(tt, last, s.Err, "the record has the error that the consumer got")
	}
}

// checkBounds is for a record that hears of a chunk when an SDK with buffers of its own reads for a slow consumer: after it was sent, and
// before the consumer saw it.
func (t *trial[T]) checkBounds(tt *testing.T, got figures) {
	sent, seen := t.sent(), t.consumer.seen()
	require.Len(tt, got.Chunks, len(sent))
	hidden := len(sent) - len(seen)
	for i, c := range got.Chunks {
		at := c.At
		assert.LessOrEqual(tt, sent[i].At, at)
		if i >= hidden {
			assert.LessOrEqual(tt, at, seen[i-hidden].At)
		}
	}
}
