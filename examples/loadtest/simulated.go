package main

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// simulate starts a server on loopback that answers as a busy provider does.
func simulate() (*llmtest.Server, error) {
	server, err := llmtest.Listen()
	if err != nil {
		return nil, err
	}
	server.Choose = (&provider{dice: rand.New(rand.NewPCG(1, 2))}).answer
	return server, nil
}

// provider slows down as more is asked of it, stands still now and then, and fails sometimes. It answers one request after the other.
type provider struct {
	dice *rand.Rand
	ends []time.Time // of the answers under way
}

// answer throws the dice for one answer.
func (p *provider) answer(x llmtest.Exchange) llmtest.Script {
	if p.chance(0.03) {
		return llmtest.JSON(http.StatusTooManyRequests, map[string]any{"error": map[string]string{"type": "rate_limit_exceeded", "message": "slow down"}})
	}
	ai := llmtest.OpenAI{Model: simulatedModel}
	tokens, cut := 10+p.dice.IntN(30), p.chance(0.03)
	s := llmtest.SSE().After(p.between(40, 160), ai.Role())
	pace := 6*time.Millisecond + time.Duration(p.busy(x.Arrived))*300*time.Microsecond
	stall := p.dice.IntN(400) // so one answer in some sixteen has one
	for i := range tokens {
		gap := time.Duration(float64(pace) * (0.7 + 0.6*p.dice.Float64()))
		if i > 0 && i == stall {
			gap += p.between(500, 900)
		}
		token := ai.Text("word ")
		if i < tokens/4 && tokens%3 == 0 {
			token = ai.Reasoning("hm ")
		}
		s = s.After(gap, token)
	}
	if cut {
		s.Writes, s.Ending = s.Writes[:len(s.Writes)/2], llmtest.EndCut
	} else {
		s = s.After(0, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 16, Output: tokens}), ai.Done())
	}
	p.ends = append(p.ends, x.Arrived.Add(s.Writes[len(s.Writes)-1].At))
	return s
}

// busy is how many answers are under way.
func (p *provider) busy(now time.Time) int {
	p.ends = slices.DeleteFunc(p.ends, now.After)
	return len(p.ends)
}

func (p *provider) chance(share float64) bool { return p.dice.Float64() < share }

// between is a time between so many milliseconds.
func (p *provider) between(low, high int) time.Duration {
	return time.Duration(low+p.dice.IntN(high-low)) * time.Millisecond
}
