package stream

import (
	"encoding/json"
	"reflect"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// Each is the classifier for streams of which every value is one token of text.
func Each[T any](T) tpot.Event { return tpot.Event{Kind: tpot.KindText, Tokens: 1} }

// Auto is the classifier that finds out by itself what a value carries, looked at alone. Without importing any SDK it understands:
//
//   - strings and byte slices: text, unless empty
//   - values with a method RawJSON() string, such as those of openai-go and anthropic-sdk-go: their JSON
//   - members of the AWS SDK's unions, such as the events of Bedrock's ConverseStream: by the names of their Go types; and
//     what a chunk of InvokeModelWithResponseStream holds
//   - all other values: their JSON encoding, which is that of the wire for the types of go-openai, genai, ollama, cohere,
//     any-llm-go and mistral-go, and known for the values of eino, genkit and fantasy
//   - nil pointers: nothing
//
// Of JSON it knows the events that the package comment lists. What it does not know carries nothing as far as it can tell,
// and is counted in [tpot.Stats.Unclassified]: pass a classifier then.
//
// A nil classifier does the same and more, so pass nil rather than Auto. It remembers the values before: where counts or
// text are repeated from the start, only their growth is the value's, and what the stream says of itself is in
// [tpot.Stats.Wire] and [tpot.Stats.Server].
//
// Auto itself is for what a call returns after its callback has had the text. Responses of langchaingo and genkit are
// known, and say whether the answer is complete and of how many tokens it is:
//
//	err := stream.Call(rec, func(emit func([]byte) error) error {
//		resp, err := model.GenerateContent(ctx, messages, llms.WithStreamingFunc(
//			func(_ context.Context, text []byte) error { return emit(text) }))
//		rec.Observe(stream.Auto(resp))
//		return err
//	}, show, nil)
//
// Encoding a value costs what encoding/json costs, strings and RawJSON allocate nothing in an adapter.
func Auto[T any](v T) tpot.Event { return autoFor[T](wire.Classify)(&v) }

// rawJSON is a value that knows the JSON it was decoded from.
type rawJSON interface{ RawJSON() string }

// autoFor chooses how Auto looks at values of type T: once for a stream, not once for each event. What is JSON it gives to
// classify.
func autoFor[T any](classify func(data string) (tpot.Event, bool)) func(*T) tpot.Event {
	scan := func(data string) tpot.Event {
		e, _ := classify(data)
		return e
	}
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.String, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && t != reflect.TypeFor[json.RawMessage]():
		return func(v *T) tpot.Event { return text(reflect.ValueOf(v).Elem().Len()) }
	case t.Kind() == reflect.Pointer:
		return func(v *T) tpot.Event { return autoValue(any(*v), scan) }
	case t.Kind() == reflect.Interface:
		return func(v *T) tpot.Event { return autoInterface(any(*v), scan) }
	}
	return func(v *T) tpot.Event { return autoValue(any(v), scan) }
}

// text is the event of a value that is text and this long.
func text(length int) tpot.Event {
	if length == 0 {
		return tpot.Event{Kind: tpot.KindStatus}
	}
	return tpot.Event{Kind: tpot.KindText}
}

// autoInterface looks at a value of a stream of an interface, which may be a union.
func autoInterface(v any, scan func(string) tpot.Event) tpot.Event {
	if data, ok := unionJSON(v); ok {
		return scan(data)
	}
	return autoValue(v, scan)
}

// autoValue looks at a value that is, or points to, what the stream yields.
func autoValue(v any, scan func(string) tpot.Event) tpot.Event {
	switch v := v.(type) {
	case nil:
		return tpot.Event{}
	case string:
		return text(len(v))
	case []byte:
		return text(len(v))
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && p.IsNil() {
		return tpot.Event{Kind: tpot.KindStatus} // nothing, which is understood
	}
	if v, ok := v.(rawJSON); ok {
		if raw := v.RawJSON(); raw != "" {
			return scan(raw)
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return tpot.Event{}
	}
	return scan(string(data))
}

// memory is the classifier that a nil one stands for: Auto, with what the values so far have said.
type memory[T any] struct {
	look  func(*T) tpot.Event
	wire  wire.Classifier
	told  told
	value T // the one looked at, here so that it need not escape anew for each event
}

func newMemory[T any]() *memory[T] {
	m := &memory[T]{}
	m.look = autoFor[T](m.wire.Classify)
	return m
}

// classify looks at the next value, which is not kept.
func (m *memory[T]) classify(v T) tpot.Event {
	m.value = v
	defer func() { m.value = *new(T) }()
	return m.look(&m.value)
}
