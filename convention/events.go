package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Events says which events count, by what they carry: those that one of its conditions holds of. An empty Events are none.
type Events []Match

// Events that tools look at.
var (
	Generated        = Events{{Any: tpot.KindGenerated}}                    // output of any channel
	Visible          = Events{{Any: tpot.KindVisible}}                      // output that is more than reasoning
	Text             = Events{{Any: tpot.KindText}}                         // the answer's text
	TextAndReasoning = Events{{Any: tpot.KindText | tpot.KindReasoning}}    // and that of reasoning
	Deltas           = slices.Concat(TextAndReasoning, ToolCalls)           // and tool calls
	Answers          = slices.Concat(Text, ToolCalls)                       // text and tool calls
	ToolCalls        = Events{{Any: tpot.KindToolCall | tpot.KindToolMeta}} // arguments of tools, their names and ids
	WithChoices      = Events{{Any: tpot.KindChoices}}                      // OpenAI-shaped: with a choice, be it empty
	WithoutChoices   = Events{{Without: tpot.KindChoices}}                  // all others
	Data             = Events{{Any: ^(tpot.KindDone | tpot.KindPing)}}      // all but the end marker and keep-alives
	Lines            = Events{{Any: ^tpot.KindPing}}                        // all but keep-alives
	EndMarker        = Events{{Any: tpot.KindDone}}                         // the end marker
	KeepAlives       = Events{{Any: tpot.KindPing}}                         // comments and pings
	Errors           = Events{{Any: tpot.KindError}}                        // errors in the stream

	// EmptyChoices are the OpenAI-shaped events whose list of choices is empty: usage at the end, Azure's first.
	EmptyChoices = Events{{Any: tpot.KindUsage | tpot.KindStatus, Without: tpot.KindChoices | tpot.KindError}}
)

// Match is a condition on what an event carries. The zero Match holds of every event.
type Match struct {
	Any     tpot.Kind // one of these; none given: any
	With    tpot.Kind // and all of these
	Without tpot.Kind // and none of these
}

func (es Events) match(k tpot.Kind) bool {
	return slices.ContainsFunc(es, func(m Match) bool {
		return (m.Any == 0 || k&m.Any != 0) && k&m.With == m.With && k&m.Without == 0
	})
}
