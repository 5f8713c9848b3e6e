package otelx

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/tokentiming/tokentiming/tpot"
)

type contextKey struct{}

// ContextWithAttributes adds attributes to what the requests started with the context are reported with, as far as
// [WithAttributes] allows them. Numbers and booleans are reported as text, so that one attribute has one type; lists are left
// out. Of attributes with the same key the last one counts, and a request's own scenario before one in the context.
func ContextWithAttributes(ctx context.Context, attrs ...attribute.KeyValue) context.Context {
	return context.WithValue(ctx, contextKey{}, slices.Concat(contextAttributes(ctx), attrs))
}

func contextAttributes(ctx context.Context) []attribute.KeyValue {
	attrs, _ := ctx.Value(contextKey{}).([]attribute.KeyValue)
	return attrs
}

// requestAttributes are what is known of a request when it starts: every text short and valid, for an exporter that finds one that is
// not refuses all that it has.
func requestAttributes(ctx context.Context, req tpot.Request, allowed []attribute.Key) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 8+len(allowed))
	attrs = append(attrs,
		keyOperation.String(cmp.Or(clean(req.Operation), unknown)),
		keyProvider.String(cmp.Or(clean(req.Provider), unknown)))
	if model := clean(req.Model); model != "" {
		attrs = append(attrs, keyRequestModel.String(model))
	}
	if address := clean(req.ServerAddress); address != "" {
		attrs = append(attrs, keyServerAddress.String(address))
		if req.ServerPort > 0 {
			attrs = append(attrs, keyServerPort.Int(req.ServerPort))
		}
	}
	for _, key := range allowed {
		if value := allowedValue(ctx, req, key); value != "" {
			attrs = append(attrs, key.String(value))
		}
	}
	return attrs
}

// allowedValue is the value of an allowed attribute: the request's own scenario, or the last one in the context. Empty is none.
func allowedValue(ctx context.Context, req tpot.Request, key attribute.Key) string {
	if scenario := clean(req.Scenario); key == ScenarioKey && scenario != "" {
		return scenario
	}
	for _, kv := range slices.Backward(contextAttributes(ctx)) {
		if kv.Key == key {
			return text(kv.Value)
		}
	}
	return ""
}

// text is a single value as text; empty for lists.
func text(v attribute.Value) string {
	switch v.Type() {
	case attribute.STRING:
		return clean(v.AsString())
	case attribute.INT64:
		return strconv.FormatInt(v.AsInt64(), 10)
	case attribute.FLOAT64:
		return strconv.FormatFloat(v.AsFloat64(), 'g', -1, 64)
	case attribute.BOOL:
		return strconv.FormatBool(v.AsBool())
	}
	return ""
}

// longestValue bounds the length of texts, in bytes. What is longer is cut.
const longestValue = 256

func clean(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), longestValue)], "")
}

// reserved are the keys that cannot be allowed, since they are told by the request and its response.
var reserved = []attribute.Key{
	keyOperation, keyProvider, keyRequestModel, keyResponseModel, keyServerAddress, keyServerPort, keyErrorType, keyTokenType, keyTokenModality,
	keyOutcome, keyReason, keyPhase, keySource, keyBasis, keyConvention,
}
