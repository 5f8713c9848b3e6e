package ollama

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// call streams an answer through an SDK, which has the HTTP client, and through an adapter, which has the Recorder: with a nil one
// it is as if there were no adapter.
type call func(ctx context.Context, c *http.Client, rec *tpot.Recorder) (answer, error)

// A way is one of those in which a call is timed.
type way struct {
	name string
	time func(*testing.T, call) (answer, tpot.Stats)
	taps bool // knows of attempts
}

var ways = []way{
	{"adapter", byAdapter, false},
	{"transport", byTransport, true},
	{"both", byBoth, true},
}

func byAdapter(t *testing.T, c call) (answer, tpot.Stats) {
	rec := tpot.Start(t.Context())
	a, err := c(t.Context(), http.DefaultClient, rec)
	require.NoError(t, err)
	require.True(t, rec.Ended())
	return a, rec.Stats()
}

func byTransport(t *testing.T, c call) (answer, tpot.Stats) {
	var told observer
	a, err := c(t.Context(), told.client(), nil)
	require.NoError(t, err)
	return a, told.only(t)
}

func byBoth(t *testing.T, c call) (answer, tpot.Stats) {
	var told observer
	ctx, rec := told.tracker().Start(t.Context(), tpot.Request{Model: model})
	a, err := c(ctx, told.client(), rec)
	require.NoError(t, err)
	return a, told.only(t)
}

// observer keeps what it is told at the end of requests.
type observer struct{ ended []tpot.Stats }

func (o *observer) tracker() *tpot.Tracker { return &tpot.Tracker{Observers: []tpot.Observer{o}} }

func (o *observer) client() *http.Client {
	return &http.Client{Transport: &stream.Transport{Tracker: o.tracker()}}
}

func (o *observer) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, o
}

func (o *observer) Observe(tpot.Arrival) {}

func (o *observer) End(s tpot.Stats) { o.ended = append(o.ended, s) }

// only is the record of the one request there was.
func (o *observer) only(t *testing.T) tpot.Stats {
	require.Len(t, o.ended, 1)
	return o.ended[0]
}
