package traffic

import (
	"context"
	"fmt"
	"net/http"
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

// source is the stream of an answer: Recv gives the next event, or what ended it. The events have their own times, whether
// somebody waits for them or not.
type source struct {
	ctx    context.Context
	script script
	due    time.Time // of the last event
}

// open is the client of a provider: it sends the request, and returns when there is a stream.
func open(ctx context.Context, s script) (*source, error) {
	src := &source{ctx: ctx, script: s, due: time.Now()}
	if err := src.await(s.opening); err != nil {
		return nil, err
	}
	if s.refusal != nil {
		return nil, s.refusal
	}
	return src, nil
}

// refusal is the status of an answer that is no stream.
type refusal int

func (status refusal) Error() string {
	return fmt.Sprintf("the provider refuses: %d %s", int(status), http.StatusText(int(status)))
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

// pause waits, unless the context ends first. It does not wait at all for what is due already.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
