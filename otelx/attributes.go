package otelx

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"

	"github.com/tokentiming/tokentiming/tpot"
)

// MaxValues is how many distinct values of an attribute an Observer lets through to metrics; any further one is "_other". It
// is the same for models, providers, operations, server addresses, error types and what [WithAttributes] allows, since all of
// them can come from a caller's caller.
const MaxValues = 256

// otherValue stands for the values beyond MaxValues.
const otherValue = "_other"

// longestValue bounds attribute values, in bytes.
const longestValue = 256

type contextKey struct{}

// ContextWithAttributes adds attributes to what the requests started with the context are reported with, as far as
// [WithAttributes] allows them. Of attributes with the same key the last one counts.
func ContextWithAttributes(ctx context.Context, attrs ...attribute.KeyValue) context.Context {
	return context.WithValue(ctx, contextKey{}, slices.Concat(contextAttributes(ctx), attrs))
}

func contextAttributes(ctx context.Context) []attribute.KeyValue {
	attrs, _ := ctx.Value(contextKey{}).([]attribute.KeyValue)
	return attrs
}

// labeler makes the attributes of requests. It is safe for concurrent use.
type labeler struct {
	allowed []attribute.Key
	values  map[attribute.Key]*values // of every attribute; the map itself does not change
}

func newLabeler(allowed []attribute.Key) *labeler {
	l := &labeler{allowed: allowed, values: make(map[attribute.Key]*values)}
	own := []attribute.Key{keyOperation, keyProvider, keyRequestModel, keyResponseModel, keyServerAddress, keyErrorType}
	for _, key := range slices.Concat(own, allowed) {
		l.values[key] = &values{known: make(map[string]string)}
	}
	return l
}

// string is an attribute within the bounds.
func (l *labeler) string(key attribute.Key, value string) attribute.KeyValue {
	return key.String(l.values[key].bound(value))
}

// request is the attributes that are known when a request starts.
func (l *labeler) request(ctx context.Context, req tpot.Request) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 8+len(l.allowed))
	attrs = append(attrs,
		l.string(keyOperation, cmp.Or(req.Operation, unknown)),
		l.string(keyProvider, cmp.Or(req.Provider, unknown)))
	if req.Model != "" {
		attrs = append(attrs, l.string(keyRequestModel, req.Model))
	}
	if req.ServerAddress != "" {
		attrs = l.server(attrs, req)
	}
	return l.extra(ctx, attrs, req)
}

// server appends the server's address and port; a port says nothing without its address.
func (l *labeler) server(attrs []attribute.KeyValue, req tpot.Request) []attribute.KeyValue {
	address := l.string(keyServerAddress, req.ServerAddress)
	attrs = append(attrs, address)
	if req.ServerPort > 0 && address.Value.AsString() != otherValue {
		attrs = append(attrs, keyServerPort.Int(req.ServerPort))
	}
	return attrs
}

// extra appends the allowed attributes.
func (l *labeler) extra(ctx context.Context, attrs []attribute.KeyValue, req tpot.Request) []attribute.KeyValue {
	if len(l.allowed) == 0 {
		return attrs
	}
	if req.Scenario != "" && slices.Contains(l.allowed, ScenarioKey) {
		attrs = append(attrs, l.string(ScenarioKey, req.Scenario))
	}
	for _, kv := range contextAttributes(ctx) {
		if slices.Contains(l.allowed, kv.Key) {
			attrs = append(attrs, l.bounded(kv))
		}
	}
	return attrs
}

// bounded is an attribute of any type within the bounds.
func (l *labeler) bounded(kv attribute.KeyValue) attribute.KeyValue {
	text := l.string(kv.Key, kv.Value.Emit())
	if kv.Value.Type() == attribute.STRING || text.Value.AsString() == otherValue {
		return text
	}
	return kv
}

// values are the distinct values of one attribute. It is safe for concurrent use.
type values struct {
	mu    sync.RWMutex
	known map[string]string // value as given: value as reported
}

// bound is the value to report in the place of v.
func (vs *values) bound(v string) string {
	vs.mu.RLock()
	clean, ok := vs.known[v]
	vs.mu.RUnlock()
	if ok {
		return clean
	}
	return vs.add(v)
}

func (vs *values) add(v string) string {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if clean, ok := vs.known[v]; ok {
		return clean
	}
	if len(vs.known) >= MaxValues || len(v) > longestValue {
		return otherValue
	}
	v = strings.Clone(v)
	vs.known[v] = strings.ToValidUTF8(v, "")
	return vs.known[v]
}
