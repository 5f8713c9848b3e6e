// Package otelx carries tokentiming's figures to OpenTelemetry: an [Observer] for [tpot.Tracker] that records metrics and
// annotates spans.
//
//	observer, err := otelx.NewObserver()
//	...
//	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}
//	ctx, rec := tracker.Start(ctx, tpot.Request{Operation: "chat", Provider: "openai", Model: "gpt-5"})
//
// Metrics of chunks are recorded as the chunks arrive, the others when the request ends, all with the context that carries
// the request's span, so that exemplars lead to its trace. Nothing of a stream's content is reported.
//
// # Metrics
//
// The names are those of the OpenTelemetry semantic conventions 1.41.0 ([SemconvV141], the default) or those of the
// conventions for generative AI 0.1.0 ([SemconvGenAIV01]), or both, see [WithSemconv]; and, under tokentiming., ours for what the
// conventions lack. A chunk is an event that carries output, be it text, reasoning, arguments of a tool call, a refusal or
// media; what else a stream sends is none. The definitions of all figures are those of package tpot.
//
//	name                                                        kind            unit       attributes   boundaries
//
//	SemconvV141
//	gen_ai.client.operation.duration                            histogram       s          all error    durations
//	gen_ai.client.operation.time_to_first_chunk                 histogram       s          all          durations
//	gen_ai.client.operation.time_per_output_chunk               histogram       s          all          gaps
//	gen_ai.client.token.usage                                   histogram       {token}    all type     tokens
//
//	SemconvGenAIV01
//	gen_ai.client.inference.duration                            histogram       s          all error    durations
//	gen_ai.client.inference.time_to_first_chunk                 histogram       s          all          durations
//	gen_ai.client.inference.time_per_output_chunk               histogram       s          all          gaps
//	gen_ai.client.inference.operation.input_tokens              histogram       {token}    all          tokens
//	gen_ai.client.inference.operation.output_tokens             histogram       {token}    all          tokens
//	gen_ai.client.inference.usage.input_tokens                  counter         {token}    all modality
//	gen_ai.client.inference.usage.output_tokens                 counter         {token}    all modality
//	gen_ai.client.inference.usage.cache_read.input_tokens       counter         {token}    all modality
//	gen_ai.client.inference.usage.reasoning.output_tokens       counter         {token}    all modality
//
//	ours
//	tokentiming.time_to_first_token                             histogram       s          all          first
//	tokentiming.time_to_first_output_token                      histogram       s          all          first
//	tokentiming.time_per_output_token                           histogram       s          all source   gaps
//	tokentiming.inter_token_latency                             histogram       s          all          gaps
//	tokentiming.chunk_gap.cv                                    histogram       1          all          cv
//	tokentiming.stall.duration                                  histogram       s          all          stalls
//	tokentiming.stalls                                          counter         {stall}    request
//	tokentiming.requests                                        counter         {request}  request outcome
//	tokentiming.no_first_token                                  counter         {request}  request reason
//	tokentiming.output_tokens                                   counter         {token}    request source
//	tokentiming.slo.requests                                    counter         {request}  request
//	tokentiming.slo.good_requests                               counter         {request}  request
//	tokentiming.active_streams                                  updowncounter   {stream}   request
//	tokentiming.time                                            counter         s          request phase
package otelx
