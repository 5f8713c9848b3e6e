package stream

import (
	"encoding/json"
	"reflect"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// Each is the classifier for streams of which every value is one token of text.
func Each[T any](T) tpot.Event { return tpot.Event{Kind: tpot.KindText, Tokens: 1} }

// Auto is the classifier that finds out by itself what a value carries, and the one that a nil classifier stands for. It
// understands, without importing any SDK:
//
//   - strings and byte slices: text, unless empty
//   - values with a method RawJSON() string, such as those of openai-go and anthropic-sdk-go: their JSON
//   - all other values: their JSON encoding, which for the types of go-openai and ollama is that of the wire
//
// Of JSON it knows the events of OpenAI chat completions, with their many dialects, of Anthropic messages and of Ollama. What it does not
// know carries nothing as far as it can tell, and is counted in [tpot.Stats.Unclassified]: pass a classifier then.
//
// Encoding a value costs what encoding/json costs; the other two allocate nothing in an adapter.
func Auto[T any](v T) tpot.Event { return autoFor[T]()(&v) }

// rawJSON is a value that knows the JSON it was decoded from.
type rawJSON interface{ RawJSON() string }

// autoFor chooses how Auto looks at values of type T: once for a stream, not once for each event.
func autoFor[T any]() func(*T) tpot.Event {
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.String, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t != reflect.TypeFor[json.RawMessage]():
		return func(v *T) tpot.Event { return text(reflect.ValueOf(v).Elem().Len()) }
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return func(v *T) tpot.Event { return autoValue(any(*v)) }
	}
	return func(v *T) tpot.Event { return autoValue(any(v)) }
}

// text is the event of a value that is text and this long.
func text(length int) tpot.Event {
	if length == 0 {
		return tpot.Event{Kind: tpot.KindStatus}
	}
	return tpot.Event{Kind: tpot.KindText}
}

// autoValue looks at a value that is, or points to, what the stream yields.
func autoValue(v any) tpot.Event {
	switch v := v.(type) {
	case nil:
		return tpot.Event{}
	case string:
		return text(len(v))
	case []byte:
		return text(len(v))
	case rawJSON:
		if raw := v.RawJSON(); raw != "" {
			return scan(raw)
		}
	}
	return encode(v)
}

// encode looks at the JSON encoding of a value.
func encode(v any) tpot.Event {
	data, err := json.Marshal(v)
	if err != nil {
		return tpot.Event{}
	}
	return scan(string(data))
}

func scan(data string) tpot.Event {
	e, ok := wire.Classify(data)
	if !ok {
		return tpot.Event{}
	}
	return e
}
