package matrix

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// Run tries the SDK in all scenarios, untimed and with every instrumentation, in subtests named SDK/instrumentation/scenario.
func Run[T any](t *testing.T, sdk SDK[T]) {
	t.Run(sdk.Name, func(t *testing.T) {
		plain := map[string]*trial[T]{}
		each(t, sdk, untimed, func(t *testing.T, tr *trial[T]) {
			plain[tr.scenario.name] = tr
			tr.checkSDK(t)
		})
		leaked := false
		for _, i := range instrumentations {
			each(t, sdk, i, func(t *testing.T, tr *trial[T]) {
				tr.checkView(t, plain[tr.scenario.name])
				tr.checkRecords(t)
				leaked = leaked || tr.leaked
			})
		}
		assert.Equal(t, sdk.Traits.Leaks, leaked, "leaks")
	})
}

// each checks what comes of each scenario that the wire can play.
func each[T any](t *testing.T, sdk SDK[T], i instrumentation, check func(*testing.T, *trial[T])) {
	t.Run(i.name, func(t *testing.T) {
		for _, s := range scenarios {
			if s.scripts(sdk.Wire()) != nil {
				t.Run(s.name, func(t *testing.T) { check(t, try(t, sdk, i, s)) })
			}
		}
	})
}

// complete is whether the answer comes whole, to its end marker.
func (t *trial[T]) complete() bool {
	return !t.refused() && !t.givesUp() && t.scenario.outcome == tpot.OutcomeOK
}

// refused is whether the request is over with a refusal.
func (t *trial[T]) refused() bool {
	return t.played[0].Status >= 400 && (len(t.played) == 1 || !t.Traits.Retries)
}

// givesUp is whether the SDK leaves the stream for a comment in it.
func (t *trial[T]) givesUp() bool { return t.scenario.name == "keep-alive" && t.Traits.NoComments }

// checkSDK holds the SDK's traits against what it does, and what its consumer sees against what the server sent.
func (t *trial[T]) checkSDK(tt *testing.T) {
	c := &t.consumer
	if !t.races() {
		hidden := t.hides == nil || t.hides(t.Traits)
		assert.Equal(tt, hidden, !c.troubled(), "errors: %v", c.errs)
	}
	if t.complete() {
		assert.Equal(tt, t.Traits.Stutters, len(c.errs) > 0, "stutters")
	}
	if !t.refused() {
		assert.Equal(tt, t.Traits.Lazy, c.opened < t.arrived(t.latest())+headerAt, "lazy")
	}
	assert.Len(tt, t.log, map[bool]int{true: 1, false: len(t.played)}[t.refused()], "requests")
	t.checkSeen(tt)
	for _, x := range t.log {
		if t.wire.Asks != "" {
			assert.Equal(tt, !t.wire.Unasked, strings.Contains(string(x.Body), t.wire.Asks), "asks for usage: %s", x.Body)
		}
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

// races is whether it hangs on a race what the SDK makes of the end of the context.
func (t *trial[T]) races() bool { return t.cancelAt > 0 && t.Traits.RacesCancel }

// endOfScript is when the server is done with the answer, if nobody leaves.
func (t *trial[T]) endOfScript() time.Duration { return t.played[len(t.log)-1].EndAt }

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

// checkView compares what the consumer and the server saw with what they see of the SDK alone.
func (t *trial[T]) checkView(tt *testing.T, plain *trial[T]) {
	require.NotNil(tt, plain)
	assert.Equal(tt, plain.view(), t.view())
}

// view is all that the consumer and the server can tell.
type view struct {
	Values               []taken
	Errors, Close, After []string
	Left                 bool
	Times                [3]time.Duration // of the stream, the latest value or error, and the end

	Requests []request
	Ended    time.Duration // of the answer
	State    llmtest.State // how, if before its time: at the end client and server race
}

// request is what the server can tell of a request. Some headers have random values.
type request struct {
	Method, Path, Body, AcceptEncoding string
	Headers                            []string // names
}

// view is what they saw. Of two attempts the second comes after a pause of any length.
func (t *trial[T]) view() view {
	c := &t.consumer
	late := t.arrived(t.latest())
	v := view{Errors: describe(c.errs...), Close: describe(c.Close), After: c.after, Left: c.Left}
	for _, value := range c.took {
		value.asked -= late
		value.got -= late
		v.Values = append(v.Values, value)
	}
	if len(v.Values) > 0 && t.Traits.Lazy {
		v.Values[0].asked = 0
	}
	v.Times = [3]time.Duration{c.opened - late, c.heard - late, c.ended - late}
	if t.Traits.Lazy {
		v.Times[0] = c.opened
	}
	if t.races() {
		v.Errors, v.Times[1] = nil, 0
	}
	for _, x := range t.log {
		v.Requests = append(v.Requests, request{
			x.Method, x.Path, string(x.Body), x.Header.Get("Accept-Encoding"), slices.Sorted(maps.Keys(x.Header)),
		})
	}
	if v.Ended = t.latest().Ended; v.Ended < t.endOfScript() {
		v.State = t.latest().State
	}
	return v
}

// checkRecords holds the records against what they should say.
func (t *trial[T]) checkRecords(tt *testing.T) {
	if t.own() {
		require.Len(tt, t.records, len(t.log), "a record for each attempt")
	} else {
		require.Len(tt, t.records, 1)
	}
	latest := t.records[len(t.records)-1]
	assert.Equal(tt, t.expected(), latest.figures())
	if want, got := t.lastError(), latest.stats.Err; !t.races() {
		assert.True(tt, identical(want, got), "%v, not %v", got, want)
	}
	for i, r := range t.records[:len(t.records)-1] {
		assert.Equal(tt, t.expectedRefusal(i), r.figures())
	}
}

// identical is whether two errors are the same one, or alike where their type does not tell.
func identical(a, b error) bool {
	if t := reflect.TypeOf(a); t != nil && !t.Comparable() {
		return reflect.DeepEqual(a, b)
	}
	return a == b
}
