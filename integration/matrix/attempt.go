package matrix

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// attempts is those that the record should have.
func (t *trial[T]) attempts(start time.Time) (as []tpot.Attempt) {
	if !t.transport {
		return nil
	}
	for i := range t.log {
		as = append(as, t.attempt(i, start))
	}
	if t.own() {
		as = as[len(as)-1:]
	}
	return as
}

func (t *trial[T]) attempt(i int, start time.Time) tpot.Attempt {
	x := t.log[i]
	at := x.Arrived.Sub(start)
	a := tpot.Attempt{Start: at, Sent: at, Headers: at + x.HeaderSent, Status: cmp.Or(t.played[i].Status, 200)}
	for _, r := range t.below.read[i].reads {
		if r.n > 0 {
			a.FirstByte = r.ended.Sub(start)
			break
		}
	}
	return a
}

// expectedRefusal is what the record of an attempt that was refused before another should say.
func (t *trial[T]) expectedRefusal(i int) figures {
	x := t.log[i]
	f := answer(nil, tpot.Usage{}, false, nil)
	f.verdict = verdict{tpot.OutcomeFailed, "status", fmt.Sprint(t.played[i].Status)}
	f.Request = t.request(x)
	f.Attempts = []tpot.Attempt{t.attempt(i, x.Arrived)}
	f.Setup, f.E2E = t.refusal(i)
	return f
}

// refusal is when the body of a refusal was first read, if ever, and when the SDK was done with it.
func (t *trial[T]) refusal(i int) (read, done time.Duration) {
	b, start := t.above.read[i], t.log[i].Arrived
	switch read = b.opened().Sub(start); {
	case len(b.reads) > 0: // all of it, as it comes
		return read, b.reads[len(b.reads)-1].ended.Sub(start)
	case b.open():
		return 0, absent
	}
	return read, read
}
