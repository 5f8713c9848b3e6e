// Package otelx carries tokentiming's figures to OpenTelemetry: an [Observer] for [tpot.Tracker] that records metrics and
// annotates spans.
//
//	observer, err := otelx.NewObserver()
//	...
//	tracker := &tpot.Tracker{Observers: []tpot.Observer{observer}}
//	ctx, rec := tracker.Start(ctx, tpot.Request{Operation: "chat", Provider: "openai", Model: "gpt-5"})
//
// It needs OpenTelemetry 1.40, the first whose instruments tell whether they are Enabled, and is tested with that and with 1.47.
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
//	name                                                    kind           unit       attributes       boundaries
//
//	SemconvV141
//	gen_ai.client.operation.duration                        histogram      s          all error        durations
//	gen_ai.client.operation.time_to_first_chunk             histogram      s          all              durations
//	gen_ai.client.operation.time_per_output_chunk           histogram      s          all              gaps
//	gen_ai.client.token.usage                               histogram      {token}    all type         tokens
//
//	SemconvGenAIV01
//	gen_ai.client.inference.duration                        histogram      s          all error        durations
//	gen_ai.client.inference.time_to_first_chunk             histogram      s          all              durations
//	gen_ai.client.inference.time_per_output_chunk           histogram      s          all              gaps
//	gen_ai.client.inference.operation.input_tokens          histogram      {token}    all              tokens
//	gen_ai.client.inference.operation.output_tokens         histogram      {token}    all              tokens
//	gen_ai.client.inference.usage.input_tokens              counter        {token}    all modality
//	gen_ai.client.inference.usage.output_tokens             counter        {token}    all modality
//	gen_ai.client.inference.usage.cache_read.input_tokens   counter        {token}    all modality
//	gen_ai.client.inference.usage.reasoning.output_tokens   counter        {token}    all modality
//
//	ours
//	tokentiming.time_to_first_token                         histogram      s          all              first
//	tokentiming.time_to_first_output_token                  histogram      s          all              first
//	tokentiming.time_per_output_token                       histogram      s          all source       gaps
//	tokentiming.inter_token_latency                         histogram      s          all basis        gaps
//	tokentiming.chunk_gap.cv                                histogram      1          all              cv
//	tokentiming.stall.duration                              histogram      s          all              stalls
//	tokentiming.stalls                                      counter        {stall}    request
//	tokentiming.requests                                    counter        {request}  request outcome
//	tokentiming.no_first_token                              counter        {request}  request reason
//	tokentiming.output_tokens                               counter        {token}    request source
//	tokentiming.slo.requests                                counter        {request}  request
//	tokentiming.slo.good_requests                           counter        {request}  request
//	tokentiming.active_streams                              updowncounter  {stream}   request
//	tokentiming.request.time                                counter        s          request phase
//
// Attributes:
//
//	all       gen_ai.operation.name gen_ai.provider.name gen_ai.request.model gen_ai.response.model server.address server.port
//	request   gen_ai.operation.name gen_ai.provider.name gen_ai.request.model server.address server.port
//	error     error.type, of a request that ended badly
//	type      gen_ai.token.type: input output
//	modality  gen_ai.token.modality: unknown
//	source    tokentiming.token.source: reported counted chunks; the last is a guess
//	basis     tokentiming.itl.basis: tokens mixed chunks; the last are gaps, where no chunk tells its tokens
//	outcome   tokentiming.outcome: ok canceled timeout truncated failed
//	reason    tokentiming.reason: canceled timeout truncated failed no_output unclassified
//	phase     tokentiming.phase: setup wait hold
//
// The instrumentation scope, of metrics and spans, has tokentiming.convention: "tokentiming" are the definitions that all figures follow, see
// [tpot.Convention]; where Prometheus scrapes, that is the label otel_scope_tokentiming_convention. What [WithAttributes] allows
// comes to all of the above. The operation and the provider are "unknown" where the request does not name them, since the
// conventions require both. The model of the response is taken from the events up to the first chunk, or, without any chunk, to
// the end; one that is named later is only on the span, so that no stream is split over two series. The counters of our own do
// without it.
//
// Of each attribute that names something, such as a model, metrics have the first [MaxValues] values, and "_other" from then on, and of
// their combinations the first thousand, the rest in one series of "_other". Whoever can make up names can use them up, so let no
// stranger choose them. Texts of more than 256 bytes are cut. An SDK has limits of its own: from 1.44 on two thousand sets of attributes for
// an instrument, of which requests has up to five and no_first_token up to six for each combination. Raise it with
// sdkmetric.WithCardinalityLimit where there are more than three hundred.
//
// stalls, requests, no_first_token and, where the Tracker has an SLO, the two under slo. begin at zero with the first request of their
// attributes, so that a rate over them sees the first failure unless it comes before the first scrape; those of the first hundred
// combinations do.
//
// Boundaries:
//
//	durations  0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92
//	first      0.01 0.02 0.04 0.08 0.16 0.25 0.32 0.5 0.64 1 1.28 2 2.56 4 5.12 7.5 10.24 15 20.48 30 40.96 60 81.92 120
//	gaps       0.001 0.002 0.003 0.005 0.0075 0.01 0.015 0.02 0.025 0.03 0.04 0.05 0.06 0.08 0.1 0.13 0.16 0.2 0.25 0.32 0.5 0.64 1 1.28 2.56 5.12 10.24 20.48 40.96 81.92
//	stalls     0.1 0.2 0.5 1 2 3 5 10 20 30 60 120
//	cv         0.05 0.1 0.2 0.3 0.5 0.75 1 1.5 2 3 5 10
//	tokens     1 4 16 64 256 1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864
//
// The conventions recommend durations for gaps, too; that is the one thing in which we differ on purpose. Their first bucket holds every
// gap of a model that is faster than a hundred tokens a second. The boundaries for gaps begin at a millisecond and contain all the
// recommended ones, so sums with metrics of others are right at those. A view can set other boundaries, or exponential histograms.
//
// time_per_output_chunk has one value for each chunk after the first of its choice, recorded when it comes. inter_token_latency has one for each
// token, recorded when the request ends and within 2 %: it needs the tokens of each chunk, not only their total, and says with basis whether it
// had them. It comes at the end, since OpenTelemetry cannot record a value many times and a chunk is to cost
// one Record; of a request of more than ten thousand tokens every second, third and so on. A view that drops it saves that.
// An abandoned request has a duration up to its last event, or none. no_first_token leaves out operations that generate nothing, such as
// embeddings, and what went over HTTP, ended well, was not asked for as a stream and was none. Such operations have
// gen_ai.client.operation.duration with either set.
//
// error.type is "timeout" or "truncated"; of other failures the HTTP status, from 400 to 599, the Go type of the error, or the type of an error event
// if it is such a status or one of these, as their providers write them; else "_OTHER". A cancel is no error.
//
//	openai      invalid_request_error invalid_prompt context_length_exceeded content_filter insufficient_quota rate_limit_exceeded requests tokens server_error internal_server_error service_unavailable_error engine_overloaded timeout
//	vllm        BadRequestError NotFoundError InternalServerError ServiceUnavailableError abort
//	anthropic   authentication_error billing_error permission_error not_found_error request_too_large rate_limit_error timeout_error api_error overloaded_error
//	google      CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED UNAUTHENTICATED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS
//	bedrock     internalServerException modelStreamErrorException modelTimeoutException serviceUnavailableException throttlingException validationException InternalServerException ModelStreamErrorException ModelTimeoutException ServiceUnavailableException ThrottlingException ValidationException
//	tgi         generation incomplete_generation overloaded validation
//	tokentiming error checksum
//
// # Spans
//
// Without options the span that is in the context when a request starts is annotated: that of a handler, say, or, where a Transport
// starts the requests, one that the SDK has opened for its call. With [WithSpan] each request has a span of its own. Either gets the
// attributes gen_ai.request.stream, gen_ai.response.model, gen_ai.response.time_to_first_chunk, gen_ai.response.finish_reasons and
// gen_ai.usage.*, and the events tokentiming.first_token, tokentiming.first_output_token, tokentiming.stall, when it is over and for
// the first eight of them, and tokentiming.end with the figures of the request; each at the time at which it happened. Where several
// requests annotate one span, each attribute is of the last request that had it, and the events are of all. With SemconvGenAIV01 the finish
// reason of a request that ended otherwise than well, and without one, is "error", as those conventions ask, even of a cancel.
//
// The attributes of tokentiming.stall are tokentiming.stall.length, in seconds; those of tokentiming.end tokentiming.convention, .outcome and
// .cause, and under tokentiming.response. time_to_first_token, time_per_output_token, wait, hold, stall.longest, in seconds, output_tokens,
// chunk_gap.cv and stall.count; and tokentiming.token.source.
//
// # Shutdown
//
// What a request has to report is reported when it ends, so requests end first, then the provider is shut down, which sends what is
// left. A stream that was dropped is reported when the garbage collector finds it; one that is found after the provider's
// shutdown is lost, and until then it is in active_streams.
//
//	cancel()                  // the context of the streams; or wait for them
//	handlers.Wait()           // whoever reads a stream ends it
//	provider.Shutdown(ctx)    // flushes
//
// # Cost
//
// A chunk costs a Record for each set of names, with options that were made before, and nothing where that was not Enabled when the
// request started. The end of a request costs a Record for each token, for inter_token_latency, and some thirty more.
package otelx
