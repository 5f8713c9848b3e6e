package otelx

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
)

// MaxValues is how many distinct values of an attribute an Observer lets through to metrics, the first that come; any further one
// is "_other". It is the same for models, providers, operations, servers and what [WithAttributes] allows, since all of them can
// come from a caller's caller.
const MaxValues = 256

// otherValue stands for the values beyond MaxValues.
const otherValue = "_other"

// bounds keeps the distinct values of attributes few. It is safe for concurrent use.
type bounds map[attribute.Key]*values

func newBounds(allowed []attribute.Key) bounds {
	b := make(bounds)
	bounded := []attribute.Key{keyOperation, keyProvider, keyRequestModel, keyResponseModel, keyServerAddress, keyServerPort, keyErrorType}
	for _, key := range slices.Concat(bounded, allowed) {
		b[key] = &values{known: make(map[string]string)}
	}
	return b
}

// apply is the attributes within the bounds. A port of too many is left out, and so is that of a server of too many.
func (b bounds) apply(attrs []attribute.KeyValue) []attribute.KeyValue {
	within := make([]attribute.KeyValue, 0, len(attrs)+1)
	otherServer := false
	for _, kv := range attrs {
		value, admitted := b[kv.Key].admit(text(kv.Value))
		switch {
		case kv.Key == keyServerPort:
			if admitted && !otherServer {
				within = append(within, kv)
			}
		case admitted:
			within = append(within, kv.Key.String(value))
		default:
			within = append(within, kv.Key.String(otherValue))
			otherServer = otherServer || kv.Key == keyServerAddress
		}
	}
	return within
}

// model is the attribute of a response's model within the bounds.
func (b bounds) model(name string) attribute.KeyValue {
	name, admitted := b[keyResponseModel].admit(name)
	if !admitted {
		name = otherValue
	}
	return keyResponseModel.String(name)
}

// errorType is an error type within the bounds.
func (b bounds) errorType(name string) string {
	if name == "" {
		return ""
	}
	name, admitted := b[keyErrorType].admit(name)
	if !admitted {
		return otherError
	}
	return name
}

// values are the distinct values of one attribute. It is safe for concurrent use.
type values struct {
	mu    sync.RWMutex
	known map[string]string // to itself
}

// admit is whether a value is one of the first MaxValues, and the value to keep: v may be a part of something large.
func (vs *values) admit(v string) (kept string, ok bool) {
	vs.mu.RLock()
	kept, ok = vs.known[v]
	full := len(vs.known) >= MaxValues
	vs.mu.RUnlock()
	if ok || full {
		return kept, ok
	}
	return vs.add(strings.Clone(v))
}

func (vs *values) add(v string) (kept string, ok bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if kept, ok = vs.known[v]; ok || len(vs.known) >= MaxValues {
		return kept, ok
	}
	vs.known[v] = v
	return v, true
}
