package stream

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A union of the AWS SDK is an interface, and a member of it a pointer to a struct whose one exported field is called Value.
// Which member it is only the name of the struct says, such as ConverseStreamOutputMemberMessageStop, and encoding/json does
// not tell. On the wire it is an object with one member, {"messageStop": ...}.

// unionJSON is the JSON of a union's member as it was on the wire, as far as timing goes; ok is false when v is none. A member that
// holds bytes, as a chunk of a model's own stream does, is these.
func unionJSON(v any) (data string, ok bool) {
	pointer := reflect.ValueOf(v)
	if pointer.Kind() != reflect.Pointer {
		return "", false
	}
	_, value, ok := unionMember(pointer.Elem())
	if !ok {
		return "", false
	}
	if payload, is := payloadOf(value); is {
		return string(payload), true
	}
	return string(appendStruct(nil, pointer.Elem(), deepest)), true
}

// unionMember returns the name and the value of a union's member.
func unionMember(v reflect.Value) (name string, value reflect.Value, ok bool) {
	if v.Kind() != reflect.Struct || v.NumField() == 0 {
		return "", value, false
	}
	union, name, found := strings.Cut(v.Type().Name(), "Member")
	if !found || union == "" || name == "" || v.Type().Field(0).Name != "Value" {
		return "", value, false
	}
	return name, v.Field(0), true
}

// payloadOf returns the bytes of a struct that begins with them.
func payloadOf(v reflect.Value) (payload []byte, ok bool) {
	if v.Kind() != reflect.Struct || v.NumField() == 0 || v.Type().Field(0).Name != "Bytes" {
		return nil, false
	}
	payload, ok = v.Field(0).Interface().([]byte)
	return payload, ok
}

// deepest is how many structs, pointers and interfaces may hold one another. No event has more than eight.
const deepest = 12

// appendValue appends what a value was on the wire: strings and integers, unions, and structs by the names of their fields. What is
// anything else, such as a list or a document, says nothing of timing and is null.
func appendValue(data []byte, v reflect.Value, depth int) []byte {
	switch kind := v.Kind(); {
	case depth == 0:
	case kind == reflect.String:
		return appendString(data, v.String())
	case v.CanInt():
		return strconv.AppendInt(data, v.Int(), 10)
	case kind == reflect.Struct:
		return appendStruct(data, v, depth-1)
	case (kind == reflect.Pointer || kind == reflect.Interface) && !v.IsNil():
		return appendValue(data, v.Elem(), depth-1)
	}
	return append(data, "null"...)
}

func appendStruct(data []byte, v reflect.Value, depth int) []byte {
	data = append(data, '{')
	if name, value, ok := unionMember(v); ok {
		data = appendValue(appendName(data, name), value, depth)
		return append(data, '}')
	}
	first := true
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		if !first {
			data = append(data, ',')
		}
		first = false
		data = appendValue(appendName(data, field.Name), v.Field(i), depth)
	}
	return append(data, '}')
}

// appendName appends a name of Go as one of the wire.
func appendName(data []byte, name string) []byte {
	first, size := utf8.DecodeRuneInString(name)
	data = utf8.AppendRune(append(data, '"'), unicode.ToLower(first))
	return append(append(data, name[size:]...), `":`...)
}

func appendString(data []byte, s string) []byte {
	special := func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }
	if strings.IndexFunc(s, special) >= 0 {
		literal, _ := json.Marshal(s) // cannot fail: it is a string
		return append(data, literal...)
	}
	return append(append(append(data, '"'), s...), '"')
}
