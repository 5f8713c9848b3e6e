package llmtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestGapsCountFromTheWriteBefore(t *testing.T) {
	a, b := llmtest.Raw("a"), llmtest.Raw("b")
	script := llmtest.Script{HeaderAt: 100 * ms}.
		After(50*ms, a, b).
		Every(20*ms, a, b).
		Every(5 * ms).
		After(0)
	var at []time.Duration
	var text []string
	for _, w := range script.Writes {
		at = append(at, w.At)
		text = append(text, string(w.Bytes()))
	}
	assert.Equal(t, []time.Duration{150 * ms, 170 * ms, 190 * ms, 190 * ms}, at)
	assert.Equal(t, []string{"ab", "a", "b", ""}, text)
}

func TestAScriptCanBranch(t *testing.T) {
	stem := llmtest.SSE().Every(ms, llmtest.Raw("a"), llmtest.Raw("b"), llmtest.Raw("c"))
	for name, grow := range map[string]func(llmtest.Event) llmtest.Script{
		"after": func(e llmtest.Event) llmtest.Script { return stem.After(ms, e) },
		"every": func(e llmtest.Event) llmtest.Script { return stem.Every(ms, e) },
	} {
		t.Run(name, func(t *testing.T) {
			left, right := grow(llmtest.Raw("left")), grow(llmtest.Raw("right"))
			assert.Len(t, stem.Writes, 3)
			assert.Equal(t, "left", string(left.Writes[3].Bytes()))
			assert.Equal(t, "right", string(right.Writes[3].Bytes()))
		})
	}
}

func TestJSONOfWhatHasNoJSONForm(t *testing.T) {
	assert.Panics(t, func() { llmtest.JSON(500, make(chan int)) })
}
