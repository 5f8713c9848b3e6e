package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sampleValues are values and what looks like one. Which of them are is for encoding/json to say.
var sampleValues = []string{
	`0`, `-0`, `7`, `10`, `-12`, `0.5`, `-0.25`, `1e5`, `1E-5`, `1.5e+10`, `0e0`,
	``, `-`, `+1`, `01`, `-01`, `.5`, `1.`, `1.e5`, `1e`, `1e+`, `--1`, `0x1`, `1_0`, `NaN`, `Infinity`, `-.5`, `1.5.5`,
	`null`, `true`, `false`, `nul`, `nulL`, `True`, `falsey`, `t`, `none`, `undefined`,

	`""`, `"a"`, `"seven b"`, `"eight by"`, `"nine byte"`, `"\""`, `"\\"`, `"\/\b\f\n\r\t"`, `"\u0041"`, `"\uD83d\uDEb2"`,
	`"\ud83d"`, `"12345678\"12345678"`, `"1234567\\"`, `"é東🚲"`, "\"\x7f\"", "\"\xff\"", "\"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\"",
	`"`, `"a`, `"\"`, `"\`, `"\x"`, `"\u"`, `"\u12"`, `"\u123`, `"\u123g"`, `"\u00:0"`, `"\U0041"`, `'a'`, `"\ "`,
	"\"\n\"", "\"a\tb\"", "\"\x00\"", "\"1234567\x1f\"", "\"12345678\x1f12345678\"", "\"12345678\n\"",

	`[]`, `{}`, `[ ]`, `{ }`, `[1]`, `[1,2]`, `[ 1 , 2 ]`, `[[],{}]`, `{"a":1}`, `{ "a" : 1 , "b" : [ { } ] }`, `{"a":{"b":{}}}`,
	`{"":0}`, `{"\"":0}`, `{"a":1,"a":2}`, "\t[\r\n1\t]\n",
	`[`, `{`, `]`, `}`, `[1`, `[1,`, `[,1]`, `[1,]`, `[,]`, `[1 2]`, `[}`, `{]`, `[[1}]`, `[{"a":1]}`, "[\v]", "[1,\x00]",
	`{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a":,}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":[}`, `{"a":[1}]`, `{"a"}`,
	`{"a"::1}`, `{:1}`, `{a:1}`, `{1:2}`, `{1":2}`, `{0":""}`, `{"a":1,b":2}`, `{null:1}`, `{[]:1}`, `{{}:1}`,
}

func TestValueEndAgreesWithEncodingJSON(t *testing.T) {
	for _, sample := range sampleValues {
		for _, text := range []string{sample, "[" + sample + "]", "[0," + sample + ",0]", `{"key":` + sample + `}`, `{"":` + sample + `,"":0}`} {
			start := spaceEnd(text, 0)
			assert.Equal(t, json.Valid([]byte(text)), spaceEnd(text, valueEnd(text, start)) == len(text), "%q", text)
		}
	}
}

func TestCursorAgreesWithEncodingJSON(t *testing.T) {
	for _, sample := range sampleValues {
		text := `{"a":` + sample + `,"b":[` + sample + `,` + sample + `]}`
		c := newCursor(text)
		for key := range c.members {
			if key == "b" {
				c.length()
			}
		}
		assert.Equal(t, json.Valid([]byte(text)), c.complete(), "%q", text)
	}
}

func TestEveryReadingMethodTakesOneValue(t *testing.T) {
	methods := map[string]func(*cursor){
		"skip":     (*cursor).skip,
		"raw":      func(c *cursor) { c.raw() },
		"string":   func(c *cursor) { c.string() },
		"filled":   func(c *cursor) { c.filled() },
		"count":    func(c *cursor) { c.count() },
		"length":   func(c *cursor) { c.length() },
		"members":  func(c *cursor) { c.members(func(string) bool { return true }) },
		"elements": func(c *cursor) { c.elements(func() bool { return true }) },
	}
	for _, sample := range sampleValues {
		for name, read := range methods {
			text := "[" + sample + ",1]"
			c := newCursor(text)
			n := 0
			for range c.elements {
				read(c)
				n++
			}
			assert.Equal(t, json.Valid([]byte(text)), c.complete(), "%s of %q", name, text)
			if c.complete() {
				assert.GreaterOrEqual(t, n, 2, "%s of %q", name, text)
			}
		}
	}
}

func TestNothingBeginsAtMalformed(t *testing.T) {
	for _, text := range []string{"", "0", `"a"`, `"12345678"`, "{}", "null", " 1"} {
		assert.Zero(t, byteAt(text, malformed))
		assert.Equal(t, malformed, spaceEnd(text, malformed))
		assert.Equal(t, malformed, valueEnd(text, malformed))
		assert.Equal(t, malformed, digitsEnd(text, malformed))
	}
}

func TestStringEndFindsTheQuoteAnywhere(t *testing.T) {
	for _, filler := range []string{"a", " ", "!", "#", "[", "]", "\x7f", "\x80", "\xa2", "\xdc", "\xff"} {
		for n := range 40 {
			text := `"` + strings.Repeat(filler, n) + `"` + strings.Repeat(`"`, 20)
			end, escaped := stringEnd(text, 0)
			assert.Equal(t, len(filler)*n+2, end, "%q", text)
			assert.False(t, escaped)
		}
	}
}

func TestStringEndRefusesControlCharactersAnywhere(t *testing.T) {
	for control := range ' ' {
		for n := range 24 {
			text := `"` + strings.Repeat("a", n) + string(control) + strings.Repeat("a", 24-n) + `"`
			end, _ := stringEnd(text, 0)
			assert.Equal(t, malformed, end, "%q", text)
		}
	}
}

func TestStringEndKnowsEscapesAnywhere(t *testing.T) {
	for n := range 24 {
		for _, escape := range []string{`\"`, `\\`, `\u0022`} {
			text := `"` + strings.Repeat("a", n) + escape + strings.Repeat("a", 24-n) + `"`
			end, escaped := stringEnd(text+`  `, 0)
			assert.Equal(t, len(text), end, "%q", text)
			assert.True(t, escaped)
		}
	}
}

func TestNestingHasALimit(t *testing.T) {
	nested := map[string]func(depth int) string{
		"arrays":  func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) },
		"objects": func(depth int) string { return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) },
		"both":    func(depth int) string { return strings.Repeat(`[{"a":`, depth/2) + "1" + strings.Repeat("}]", depth/2) },
	}
	for name, text := range nested {
		assert.Len(t, text(maxDepth), valueEnd(text(maxDepth), 0), name)
		assert.Equal(t, malformed, valueEnd(text(maxDepth+2), 0), name)
	}
	wrong := []byte(nested["both"](maxDepth))
	wrong[len(wrong)-maxDepth/2] ^= '}' ^ ']'
	assert.Equal(t, malformed, valueEnd(string(wrong), 0), "a bracket of the other type deep inside")
}
