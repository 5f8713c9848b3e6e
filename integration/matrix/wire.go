package matrix

import (
	"net/http"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// Wire is how the server of a provider answers one request. Its events are made in the order in which they are sent.
type Wire struct {
	Begin   func() llmtest.Script  // a response, without a body yet
	Opening func() []llmtest.Event // before the output; nil: nothing
	Turn    func() []llmtest.Event // between reasoning and text; nil: nothing
	// Piece is a piece of the output. So far is the usage with it, for wires that say it all along.
	Piece   func(kind llmtest.Kind, text string, soFar llmtest.Usage) llmtest.Event
	Closing func(llmtest.Usage) []llmtest.Event // after the output, to the end marker
	Error   func() llmtest.Event                // in the place of output
	Refusal llmtest.Script                      // of too many requests

	Request tpot.Request // what can be seen in the URL of a request
	Asks    string       // what a request has in its JSON to be told the usage; empty: nothing
	Comment string       // what is sent to keep the connection alive; empty: nothing

	Unasked          bool // usage has to be asked for, and is not
	InputFirst       bool // the opening tells the tokens of the prompt
	NoReasoningCount bool // usage does not tell the reasoning's tokens
	Running          bool // every piece comes with the usage so far
	Summary          bool // of the reasoning only a summary is streamed

	Format       string             // as the record names it
	Model        string             // that the answer names, if it does
	Server       tpot.ServerTimings // what the closing says of the server
	FinishReason string             // of the answer
	ErrorReason  string             // likewise, of one that ends with Error
	ErrorType    string             // of Error
}

// script is the answer's beginning: the opening, and the pieces up to an offset. Pieces of one moment are one packet.
func (w Wire) script(until time.Duration) llmtest.Script {
	s := w.Begin()
	s.HeaderAt = headerAt
	s.Writes = []llmtest.Write{{At: openingAt, Events: made(w.Opening)}}
	for i, p := range pieces {
		switch latest := &s.Writes[len(s.Writes)-1]; {
		case p.at > until:
			return s
		case p.at == latest.At:
			latest.Events = append(latest.Events, w.events(i)...)
		default:
			s.Writes = append(s.Writes, llmtest.Write{At: p.at, Events: w.events(i)})
		}
	}
	return s
}

// events is what is sent for a piece.
func (w Wire) events(i int) (events []llmtest.Event) {
	p := pieces[i]
	if i > 0 && p.kind != pieces[i-1].kind {
		events = made(w.Turn)
	}
	return append(events, w.Piece(p.kind, p.text, usage(i+1)).WithTokens(p.tokens))
}

func made(events func() []llmtest.Event) []llmtest.Event {
	if events == nil {
		return nil
	}
	return events()
}

// refusal is a status of 429 that asks for two seconds of patience.
func refusal(body any) llmtest.Script {
	s := llmtest.JSON(http.StatusTooManyRequests, body)
	s.Header.Set("Retry-After", "2")
	return s
}

// comment is that of server-sent events.
const comment = ": keep-alive\n\n"
