package wire

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// raw is the text of one JSON value, to be read once its meaning is known. It is well-formed, or empty where there is
// no value. Its methods give zero for a value of another type.
type raw string

func (r raw) isObject() bool { return byteAt(string(r), 0) == '{' }
func (r raw) isArray() bool  { return byteAt(string(r), 0) == '[' }
func (r raw) isString() bool { return byteAt(string(r), 0) == '"' }
func (r raw) isNumber() bool { b := byteAt(string(r), 0); return isDigit(b) || b == '-' }

// filled reports whether r is a string and not empty.
func (r raw) filled() bool { return r.isString() && r != `""` }

// written is how long a string is as it is written, without its quotes.
func (r raw) written() int {
	if !r.isString() {
		return 0
	}
	return len(r) - len(`""`)
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

// longestNumber is how long the literal of a number that matters can be.
const longestNumber = 40

// float returns a number that is not negative.
func (r raw) float() float64 {
	if !r.isNumber() || len(r) > longestNumber {
		return 0
	}
	f, err := strconv.ParseFloat(string(r), 64)
	if err != nil || f < 0 {
		return 0
	}
	return f
}

// nanoseconds, milliseconds and seconds return a duration. One that is longer than any server runs is none.
func (r raw) nanoseconds() time.Duration  { return duration(r.float()) }
func (r raw) milliseconds() time.Duration { return duration(r.float() * float64(time.Millisecond)) }
func (r raw) seconds() time.Duration      { return duration(r.float() * float64(time.Second)) }

func duration(nanoseconds float64) time.Duration {
	if nanoseconds >= math.MaxInt64/2 {
		return 0
	}
	return time.Duration(math.Round(nanoseconds))
}

// label returns a string, or a number as it is written.
func (r raw) label() string {
	if r.isNumber() {
		return string(r)
	}
	return r.string()
}

// string returns a string, escapes understood.
func (r raw) string() string { return r.cursor().string() }

// cursor walks what r holds.
func (r raw) cursor() *cursor { return newCursor(string(r)) }

// lastElement is the last value of an array.
func (r raw) lastElement() (last raw) {
	c := r.cursor()
	for range c.elements {
		last = c.raw()
	}
	return last
}

// member is the value of an object's member called name.
func (r raw) member(name string) (value raw) {
	c := r.cursor()
	for key := range c.members {
		if key == name {
			value = c.raw()
		}
	}
	return value
}
