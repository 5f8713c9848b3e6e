package stream

import (
	"reflect"

	"github.com/tokentiming/tokentiming/tpot"
)

// errorFields are the fields in which the values of a stream carry an error: those of type error in the struct that a
// value is or points to, also in one that it embeds. JSON does not tell what such an error is.
type errorFields [][]int

func errorFieldsOf(t reflect.Type) (fields errorFields) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && f.Type == reflect.TypeFor[error]() {
			fields = append(fields, f.Index)
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
	for _, index := range fields {
		f, unreachable := v.FieldByIndexErr(index) // behind a nil pointer
		if unreachable != nil {
			continue
		}
		if err, _ := f.Interface().(error); err != nil {
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
