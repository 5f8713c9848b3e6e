package traffic

import (
	"context"
	"time"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// ask gets one answer, as an application does. The timing is in four lines of it: Start, End, Recv and the classifier. The notes are the
// simulation's own and take nothing from it.
func (t *Traffic) ask(ctx context.Context, q request) notes {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := newNotes()
	ctx, rec := t.tracker.Start(ctx, q.timed())
	answer, err := open(ctx, q.script)
	if err != nil {
		rec.End(err)
		return n.ended(err)
	}
	s := stream.Recv(rec, answer, classify)
	defer s.Close()
	for {
		c, err := s.Recv()
		if err != nil {
			return n.ended(err)
		}
		n.got(c)
		if c.size > 0 && n.sum.Chunks == q.script.leaves {
			if !q.script.cancels {
				return n.ended(context.Canceled)
			}
			cancel()
		}
		time.Sleep(q.script.handling)
	}
}

// classify says what an event is to the timing.
func classify(c chunk) tpot.Event {
	return tpot.Event{
		Kind: kinds[c.Type], Tokens: c.Tokens, Model: c.Model, FinishReason: c.FinishReason, Usage: c.Usage, ErrorType: c.Code,
	}
}

var kinds = map[string]tpot.Kind{
	"start":     tpot.KindRole | tpot.KindMarked,
	"reasoning": tpot.KindReasoning,
	"text":      tpot.KindText,
	"finish":    tpot.KindFinish,
	"usage":     tpot.KindUsage,
	"end":       tpot.KindDone,
	"error":     tpot.KindError,
}
