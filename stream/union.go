package stream

import (
	"encoding/json"
	"reflect"
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
	name, value, ok := unionMember(pointer.Elem())
	if !ok {
		return "", false
	}
	if payload, is := payloadOf(value); is {
		return string(payload), true
	}
	encoded, err := json.Marshal(map[string]any{name: wireValue(value, deepest)})
	return string(encoded), err == nil
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
	return lowerFirst(name), v.Field(0), true
}

// payloadOf returns the bytes of a struct that has these alone.
func payloadOf(v reflect.Value) (payload []byte, ok bool) {
	if v.Kind() != reflect.Struct || v.NumField() == 0 || v.Type().Field(0).Name != "Bytes" {
		return nil, false
	}
	payload, ok = v.Field(0).Interface().([]byte)
	return payload, ok
}

// deepest is how many structs, pointers and interfaces may hold one another. No event has more than eight.
const deepest = 12

// wireValue is what a value was on the wire: strings and integers, unions, and structs by the names of their fields. What holds anything
// else, such as lists and documents, says nothing of timing and is left out.
func wireValue(v reflect.Value, depth int) any {
	if depth == 0 {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return wireValue(v.Elem(), depth-1)
	case reflect.Struct:
		return wireObject(v, depth-1)
	}
	return nil
}

func wireObject(v reflect.Value, depth int) map[string]any {
	if name, value, ok := unionMember(v); ok {
		return map[string]any{name: wireValue(value, depth)}
	}
	object := make(map[string]any)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		if value := wireValue(v.Field(i), depth); value != nil {
			object[lowerFirst(field.Name)] = value
		}
	}
	return object
}

func lowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}
