package matrix

import (
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

const ms = time.Millisecond

// piece is a part of the answer.
type piece struct {
	at     time.Duration // from the request's arrival
	kind   llmtest.Kind
	text   string
	tokens int
}

// The answer that every server gives, in its own words. Two pieces come in one packet, one comes after a stall.
const (
	headerAt  = 40 * ms
	openingAt = 100 * ms
	closingAt = 1250 * ms

	input = 9 // tokens
)

var pieces = []piece{
	{150 * ms, llmtest.KindReasoning, "Let me", 3},
	{180 * ms, llmtest.KindReasoning, " think.", 2},
	{230 * ms, llmtest.KindText, "The", 1},
	{260 * ms, llmtest.KindText, " sea", 2},
	{260 * ms, llmtest.KindText, " is", 2},
	{300 * ms, llmtest.KindText, " deep", 2},
	{1200 * ms, llmtest.KindText, " and", 1},
	{1230 * ms, llmtest.KindText, " wide.", 4},
}

// usage is the tokens of the first n pieces.
func usage(n int) llmtest.Usage {
	u := llmtest.Usage{Input: input}
	for _, p := range pieces[:n] {
		u.Output += p.tokens
		if p.kind == llmtest.KindReasoning {
			u.Reasoning += p.tokens
		}
	}
	return u
}
