package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// Events says which events count, by what they carry: those for which one of the conditions holds. Without a condition, none does.
type Events []Match

// The events that tools look at. They are not to be modified.
var (
	Generated        = Events{{Any: tpot.KindGenerated}}                    // output of any channel
	Visible          = Events{{Any: tpot.KindVisible}}                      // output that is more than reasoning
	Text             = Events{{Any: tpot.KindText}}                         // the answer's text
	TextAndReasoning = Events{{Any: tpot.KindText | tpot.KindReasoning}}    // the answer's text, and that of reasoning
	ToolCalls        = Events{{Any: tpot.KindToolCall | tpot.KindToolMeta}} // arguments of tool calls, and their names and ids
	Deltas           = slices.Concat(TextAndReasoning, ToolCalls)           // text, reasoning and tool calls
	Answers          = slices.Concat(Text, ToolCalls)                       // text and tool calls
	WithChoices      = Events{{Any: tpot.KindChoices}}                      // OpenAI-shaped: with a choice, even one without output
	WithoutChoices   = Events{{Without: tpot.KindChoices}}                  // all but WithChoices
	Data             = Events{{Any: ^(tpot.KindDone | tpot.KindPing)}}      // all but the end marker and keep-alives
	Lines            = Events{{Any: ^tpot.KindPing}}                        // all but keep-alives
	EndMarker        = Events{{Any: tpot.KindDone}}                         // the end marker
	KeepAlives       = Events{{Any: tpot.KindPing}}                         // comments and pings
	Errors           = Events{{Any: tpot.KindError}}                        // errors in the stream

	// EmptyChoices are the OpenAI-shaped events with an empty list of choices: the usage at the end, Azure's first event.
	EmptyChoices = Events{{Any: tpot.KindUsage | tpot.KindStatus, Without: tpot.KindChoices | tpot.KindError}}
)

// Match is a condition on what an event carries. The zero Match holds for every event.
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
