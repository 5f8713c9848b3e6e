package main

import (
	"bytes"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// provider has two models, of which the large one is slow for a while: its first token takes six times as long, and one of its answers stands still.
type provider struct {
	began time.Time
	tell  func(format string, args ...any)
	slow  int // answers
	over  bool
}

// When the large model is slow, since the beginning.
const (
	slowFrom = time.Second
	slowTo   = 3 * time.Second
)

// standing is the slow answer that stands still.
const standing = 10

func (p *provider) answer(x llmtest.Exchange) llmtest.Script {
	if bytes.Contains(x.Body, []byte(`"model":"`+small+`"`)) {
		return words(30*time.Millisecond, 5*time.Millisecond)
	}
	at := x.Arrived.Sub(p.began)
	if at < slowFrom || at >= slowTo {
		if at >= slowTo && !p.over {
			p.over = true
			p.tell("the server: %s is not slow any more", large)
		}
		return words(100*time.Millisecond, 10*time.Millisecond)
	}
	if p.slow++; p.slow == 1 {
		p.tell("the server: %s is slow from now on", large)
	}
	s := words(600*time.Millisecond, 10*time.Millisecond)
	if p.slow == standing {
		s.Writes, s.Ending = s.Writes[:3], llmtest.EndHang
	}
	return s
}

// words is an answer of five words.
func words(first, gap time.Duration) llmtest.Script {
	ai := llmtest.OpenAI{}
	return llmtest.SSE().After(first, ai.Text("Air")).
		Every(gap, ai.Text(" scatters"), ai.Text(" blue"), ai.Text(" light"), ai.Text(" more.")).
		After(0, ai.Finish("stop"), ai.Done())
}
