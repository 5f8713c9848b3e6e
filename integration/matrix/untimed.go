package matrix

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// checkSDK holds the SDK's traits against what it does, and what its consumer sees against what the server sent.
func (t *trial[T]) checkSDK(tt *testing.T) {
	t.checkRequests(tt)
	t.checkTrouble(tt)
	t.checkSeen(tt)
	opened := t.consumer.opened < t.arrived(t.latest())+headerAt
	assert.True(tt, t.refused() || t.Traits.Lazy == opened, "lazy")
	assert.NotContains(tt, t.idle(), true, "traits that nothing shows")
}

// idle is whether the SDK is said to have traits that its wire does not show, or that another one covers.
func (t *trial[T]) idle() []bool {
	return []bool{
		t.Traits.NoCount && t.wire.NoReasoningCount,
		t.Traits.NoModel && t.wire.Model == "",
		t.Traits.LateUsage && !t.wire.InputFirst,
		t.Traits.NoComments && t.wire.Comment == "",
		t.Traits.HidesCancel && t.Traits.RacesCancel,
	}
}

// checkRequests holds how often the SDK asked, and whether for usage.
func (t *trial[T]) checkRequests(tt *testing.T) {
	if t.refused() {
		assert.Len(tt, t.log, 1, "requests")
	} else {
		assert.Len(tt, t.log, len(t.played), "requests")
	}
	for _, x := range t.log {
		asks := t.wire.Asks != "" && strings.Contains(string(x.Body), t.wire.Asks)
		assert.Equal(tt, t.wire.Asks != "" && !t.wire.Unasked, asks, "asks for usage: %s", x.Body)
		assert.Equal(tt, "gzip", x.Header.Get("Accept-Encoding"), "or nothing would be compressed")
	}
}

// checkTrouble holds which errors the consumer got.
func (t *trial[T]) checkTrouble(tt *testing.T) {
	c := &t.consumer
	if t.races() {
		t.checkRace(tt)
	} else {
		assert.Equal(tt, t.hides == nil || t.hides(t.Traits), !c.troubled(), "errors: %v", c.errs)
	}
	if t.complete() {
		assert.Equal(tt, t.Traits.Stutters, len(c.errs) > 0, "stutters")
	}
	if t.half {
		assert.Equal(tt, t.Traits.GarblesCut, ofError(c.lastError()).Outcome == tpot.OutcomeFailed, "garbles")
	}
}

// checkSeen holds what the consumer saw against what the server sent.
func (t *trial[T]) checkSeen(tt *testing.T) {
	seen, sent := chunks(t.consumer.values()), t.visible(t.sent())
	switch {
	case t.givesUp():
		assert.Empty(tt, seen)
		assert.Equal(tt, firstComment, t.consumer.ended)
	case t.pause > 0:
		assert.Len(tt, seen, len(sent))
	default:
		assert.Equal(tt, sent, seen, "what the server sent is seen when it was sent")
		assert.Equal(tt, t.arrived(t.latest())+t.endAt(), t.consumer.ended)
	}
}

// checkRace tries until it has come out in both ways.
func (t *trial[T]) checkRace(tt *testing.T) {
	seen := map[bool]bool{}
	for range 1000 {
		if seen[try(tt, t.SDK, untimed, t.scenario).consumer.troubled()] = true; len(seen) == 2 {
			return
		}
	}
	assert.Fail(tt, "no race", "errors in all of many trials: %v", seen)
}

// endAt is when the consumer hears of the end, from the arrival of the last request.
func (t *trial[T]) endAt() time.Duration {
	if t.refused() {
		return 0
	}
	return t.over
}

// visible is the chunks that the SDK shows of those that were sent.
func (t *trial[T]) visible(cs []chunk) []chunk {
	return slices.DeleteFunc(cs, func(c chunk) bool { return t.Traits.NoReasoning && c.Kind == llmtest.KindReasoning })
}
