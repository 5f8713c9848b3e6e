package stream

import (
	"reflect"

	"github.com/tokentiming/tokentiming/tpot"
)

// errorFields are the fields in which the values of a stream carry an error: those of type error in the struct that a
// value is or points to. JSON does not tell what such an error is.
type errorFields []int

func errorFieldsOf(t reflect.Type) (fields errorFields) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type == reflect.TypeFor[error]() {
			fields = append(fields, i)
		}
	}
	return fields
}

// in returns the first error that a value carries.
func (fields errorFields) in(v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() { // a nil pointer
		return nil
	}
	for _, i := range fields {
		if err, _ := v.Field(i).Interface().(error); err != nil {
			return err
		}
	}
	return nil
}

// besideError is what a value says beside the error that it carries.
func besideError(e tpot.Event) tpot.Event {
	e.Kind, e.ErrorType = e.Kind&^tpot.KindError, ""
	if e.Kind == 0 {
		e.Kind = tpot.KindStatus
	}
	return e
}
