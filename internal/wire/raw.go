package wire

import (
	"encoding/json"
	"math"
	"strings"
)

// raw is the text of one JSON value, to be read once its meaning is known. It is well-formed, or empty where there is
// no value. Its methods give zero for a value of another type.
type raw string

func (r raw) isObject() bool { return byteAt(string(r), 0) == '{' }
func (r raw) isString() bool { return byteAt(string(r), 0) == '"' }
func (r raw) isNumber() bool { b := byteAt(string(r), 0); return isDigit(b) || b == '-' }

// filled reports whether r is a string and not empty.
func (r raw) filled() bool { return r.isString() && r != `""` }

// unescape is for literals with escapes. They are rare where a string is read at all.
func unescape(literal string) (s string) {
	_ = json.Unmarshal([]byte(literal), &s) // cannot fail: what is malformed has been refused
	return s
}

// count returns an integer. One that is too large for a count of tokens is given as math.MaxInt32.
func (r raw) count() int {
	digits, negative := strings.CutPrefix(string(r), "-")
	n := int64(0)
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return 0
		}
		n = min(n*10+int64(digits[i]-'0'), math.MaxInt32)
	}
	if negative {
		return int(-n)
	}
	return int(n)
}

// label returns a string, or a number as it is written.
func (r raw) label() string {
	if r.isNumber() {
		return string(r)
	}
	return r.cursor().string()
}

// cursor walks what r holds.
func (r raw) cursor() *cursor { return newCursor(string(r)) }
