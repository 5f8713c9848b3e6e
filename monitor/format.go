package monitor

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// absent stands in the place of a figure that there is not.
const absent = "–"

// short is a duration with three digits, as package tpot writes it for people.
func short(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return d.String()
	case d < time.Millisecond:
		return digits(float64(d)/1e3) + "µs"
	case d < time.Second:
		return digits(float64(d)/1e6) + "ms"
	case d < time.Minute:
		return digits(d.Seconds()) + "s"
	}
	return d.Round(time.Second).String()
}

// digits is a number with three digits.
func digits(f float64) string {
	switch {
	case f < 9.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// percent is a share with three digits. Only none at all is 0 %, and only all is 100 %.
func percent(share float64) string {
	switch {
	case share <= 0:
		return "0%"
	case share >= 1:
		return "100%"
	case share < 0.0001:
		return "<0.01%"
	case share > 0.9999:
		return ">99.99%"
	case share >= 0.9995:
		return strconv.FormatFloat(share*100, 'f', 2, 64) + "%"
	}
	return digits(share*100) + "%"
}

// orAbsent is a figure as text.
func orAbsent[T any](text func(T) string) func(T, bool) string {
	return func(value T, ok bool) string {
		if !ok {
			return absent
		}
		return text(value)
	}
}

var (
	shortOf   = orAbsent(short)
	digitsOf  = orAbsent(digits)
	percentOf = orAbsent(percent)
)

func (f figure) String() string { return shortOf(f.value, f.ok) }

// shown is a name as it is shown.
func shown(name string) string {
	if name == "" {
		return absent
	}
	return valid(name)
}

// valid is text in which every byte that is no UTF-8 is replaced, as in JSON.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
