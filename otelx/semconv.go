package otelx

import "go.opentelemetry.io/otel/attribute"

// Semconv is a set of OpenTelemetry's names for the metrics of clients of generative AI.
type Semconv uint8

const (
	// SemconvV141 is the set of the semantic conventions 1.41.0, the last of that series to have one and the one most tools
	// know: gen_ai.client.operation.duration, gen_ai.client.token.usage and so on.
	SemconvV141 Semconv = 1 << iota
	// SemconvGenAIV01 is the set of the conventions for generative AI 0.1.0, their first release on their own:
	// gen_ai.client.inference.duration and so on.
	SemconvGenAIV01
)

// Attributes of both sets (semantic conventions 1.41.0, registry gen_ai, server and error).
const (
	keyOperation     = attribute.Key("gen_ai.operation.name")
	keyProvider      = attribute.Key("gen_ai.provider.name")
	keyRequestModel  = attribute.Key("gen_ai.request.model")
	keyResponseModel = attribute.Key("gen_ai.response.model")
	keyServerAddress = attribute.Key("server.address")
	keyServerPort    = attribute.Key("server.port")
	keyErrorType     = attribute.Key("error.type")
	keyTokenType     = attribute.Key("gen_ai.token.type")

	keyRequestStream    = attribute.Key("gen_ai.request.stream")
	keyRequestMaxTokens = attribute.Key("gen_ai.request.max_tokens")
	keyTimeToFirstChunk = attribute.Key("gen_ai.response.time_to_first_chunk")
	keyFinishReasons    = attribute.Key("gen_ai.response.finish_reasons")
	keyInputTokens      = attribute.Key("gen_ai.usage.input_tokens")
	keyCachedTokens     = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	keyOutputTokens     = attribute.Key("gen_ai.usage.output_tokens")
	keyReasoningTokens  = attribute.Key("gen_ai.usage.reasoning.output_tokens")
)

// Of the conventions for generative AI 0.1.0 alone.
const (
	keyTokenModality = attribute.Key("gen_ai.token.modality")

	modalityUnknown = "unknown" // usage tells only sums over all modalities

	finishReasonMissing = "error" // a finish reason that never came
)

// unknown is the operation, or the provider, that the conventions require and nobody has told.
const unknown = "unknown"

// ScenarioKey is the attribute of [tpot.Request.Scenario], which [WithAttributes] allows.
const ScenarioKey = attribute.Key("tokentiming.scenario")

// Attributes of our own, on metrics.
const (
	keyOutcome = attribute.Key("tokentiming.outcome")
	keyReason  = attribute.Key("tokentiming.reason")
	keyPhase   = attribute.Key("tokentiming.phase")
	keySource  = attribute.Key("tokentiming.token.source")
	keyBasis   = attribute.Key("tokentiming.itl.basis")
)

// keyConvention is an attribute of the instrumentation scope, and of the event that has a request's figures: whose definitions they follow.
const keyConvention = attribute.Key("tokentiming.convention")

// And on span events. They have other names than the metrics, whose values are of many requests.
const (
	keyCause        = attribute.Key("tokentiming.cause")
	keyStallLength  = attribute.Key("tokentiming.stall.length")
	keyTTFT         = attribute.Key("tokentiming.response.time_to_first_token")
	keyTPOT         = attribute.Key("tokentiming.response.time_per_output_token")
	keyTokens       = attribute.Key("tokentiming.response.output_tokens")
	keyGapCV        = attribute.Key("tokentiming.response.chunk_gap.cv")
	keyStallCount   = attribute.Key("tokentiming.response.stall.count")
	keyLongestStall = attribute.Key("tokentiming.response.stall.longest")
	keyWait         = attribute.Key("tokentiming.response.wait")
	keyHold         = attribute.Key("tokentiming.response.hold")
)
