package ollama

import (
	"time"

	"github.com/ollama/ollama/api"

	"github.com/tokentiming/tokentiming/tpot"
)

// answer is what the caller of an SDK is told of a response, by the SDK's own types.
type answer struct {
	pieces      int // of text, that are not empty
	first, last time.Time
	finish      string
	usage       tpot.Usage
	metrics     api.Metrics // of Ollama's own wires
}

func (a *answer) piece(text string) {
	if text == "" {
		return
	}
	a.last = time.Now()
	if a.pieces == 0 {
		a.first = a.last
	}
	a.pieces++
}

// own is what Ollama's own wires say at their end.
func (a *answer) own(reason string, m api.Metrics) {
	a.finish, a.metrics = reason, m
	a.usage = tpot.Usage{Input: m.PromptEvalCount, Output: m.EvalCount}
}
