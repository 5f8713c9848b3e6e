package convention

import (
	"strings"

	"github.com/tokentiming/tokentiming/tpot"
)

// list is "a", "a and b", "a, b and c".
func list(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// lastName is what a person would call the last of these events.
func lastName(c course) string {
	last := c[len(c)-1]
	if last.Event.Kind&tpot.KindGenerated != 0 {
		return "last " + nameOf(last)
	}
	return nameOf(last)
}

// named are the names of what events carry. An event goes by the first that it has.
var named = []struct {
	kind tpot.Kind
	name string
}{
	{tpot.KindError, "error"}, {tpot.KindText, "text"}, {tpot.KindReasoning, "reasoning"}, {tpot.KindToolCall, "tool call"},
	{tpot.KindRefusal, "refusal"}, {tpot.KindMedia, "media"}, {tpot.KindToolMeta, "name of the tool call"},
	{tpot.KindFinish, "finish reason"}, {tpot.KindRole, "role-only event"}, {tpot.KindUsage, "usage event"},
	{tpot.KindDone, "end marker"}, {tpot.KindPing, "keep-alive"},
}

func nameOf(e *tpot.TraceEvent) string {
	for _, known := range named {
		if e.Event.Kind&known.kind != 0 {
			return known.name
		}
	}
	return "empty event"
}
