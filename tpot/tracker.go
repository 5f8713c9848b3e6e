package tpot

import (
	"context"
	"slices"
	"time"
)

// Tracker starts Recorders that share settings and observers. The zero Tracker is ready to use, and so is a nil one, which
// starts Recorders as [Start] does. Set its fields before its first use; its methods are safe for concurrent use.
type Tracker struct {
	Stall       time.Duration  // the wait from which a gap is a stall; zero: 500 ms
	TraceEvents int            // events kept per request for Recorder.Trace; zero: none
	SLO         SLO            // limits for Stats.SLOMet; zero: none
	Scenarios   map[string]SLO // the limits of requests of a scenario, in the place of SLO; a zero SLO: none
	Observers   []Observer     // told of every request
}

// Start starts a Recorder now. The context returned carries it, and what the observers put there, such as a span: use it for
// the call. A context with a Recorder is for one call.
func (t *Tracker) Start(ctx context.Context, req Request) (context.Context, *Recorder) {
	return t.begin(ctx, Start(ctx), req)
}

// StartAt is [Tracker.Start] for a request that somebody has waited for since an earlier time: it was due by a schedule, or stood in a
// queue. Its figures count from then. A time to come, or the zero time, is taken as now.
func (t *Tracker) StartAt(ctx context.Context, start time.Time, req Request) (context.Context, *Recorder) {
	r := Start(ctx)
	if !start.IsZero() {
		r.start = r.start.Add(min(start.Sub(r.start), 0)) // on the monotonic clock, whether or not the time given is
	}
	return t.begin(ctx, r, req)
}

// begin gives a Recorder what the Tracker has for it.
func (t *Tracker) begin(ctx context.Context, r *Recorder, req Request) (context.Context, *Recorder) {
	if ctx == nil {
		ctx = context.Background()
	}
	r.ctx, r.request = ctx, req
	ctx = context.WithValue(ctx, contextKey{}, r)
	if t == nil {
		return ctx, r
	}
	if t.Stall > 0 {
		r.stall = t.Stall
	}
	if t.TraceEvents > 0 {
		r.kept = &keptEvents{most: t.TraceEvents}
	}
	r.slo = t.slo(req.Scenario)
	if len(t.Observers) > 0 {
		ctx = r.introduceAll(ctx, t.Observers)
	}
	return ctx, r
}

func (t *Tracker) slo(scenario string) SLO {
	if own, ok := t.Scenarios[scenario]; ok {
		return own
	}
	return t.SLO
}

// introduceAll lets the observers start, and returns the context to go on with. They have the Recorder from then on, and may give it to
// somebody who ends the request before all have started; all are told of that end when they have.
func (r *Recorder) introduceAll(ctx context.Context, observers []Observer) context.Context {
	r.observed = true
	var all []Observation
	listening := 0
	for _, o := range observers {
		var observation Observation
		ctx, observation = r.introduce(ctx, o)
		switch observation.(type) {
		case nil:
		case interface{ endOnly() }:
			all = append(all, observation)
		default: // before the others
			all = slices.Insert(all, listening, observation)
			listening++
		}
	}
	r.delivery.Lock()
	defer r.delivery.Unlock()
	r.observations = all
	r.listening.Store(int32(listening))
	if r.Ended() {
		r.tellEnds(new(Stats))
	}
	return ctx
}

// introduce lets an observer start, and returns the context to go on with.
func (r *Recorder) introduce(ctx context.Context, o Observer) (next context.Context, observation Observation) {
	next = ctx
	defer r.survive()
	derived, observation := o.Start(ctx, r.request, r)
	if derived != nil {
		next = derived
	}
	return next, observation
}

type contextKey struct{}

// FromContext is the Recorder that a Tracker put into the context, ended or not, or nil.
func FromContext(ctx context.Context) *Recorder {
	if ctx == nil {
		return nil
	}
	r, _ := ctx.Value(contextKey{}).(*Recorder)
	return r
}
