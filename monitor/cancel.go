package monitor

import (
	"context"

	"github.com/tokentiming/tokentiming/tpot"
)

type cancelKey struct{}

// WithCancel is [context.WithCancel] for a request that a watchdog may give up, with [Stall.Cancel]. The context is for [tpot.Tracker.Start] or,
// where a Transport makes the record, for the request.
func WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	return context.WithValue(ctx, cancelKey{}, cancel), func() { cancel(nil) }
}

// Cancel cancels the request, if it was made with a context of [WithCancel], and reports whether it was. The request ends as a timeout with the
// cause "stalled", and so as a failure: one that is canceled otherwise is taken for one whose user has left, and is on no side of a goodput.
func (s Stall) Cancel() bool {
	cancel, ok := s.Context.Value(cancelKey{}).(context.CancelCauseFunc)
	if ok {
		cancel(tpot.Stalled)
	}
	return ok
}
