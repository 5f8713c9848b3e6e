package tpot_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// plainGap is the open gap by its definition: every stretch of time since the latest chunk, or the start, is somebody's.
type plainGap struct {
	now    time.Duration
	whose  string // the time that passes now
	wait   time.Duration
	unsaid time.Duration // wait if nobody says before the next event that they wait, else hold
	begun  bool          // somebody has said so
	chunks int

	unfinished         map[int]bool // choices
	finished, whatever bool         // whatever: the response has an end marker or an error
}

const (
	theCall    = "the call's" // setup, to be told as wait
	nobodys    = "nobody's"   // setup, too: an adapter has the stream and is not read
	producers  = "the producer's"
	consumers  = "the consumer's"
	notYetSaid = "not yet said"
)

func (g *plainGap) until(now time.Duration) {
	passed := now - g.now
	g.now = now
	switch g.whose {
	case notYetSaid:
		g.unsaid += passed
	case consumers:
	default:
		g.wait += passed
	}
}

func (g *plainGap) open() openGap {
	if g.whatever || g.finished && len(g.unfinished) == 0 {
		return openGap{0, g.chunks, false}
	}
	return openGap{g.wait + g.unsaid, g.chunks, g.whose != consumers && g.whose != nobodys}
}

func (g *plainGap) beginWait() {
	if g.whose != producers {
		g.whose, g.begun, g.unsaid = producers, true, 0
	}
}

// arrive is that an event has come, or an error.
func (g *plainGap) arrive() {
	g.wait, g.unsaid = g.wait+g.unsaid, 0
	g.whose = consumers
	if !g.begun {
		g.whose = notYetSaid
	}
}

func (g *plainGap) event(e tpot.Event) {
	g.arrive()
	switch e.Kind {
	case text:
		g.wait = 0
		g.chunks++
		g.unfinished[e.Choice] = true
	case tpot.KindFinish:
		g.finished = true
		delete(g.unfinished, e.Choice)
	case tpot.KindDone, tpot.KindError:
		g.whatever = true
	}
}

// Whatever the order of what happens: OpenGap is what the definition says, and right before a chunk it is the Wait that
// observers are told with it, with the setup in that of the first.
func TestOpenGapOfRandomStreams(t *testing.T) {
	kinds := []tpot.Kind{text, text, text, text, text, tpot.KindPing, tpot.KindPing, tpot.KindFinish, tpot.KindDone, tpot.KindError}
	for seed := range uint64(5000) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		log := &observerLog{}
		_, r := (&tpot.Tracker{Observers: []tpot.Observer{log}}).Start(t.Context(), tpot.Request{})
		g := plainGap{whose: theCall, unfinished: map[int]bool{}}
		saysNothing := rnd.IntN(4) == 0 // that it waits
		story := []string{fmt.Sprint("seed ", seed)}
		for range 15 {
			g.until(g.now + time.Duration(rnd.IntN(30)))
			want := g.open()
			wait, chunks, waiting := r.OpenGapAt(g.now)
			require.Equal(t, want, openGap{wait, chunks, waiting}, "%s, at %d", strings.Join(story, ", "), g.now)

			step := rnd.IntN(12)
			switch {
			case step == 0 && g.whose == theCall:
				r.Claim("an adapter")
				g.whose = nobodys
			case step < 5 && !saysNothing:
				r.BeginWaitAt(g.now)
				g.beginWait()
			case step == 5:
				r.EndWaitAt(g.now)
				if g.whose == producers {
					g.whose = consumers
				}
			case step == 6:
				r.BeginHoldAt(g.now)
				g.unsaid = 0
			case step == 7:
				r.AddHold(1)
			case g.begun && g.whose != producers, g.whose == nobodys: // nobody can have got an event
			case step == 8:
				r.ObserveErrorAt(g.now, errors.New("one that the stream survives"))
				g.arrive()
			default:
				e := tpot.Event{Kind: kinds[rnd.IntN(len(kinds))], Choice: rnd.IntN(2)}
				r.ObserveAt(g.now, e)
				told := log.arrivals[len(log.arrivals)-1].Wait
				if e.Kind == text && chunks == 0 {
					told += r.Stats().Setup
				}
				if e.Kind == text && want.waiting {
					require.Equal(t, want.wait, told, strings.Join(story, ", "))
				}
				g.event(e)
			}
			story = append(story, fmt.Sprintf("%d at %d: %s", step, g.now, g.whose))
		}
	}
}
