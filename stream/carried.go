package stream

import (
	"reflect"

	"github.com/tokentiming/tokentiming/tpot"
)

// carrier finds the errors that the values of a stream carry in themselves: in fields of type error of the struct that a value is or
// points to, also of one that it embeds. JSON does not tell what such an error is, and few classifiers do.
type carrier[T any] struct {
	fields errorFields
	value  T // the one looked at, here so that it need not escape anew for each event
}

// newCarrier returns nil when there are no such fields.
func newCarrier[T any]() *carrier[T] {
	fields := errorFieldsOf(reflect.TypeFor[T]())
	if fields == nil {
		return nil
	}
	return &carrier[T]{fields: fields}
}

// errorIn returns the first error that a value carries. The value is not kept.
func (c *carrier[T]) errorIn(v T) error {
	c.value = v
	defer func() { c.value = *new(T) }()
	return c.fields.in(reflect.ValueOf(&c.value).Elem())
}

// errorFields are the fields that may have an error.
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

// besideError is what a value says, as far as its JSON tells, beside the error that it carries.
func besideError(e tpot.Event) tpot.Event {
	e.Kind, e.ErrorType = e.Kind&^tpot.KindError, ""
	if e.Kind&^tpot.KindMarked == 0 {
		e.Kind |= tpot.KindStatus
	}
	return e
}
