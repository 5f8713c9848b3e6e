package tpot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// openGap is what OpenGapAt returns.
type openGap struct {
	wait    time.Duration
	chunks  int
	waiting bool
}

func openGapAt(r *tpot.Recorder, ms int) openGap {
	wait, chunks, waiting := r.OpenGapAt(time.Duration(ms) * time.Millisecond)
	return openGap{wait, chunks, waiting}
}

// A deed is one call on a Recorder, at an offset in milliseconds.
type deed func(*tpot.Recorder)

func wait(ms int) deed {
	return func(r *tpot.Recorder) { r.BeginWaitAt(time.Duration(ms) * time.Millisecond) }
}

func unwait(ms int) deed {
	return func(r *tpot.Recorder) { r.EndWaitAt(time.Duration(ms) * time.Millisecond) }
}

func comes(ms int, k tpot.Kind) deed { return func(r *tpot.Recorder) { feed(r, kind(ms, k)) } }

func end(ms int) deed {
	return func(r *tpot.Recorder) { r.EndAt(time.Duration(ms)*time.Millisecond, nil) }
}

func TestOpenGap(t *testing.T) {
	const ms = time.Millisecond
	ping := tpot.KindPing
	for name, c := range map[string]struct {
		steps []deed
		want  openGap // at 70 ms
	}{
		"the call itself is under way":                                  {nil, openGap{70 * ms, 0, true}},
		"an adapter has the stream, and nobody reads":                   {[]deed{func(r *tpot.Recorder) { r.Claim(1) }}, openGap{70 * ms, 0, false}},
		"the first wait counts from the start":                          {[]deed{wait(20)}, openGap{70 * ms, 0, true}},
		"a ping before the first chunk does not begin anew":             {[]deed{wait(20), comes(30, ping), wait(40)}, openGap{60 * ms, 0, true}},
		"while the consumer holds, the wait stands still":               {[]deed{wait(20), comes(30, ping)}, openGap{30 * ms, 0, false}},
		"after a chunk the consumer holds":                              {[]deed{wait(0), comes(30, text)}, openGap{0, 1, false}},
		"a gap is open":                                                 {[]deed{wait(0), comes(30, text), wait(50)}, openGap{20 * ms, 1, true}},
		"a ping does not close a gap":                                   {[]deed{wait(0), comes(10, text), wait(20), comes(40, ping), wait(50)}, openGap{40 * ms, 1, true}},
		"a read that ended without an event":                            {[]deed{wait(0), comes(10, text), wait(20), unwait(40)}, openGap{20 * ms, 1, false}},
		"a consumer who waits again, before the first chunk":            {[]deed{wait(0), unwait(10), wait(30)}, openGap{50 * ms, 0, true}},
		"nobody ever waited, so the whole gap is wait":                  {[]deed{comes(10, text)}, openGap{60 * ms, 1, true}},
		"a complete response has none":                                  {[]deed{wait(0), comes(10, text), comes(20, tpot.KindFinish), wait(30)}, openGap{0, 1, false}},
		"an error event leaves none":                                    {[]deed{wait(0), comes(20, tpot.KindError), wait(30)}, openGap{}},
		"a wait that begins later than it is asked for is not negative": {[]deed{wait(0), comes(30, text), wait(90)}, openGap{0, 1, true}},
		"a wait that begins earlier than the last event begins with it": {[]deed{wait(0), comes(30, text), wait(10)}, openGap{40 * ms, 1, true}},
		"after the end": {[]deed{wait(0), comes(30, text), end(40)}, openGap{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := tpot.Start(t.Context())
			for _, s := range c.steps {
				s(r)
			}
			assert.Equal(t, c.want, openGapAt(r, 70))
			assert.Equal(t, c.want, openGapAt(r, 70), "asking changes nothing")
		})
	}
	assert.Equal(t, openGap{}, openGapAt(nil, 70))
	assert.Equal(t, openGap{0, 0, true}, openGapAt(tpot.Start(t.Context()), -70))
}

// What is open right before a chunk is the Wait that observers are told with it.
func TestOpenGapBecomesTheWaitOfTheChunk(t *testing.T) {
	log := &observerLog{}
	_, r := (&tpot.Tracker{Observers: []tpot.Observer{log}}).Start(t.Context(), tpot.Request{})
	for _, s := range []deed{wait(5), comes(10, text), wait(15), comes(30, tpot.KindPing), wait(70)} {
		s(r)
	}
	open := openGapAt(r, 100)
	feed(r, kind(100, text))
	assert.Equal(t, openGap{45 * time.Millisecond, 1, true}, open)
	assert.Equal(t, open.wait, log.arrivals[2].Wait)
}
