package wire

import (
	"encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRawCount(t *testing.T) {
	for literal, want := range map[raw]int{
		"0": 0, "7": 7, "2147483646": 2147483646, "-3": -3, "-0": 0,
		"2147483647": math.MaxInt32, "2147483648": math.MaxInt32, "123456789012345678901234567890": math.MaxInt32,
		"-99999999999": -math.MaxInt32,
		"":             0, "null": 0, "true": 0, `"5"`: 0, "[5]": 0, "{}": 0, "1.5": 0, "12.0": 0, "1e3": 0,
	} {
		assert.Equal(t, want, literal.count(), string(literal))
	}
}

func TestRawLabel(t *testing.T) {
	for literal, want := range map[raw]string{
		`"busy"`: "busy", `"a\/b"`: "a/b", "429": "429", "-1.5e3": "-1.5e3",
		`""`: "", "": "", "null": "", "true": "", "{}": "", "[1]": "",
	} {
		assert.Equal(t, want, literal.label(), string(literal))
	}
}

func TestStringsSayWhatEncodingJSONSays(t *testing.T) {
	for _, sample := range sampleValues {
		var want any
		if json.Unmarshal([]byte(sample), &want) != nil {
			continue
		}
		text, isString := want.(string)
		assert.Equal(t, text != "", raw(sample).filled(), sample)
		if isString && utf8.ValidString(sample) {
			require.Equal(t, text, newCursor(sample).string())
		}
	}
}
