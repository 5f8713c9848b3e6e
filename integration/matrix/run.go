package matrix

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
				leaked = leaked || tr.leaks()
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

// checkRecords holds the records against what they should say.
func (t *trial[T]) checkRecords(tt *testing.T) {
	if t.own() {
		require.Len(tt, t.records, len(t.log), "a record for each attempt")
	} else {
		require.Len(tt, t.records, 1)
	}
	latest := t.records[len(t.records)-1]
	assert.Equal(tt, t.expected(), latest.figures())
	if t.tapped() && (t.pause == 0 || t.readAhead > 0) {
		heard := chunks(t.heard(t.consumer.start))
		assert.Equal(tt, t.sent(), heard, "what the server sent is heard when it was sent")
	}
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
