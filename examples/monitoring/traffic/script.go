package traffic

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// script is all that a provider and a user will do in one request.
type script struct {
	opening time.Duration // until there is a stream
	refusal error         // instead of a stream
	turns   []turn
	pause   time.Duration // before the end
	end     error         // what ends the stream

	leaves   int  // the user leaves after so many chunks of output; zero: never
	cancels  bool // by canceling, not by closing the stream
	handling time.Duration
}

// turn is a wait and what comes after it.
type turn struct {
	pause time.Duration
	chunk chunk
}

// openingLimit is how long an application waits for a stream to open.
const openingLimit = 10 * time.Second

// newScript writes the script of a request.
func newScript(d dice, sc *scenario, m *model, on faults) script {
	firstToken := d.late(time.Duration(float64(m.firstToken) * sc.reading))
	if on[SlowStart] {
		firstToken = d.duration(12*time.Second, 20*time.Second)
	}
	s := script{opening: firstToken / 3, end: io.EOF, handling: d.around(time.Millisecond, 0.5)}
	if d.chance(on.share(NoTokens, withoutToken, withoutTokenFault)) {
		s.withoutToken(d, m)
		return s
	}
	s.answer(d, sc, m, on)
	s.turns[1].pause = firstToken - s.opening
	if d.chance(on.share(Freezes, frozen, frozenFault)) {
		s.freeze(d, on[Freezes])
	}
	switch {
	case d.chance(on.share(Errors, broken, brokenFault)):
		s.breakOff(d)
	case d.chance(on.share(Cancels, left, leftFault)):
		s.leaves, s.cancels = d.between(1, s.outputChunks()-1), d.chance(0.5)
	}
	return s
}

// refusal is an answer that is no stream.
type refusal int

func (status refusal) Error() string {
	return fmt.Sprintf("the provider refuses: %d %s", int(status), http.StatusText(int(status)))
}

// withoutToken makes the request one that ends before a first token, in one of three ways.
func (s *script) withoutToken(d dice, m *model) {
	switch d.IntN(3) {
	case 0:
		s.refusal = refusal(http.StatusTooManyRequests)
	case 1:
		s.opening, s.refusal = openingLimit, os.ErrDeadlineExceeded
	default:
		s.turns = []turn{{0, m.opens()}, {0, m.finishes("stop")}, {0, chunk{Type: "end"}}}
	}
}

// answer writes a whole answer: an opening, output, a finish reason, usage where it is the model's habit, an end marker.
func (s *script) answer(d dice, sc *scenario, m *model, on faults) {
	perToken := d.around(m.perToken, 1.0/6)
	if on[SlowTokens] {
		perToken = d.duration(150*time.Millisecond, 250*time.Millisecond)
	}
	n := d.between(sc.chunks.low, sc.chunks.high)
	u := tpot.Usage{Input: d.between(sc.input.low, sc.input.high)}
	u.Cached = int(sc.cached * float64(u.Input))
	s.turns = append(s.turns, turn{0, m.opens()})
	for i := range n {
		t := m.output(d, perToken, m.reasons && i < n/3)
		u.Output += t.chunk.size
		if t.chunk.Type == "reasoning" {
			u.Reasoning += t.chunk.size
		}
		s.turns = append(s.turns, t)
	}
	s.turns = append(s.turns, turn{0, m.finishes("stop")})
	if !m.counts {
		s.turns = append(s.turns, turn{0, chunk{Type: "usage", Usage: u}})
	}
	s.turns = append(s.turns, turn{0, chunk{Type: "end"}})
}

// output is one chunk and the time that it takes: the time of its tokens where they are collected, else that of one. Now and then two
// come at once, as from a server that drafts tokens.
func (m *model) output(d dice, perToken time.Duration, reasoning bool) turn {
	t := turn{d.around(perToken, 0.4), chunk{Type: "text", size: 1}}
	if reasoning {
		t.chunk.Type = "reasoning"
	}
	if collected := int(m.flush / perToken); collected > 1 {
		t.chunk.size = d.between(1, 2*collected-1)
		t.pause *= time.Duration(t.chunk.size)
	} else if d.chance(0.05) {
		t.chunk.size = 2
	}
	if m.counts {
		t.chunk.Tokens = t.chunk.size
	}
	return t
}

// opens is the first event, long before the first token.
func (m *model) opens() chunk {
	c := chunk{Type: "start", Model: m.version}
	if m.late {
		c.Model = ""
	}
	return c
}

func (m *model) finishes(reason string) chunk {
	return chunk{Type: "finish", FinishReason: reason, Model: m.version}
}

// outputChunks is the number of chunks of output; the script is that of an answer.
func (s *script) outputChunks() int {
	n := 0
	for _, t := range s.turns {
		if t.chunk.size > 0 {
			n++
		}
	}
	return n
}

// freeze makes an answer stand still after its first chunk: for long, once or twice, or for a moment.
func (s *script) freeze(d dice, long bool) {
	if !long {
		s.freezeFor(d, d.duration(600*time.Millisecond, 900*time.Millisecond))
		return
	}
	for range d.between(1, 2) {
		s.freezeFor(d, d.duration(3*time.Second, 6*time.Second))
	}
}

func (s *script) freezeFor(d dice, length time.Duration) {
	s.turns[d.between(2, s.outputChunks())].pause += length
}

// breakOff ends an answer in its middle: cut, or with an error in the stream.
func (s *script) breakOff(d dice) {
	s.turns = s.turns[:1+d.between(1, s.outputChunks()-1)]
	s.pause = 20 * time.Millisecond
	if d.chance(0.5) {
		s.end = io.ErrUnexpectedEOF
		return
	}
	s.turns = append(s.turns, turn{s.pause, chunk{Type: "error", Code: "overloaded_error"}})
	s.pause = 0
}

// play is the client of a provider: it sends the request, and returns when the answer begins.
func (s script) play(ctx context.Context) (*source, error) {
	began := time.Now()
	if err := pause(ctx, s.opening); err != nil {
		return nil, err
	}
	if s.refusal != nil {
		return nil, s.refusal
	}
	return &source{ctx: ctx, script: s, due: began.Add(s.opening)}, nil
}
