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
// out. Of attributes with the same key the last one counts.
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
	if scenario := clean(req.Scenario); scenario != "" && slices.Contains(allowed, ScenarioKey) {
		attrs = append(attrs, ScenarioKey.String(scenario))
	}
	if len(allowed) == 0 {
		return attrs
	}
	for _, kv := range contextAttributes(ctx) {
		if value, ok := text(kv.Value); ok && slices.Contains(allowed, kv.Key) {
			attrs = append(attrs, kv.Key.String(value))
		}
	}
	return attrs
}

// text is a single value as text; ok is false for lists and for no value.
func text(v attribute.Value) (s string, ok bool) {
	switch v.Type() {
	case attribute.STRING:
		return clean(v.AsString()), true
	case attribute.INT64:
		return strconv.FormatInt(v.AsInt64(), 10), true
	case attribute.FLOAT64:
		return strconv.FormatFloat(v.AsFloat64(), 'g', -1, 64), true
	case attribute.BOOL:
		return strconv.FormatBool(v.AsBool()), true
	}
	return "", false
}

// longestValue bounds the length of texts, in bytes. What is longer is cut.
const longestValue = 256

func clean(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), longestValue)], "")
}

// reserved are the keys that cannot be allowed, since they are told by the request and its response.
var reserved = []attribute.Key{
	keyOperation, keyProvider, keyRequestModel, keyResponseModel, keyServerAddress, keyServerPort, keyErrorType, keyTokenType, keyTokenModality,
	keyOutcome, keyReason, keyPhase, keySource, keyBasis,
}
