package otelx

import (
	"slices"
	"strconv"

	"github.com/tokentiming/tokentiming/tpot"
)

// otherError is what the conventions call an error type that is not one of a list.
const otherError = "_OTHER"

// errorType is error.type of a request that ended badly, else empty: a cancel is no error.
func errorType(s tpot.Stats) string {
	switch s.Outcome {
	case tpot.OutcomeTimeout, tpot.OutcomeTruncated:
		return s.Outcome.String()
	case tpot.OutcomeFailed:
	default:
		return ""
	}
	switch s.Cause {
	case "error in stream": // its type is the server's word
		if isStatus(s.ErrorType) || slices.Contains(streamErrorTypes[:], s.ErrorType) {
			return s.ErrorType
		}
	case "status":
		if isStatus(s.ErrorType) {
			return s.ErrorType
		}
	case "error from stream": // a Go type
		return clean(s.ErrorType)
	}
	return otherError
}

// isStatus is whether an error type is an HTTP status of an error.
func isStatus(errorType string) bool {
	code, err := strconv.Atoi(errorType)
	return err == nil && code >= 400 && code <= 599 && len(errorType) == 3
}

// streamErrorTypes are the types of errors in a stream that are reported as they are.
var streamErrorTypes = [...]string{
	// OpenAI and those that follow it
	"invalid_request_error", "invalid_prompt", "context_length_exceeded", "content_filter", "insufficient_quota", "rate_limit_exceeded",
	"requests", "tokens", "server_error", "internal_server_error", "service_unavailable_error", "engine_overloaded", "timeout",
	// vLLM, SGLang
	"BadRequestError", "NotFoundError", "InternalServerError", "ServiceUnavailableError", "abort",
	// Anthropic
	"authentication_error", "billing_error", "permission_error", "not_found_error", "request_too_large", "rate_limit_error",
	"timeout_error", "api_error", "overloaded_error",
	// Google
	"CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL",
	"UNAVAILABLE", "DATA_LOSS",
	// Amazon Bedrock
	"internalServerException", "modelStreamErrorException", "modelTimeoutException", "serviceUnavailableException",
	"throttlingException", "validationException", "InternalServerException", "ModelStreamErrorException", "ModelTimeoutException",
	"ServiceUnavailableException", "ThrottlingException", "ValidationException",
	// Text Generation Inference
	"generation", "incomplete_generation", "overloaded", "validation",
	// the readers of this module: an event without a type, a damaged frame
	"error", "checksum",
}
