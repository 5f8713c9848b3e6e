package matrix

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

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
	v.Times = [3]time.Duration{c.opened - late, c.told - late, c.ended - late}
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

// endOfScript is when the server is done with the answer, if nobody leaves.
func (t *trial[T]) endOfScript() time.Duration { return t.played[len(t.log)-1].EndAt }
