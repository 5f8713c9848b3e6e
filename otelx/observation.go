package otelx

import (
	"context"
	"slices"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// maxTokensOfChunk bounds how often one chunk is recorded as inter-token latency.
const maxTokensOfChunk = 1000

// observation is the view of one request. Its calls are serialised by the Recorder.
type observation struct {
	observer *Observer
	recorder *tpot.Recorder
	ctx      context.Context // with the request's span, for exemplars
	span     annotation

	request  *series // of what is known at the start
	response *series // of that and the response's model; nil until the first chunk

	gaps     []seconds  // Enabled
	room     [2]seconds // of gaps
	perToken bool       // inter-token latency is Enabled
	active   bool       // counted in active_streams
	visible  bool       // output that is more than reasoning has come
	stalls   tpot.Stalls
}

// Observe implements [tpot.Observation].
func (ob *observation) Observe(a tpot.Arrival) {
	if a.Stall {
		ob.stall(&a)
	}
	if !a.Chunk {
		return
	}
	if a.HasGap {
		ob.gap(&a)
	}
	if !ob.visible {
		ob.firsts(&a)
	}
}

// gap records a chunk's gap.
func (ob *observation) gap(a *tpot.Arrival) {
	gap := a.Gap.Seconds()
	for _, h := range ob.gaps {
		h.Record(ob.ctx, gap, ob.response.record...)
	}
	if a.Event.Tokens > 0 && ob.perToken {
		latency := gap / float64(a.Event.Tokens)
		for range min(a.Event.Tokens, maxTokensOfChunk) {
			ob.observer.interToken.Record(ob.ctx, latency, ob.response.record...)
		}
	}
}

// firsts records the first chunk, and the first that is more than reasoning.
func (ob *observation) firsts(a *tpot.Arrival) {
	o := ob.observer
	if a.First {
		ob.respond(a.Model)
		o.core.firstChunk.record(ob.ctx, a.At, &ob.response.labels)
		o.genAI.firstChunk.record(ob.ctx, a.At, &ob.response.labels)
		o.firstToken.record(ob.ctx, a.At, &ob.response.labels)
		ob.span.event(eventFirstToken, a.At)
	}
	if a.Event.Kind&tpot.KindVisible != 0 {
		ob.visible = true
		o.firstOutputToken.record(ob.ctx, a.At, &ob.response.labels)
		ob.span.event(eventFirstOutputToken, a.At)
	}
}

// respond settles the attributes of the response, once: by the first chunk most providers have named the model. A name that
// comes later does not split what is recorded of a stream.
func (ob *observation) respond(model string) {
	if ob.response != nil {
		return
	}
	if model == "" {
		ob.response = ob.request
		return
	}
	named := ob.observer.labeler.string(keyResponseModel, model)
	ob.response, _ = ob.observer.registry.series(append(slices.Clip(ob.request.attrs), named))
}

func (ob *observation) stall(a *tpot.Arrival) {
	ob.stalls.Count++
	ob.stalls.Total += a.Wait
	ob.observer.stallDuration.record(ob.ctx, a.Wait, &ob.response.labels)
	ob.span.stall(a.At, a.Wait)
}

// End implements [tpot.Observation].
func (ob *observation) End(s tpot.Stats) {
	end, known := ob.end(s)
	ob.respond(s.Model)
	if open := s.Stalls.Total - ob.stalls.Total; s.Stalls.Count > ob.stalls.Count {
		ob.observer.stallDuration.record(ob.ctx, open, &ob.response.labels)
		ob.span.stall(end, open)
	}
	if ob.active {
		ob.observer.active.Add(ob.ctx, -1, ob.request.add...)
	}
	ob.observer.count(ob.ctx, ob.request, s)
	if known {
		ob.observer.duration(ob.ctx, ob.response, s, end)
	}
	ob.observer.measure(ob.ctx, ob.response, s)
	ob.span.end(s, end, ob.observer.genAI01)
}

// end is the offset at which the request ended. An abandoned one ended with its last event or wait, as far as anybody knows; of
// one that had neither the end is not known.
func (ob *observation) end(s tpot.Stats) (at time.Duration, known bool) {
	if at, known = s.E2E(); known {
		return at, true
	}
	at = ob.recorder.Trace().End
	return at, at > 0
}
