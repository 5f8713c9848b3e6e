package traffic

import (
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// author writes the script of a request.
type author struct {
	dice
	scenario *scenario
	model    *model
	faults   faults
}

func (a author) write() script {
	firstToken := a.firstToken()
	s := script{opening: firstToken / 3, end: io.EOF, handling: a.around(time.Millisecond, 0.5)}
	if a.chance(a.faults.share(NoTokens, withoutToken, withoutTokenFault)) {
		a.withhold(&s)
		return s
	}
	s.turns = a.answer(firstToken - s.opening)
	if a.chance(a.faults.share(Freezes, frozen, frozenFault)) {
		a.freeze(&s)
	}
	switch {
	case a.chance(a.faults.share(Errors, broken, brokenFault)):
		a.breakOff(&s)
	case a.chance(a.faults.share(Cancels, left, leftFault)):
		s.leaves, s.cancels = a.between(1, s.outputs()-1), a.chance(0.5)
	}
	return s
}

func (a author) firstToken() time.Duration {
	if a.faults[SlowStart] {
		return a.duration(12*time.Second, 20*time.Second)
	}
	return a.late(time.Duration(float64(a.model.firstToken) * a.scenario.reading))
}

func (a author) perToken() time.Duration {
	if a.faults[SlowTokens] {
		return a.duration(150*time.Millisecond, 250*time.Millisecond)
	}
	return a.around(a.model.perToken, 1.0/6)
}

// openingLimit is how long an application waits for a stream to open.
const openingLimit = 10 * time.Second

// withhold makes the request one that ends before a first token, in one of three ways.
func (a author) withhold(s *script) {
	switch a.IntN(3) {
	case 0:
		s.refusal = refusal(http.StatusTooManyRequests)
	case 1:
		s.opening, s.refusal = openingLimit, os.ErrDeadlineExceeded
	default:
		s.turns = []turn{a.model.opens(), a.model.finishes(), ends()}
	}
}

// answer writes a whole answer: an opening, output, a finish reason, usage where it is the model's habit, an end marker. The
// first token comes after the wait.
func (a author) answer(wait time.Duration) []turn {
	usage := tpot.Usage{Input: a.between(a.scenario.input.low, a.scenario.input.high)}
	usage.Cached = int(a.scenario.cached * float64(usage.Input))
	turns := append([]turn{a.model.opens()}, a.output(&usage)...)
	turns[1].pause = wait
	turns = append(turns, a.model.finishes())
	if !a.model.counts {
		turns = append(turns, turn{chunk: chunk{Type: "usage", Usage: usage}})
	}
	return append(turns, ends())
}

// output writes the output, and adds its tokens to the usage.
func (a author) output(usage *tpot.Usage) []turn {
	perToken := a.perToken()
	turns := make([]turn, a.between(a.scenario.chunks.low, a.scenario.chunks.high))
	for i := range turns {
		turns[i] = a.tokens(perToken)
		usage.Output += turns[i].chunk.size
		if a.model.reasons && i < len(turns)/3 {
			turns[i].chunk.Type = "reasoning"
			usage.Reasoning += turns[i].chunk.size
		}
	}
	return turns
}

// tokens writes one chunk. It takes the time of its tokens where they are collected, else that of one: now and then two come at
// once, as from a server that drafts tokens.
func (a author) tokens(perToken time.Duration) turn {
	t := turn{a.around(perToken, 0.4), chunk{Type: "text", size: 1}}
	if collected := int(a.model.flush / perToken); collected > 1 {
		t.chunk.size = a.between(1, 2*collected-1)
		t.pause *= time.Duration(t.chunk.size)
	} else if a.chance(0.05) {
		t.chunk.size = 2
	}
	if a.model.counts {
		t.chunk.Tokens = t.chunk.size
	}
	return t
}

// opens is the first event, long before the first token.
func (m *model) opens() turn {
	c := chunk{Type: "start", Model: m.version}
	if m.late {
		c.Model = ""
	}
	return turn{chunk: c}
}

func (m *model) finishes() turn {
	return turn{chunk: chunk{Type: "finish", FinishReason: "stop", Model: m.version}}
}

func ends() turn { return turn{chunk: chunk{Type: "end"}} }

// freeze makes an answer stand still after its first chunk: for a moment or, under the fault, for long, once or twice.
func (a author) freeze(s *script) {
	if !a.faults[Freezes] {
		a.freezeFor(s, a.duration(600*time.Millisecond, 900*time.Millisecond))
		return
	}
	for range a.between(1, 2) {
		a.freezeFor(s, a.duration(3*time.Second, 6*time.Second))
	}
}

func (a author) freezeFor(s *script, length time.Duration) {
	s.turns[a.between(2, s.outputs())].pause += length
}

// breakOff ends an answer in its middle: cut, or with an error in the stream.
func (a author) breakOff(s *script) {
	const after = 20 * time.Millisecond
	s.turns = s.turns[:1+a.between(1, s.outputs()-1)]
	if a.chance(0.5) {
		s.pause, s.end = after, io.ErrUnexpectedEOF
		return
	}
	s.turns = append(s.turns, turn{after, chunk{Type: "error", Code: "overloaded_error"}})
}
