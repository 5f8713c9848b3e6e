package wire

import "github.com/tokentiming/tokentiming/tpot"

// values is the framing of JSON values one after the other: the elements of an array, or objects with white space between
// them. A body that is one object of a document has events only if it is an error.
type values struct {
	parser   *Parser
	document bool // the media type is no stream's: one JSON value is expected

	begun, more      bool // a value came; a second one
	array, closed    bool // the body is an array; its closing bracket came
	broken           bool // what came is none of these
	depth            int  // of what is open in the value
	inside, escaping bool // of a string in the value
	partial          partial
}

// maxDocument is how large a document may be to be looked at. Errors are small.
const maxDocument = 64 << 10

func (v *values) feed(data []byte) {
	start := 0 // of the value
	for i := 0; i < len(data) && !v.broken; i++ {
		if v.depth == 0 {
			v.between(data[i])
			start = i
			continue
		}
		if v.step(data[i]) {
			v.take(v.partial.with(data[start : i+1]))
		}
	}
	if v.depth > 0 {
		v.partial.add(data[start:])
	}
}

// between takes a byte outside of a value.
func (v *values) between(b byte) {
	switch {
	case isSpace(b), b == ',' && v.array && !v.closed:
	case v.closed:
		v.spoil()
	case b == '{' || b == '[' && v.array:
		v.more = v.begun
		v.begun, v.depth = true, 1
	case b == '[':
		v.array = true
	case b == ']' && v.array:
		v.closed = true
	default:
		v.spoil()
	}
}

// spoil gives up the rest of the body, as one event that was not understood.
func (v *values) spoil() {
	v.broken = true
	if !v.document {
		v.parser.unknown()
	}
}

// step takes a byte of a value and reports whether it was the last.
func (v *values) step(b byte) bool {
	switch {
	case v.escaping:
		v.escaping = false
	case v.inside:
		v.inside, v.escaping = b != '"', b == '\\'
	case b == '"':
		v.inside = true
	case b == '{' || b == '[':
		v.depth++
	case b == '}' || b == ']':
		v.depth--
	}
	return v.depth == 0
}

func (v *values) take(value []byte, ok bool) {
	switch {
	case v.document:
		v.takeDocument(value, ok)
	case !ok:
		v.parser.tooLarge()
	default:
		v.parser.json(value, false)
	}
}

// takeDocument emits the error that a document is.
func (v *values) takeDocument(value []byte, ok bool) {
	if !ok {
		return
	}
	if e, known := Classify(view(value)); known && e.Kind&tpot.KindError != 0 {
		v.parser.send(tpot.Event{Kind: tpot.KindError, ErrorType: e.ErrorType})
	}
}

func (v *values) finish() bool { return v.broken || v.depth == 0 && v.closed == v.array }
