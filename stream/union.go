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
	var w unionWriter
	w.fields(pointer.Elem())
	return string(w.data), true
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

// mostValues bounds how far what a union holds is followed, since pointers may lead in a circle. No event of AWS has as many.
const mostValues = 500

// unionWriter writes values as they were on the wire.
type unionWriter struct {
	data   []byte
	values int // so far
}

// value writes strings and integers, unions, and structs by the names of their fields. What is anything else, such as a list or
// a document, says nothing of timing and is null.
func (w *unionWriter) value(v reflect.Value) {
	w.values++
	switch kind := v.Kind(); {
	case w.values > mostValues:
	case kind == reflect.String:
		w.data = appendString(w.data, v.String())
		return
	case v.CanInt():
		w.data = strconv.AppendInt(w.data, v.Int(), 10)
		return
	case kind == reflect.Struct:
		w.fields(v)
		return
	case (kind == reflect.Pointer || kind == reflect.Interface) && !v.IsNil():
		w.value(v.Elem())
		return
	}
	w.data = append(w.data, "null"...)
}

// fields writes the exported fields of a struct, or the one of a union's member.
func (w *unionWriter) fields(v reflect.Value) {
	start := len(w.data)
	if name, value, ok := unionMember(v); ok {
		w.member(start, name, value)
	} else {
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				w.member(start, field.Name, v.Field(i))
			}
		}
	}
	if len(w.data) == start {
		w.data = append(w.data, '{')
	}
	w.data = append(w.data, '}')
}

// member writes a member of the object that starts at an offset.
func (w *unionWriter) member(start int, name string, value reflect.Value) {
	separator := byte(',')
	if len(w.data) == start {
		separator = '{'
	}
	w.data = appendName(append(w.data, separator), name)
	w.value(value)
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
