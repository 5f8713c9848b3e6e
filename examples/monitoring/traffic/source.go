package traffic

import (
	"context"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// chunk is one event of an answer, as the client of a provider hands it out, without what it says.
type chunk struct {
	Type         string // "start", "reasoning", "text", "finish", "usage", "end", "error"
	Tokens       int    // zero where the provider does not tell
	Model        string
	FinishReason string
	Usage        tpot.Usage
	Code         string // of an error

	size int // the tokens of its output, told or not
}

// source is the stream of an answer: Recv gives the next event or what ended it. The events have their own times,
// whether somebody waits for them or not.
type source struct {
	ctx    context.Context
	script script
	due    time.Time // of the last event
}

// Recv waits for the next event, or for the end of the answer.
func (s *source) Recv() (chunk, error) {
	if len(s.script.turns) == 0 {
		return chunk{}, s.ended()
	}
	next := s.script.turns[0]
	if err := s.await(next.pause); err != nil {
		return chunk{}, err
	}
	s.script.turns = s.script.turns[1:]
	return next.chunk, nil
}

func (s *source) ended() error {
	if err := s.await(s.script.pause); err != nil {
		return err
	}
	return s.script.end
}

func (s *source) await(d time.Duration) error {
	s.due = s.due.Add(d)
	return pause(s.ctx, time.Until(s.due))
}
