package wire_test

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"

	"github.com/tokentiming/tokentiming/tpot"
)

// shapes are the shapes of events in the order in which they are asked, each written the plain way, over decoded values.
var shapes = []struct {
	read     func(object map[string]any) (e tpot.Event, known bool)
	unmarked func(object map[string]any) bool // that event promises neither a finish reason nor an end marker
}{
	{read: referenceErrorObject}, {read: referenceOpenAI}, {read: referenceResponses}, {read: referenceMedia},
	{read: referenceAnthropic}, {read: referenceCohere}, {read: referenceGemini}, {read: referenceOllama},
	{read: referenceSGLang}, {read: referenceTGIError}, {read: referenceTGI}, {read: referenceTriton, unmarked: always},
	{read: referenceLlama}, {read: referenceBedrock}, {read: referenceNova},
	{read: referenceEino, unmarked: without("response_meta")}, {read: referenceGenkitValue}, {read: referenceGenkitChunk, unmarked: always},
	{read: referenceGenkitResponse}, {read: referenceFantasy}, {read: referenceLangchain, unmarked: uninformed},
	{read: referenceFailure},
}

func always(map[string]any) bool { return true }

// without is whether an event has no object of this name.
func without(name string) func(map[string]any) bool {
	return func(object map[string]any) bool { return !isObject(object[name]) }
}

// reference is Classify over decoded values.
func reference(object map[string]any) (e tpot.Event, known bool) {
	for _, shape := range shapes {
		if e, known = shape.read(object); known {
			if e.Kind != tpot.KindPing {
				complete(&e, object)
				add(&e, tpot.KindMarked, shape.unmarked == nil || !shape.unmarked(object))
			}
			return e, true
		}
	}
	return tpot.Event{}, false
}

// complete adds what holds in every shape. What the shape knows of an error comes first.
func complete(e *tpot.Event, object map[string]any) {
	addFailure(e, object["error"])
	if e.Kind&(tpot.KindGenerated|tpot.KindToolMeta|tpot.KindFinish|tpot.KindError) != 0 {
		e.Kind &^= tpot.KindRole
	}
	if e.Kind&tpot.KindError != 0 {
		e.ErrorType = cmp.Or(e.ErrorType, "error")
	}
	add(e, tpot.KindStatus, e.Kind == 0)
	e.Model = cmp.Or(e.Model, text(object["model"]))
}

func referenceErrorObject(object map[string]any) (e tpot.Event, known bool) {
	e.Kind = tpot.KindError
	if text(object["object"]) == "error" {
		e.ErrorType = cmp.Or(text(object["type"]), label(object["code"]))
		return e, true
	}
	addFailure(&e, object["error"])
	e.ErrorType = cmp.Or(e.ErrorType, label(object["code"]))
	return e, text(object["type"]) == "error"
}

func referenceFailure(object map[string]any) (e tpot.Event, known bool) {
	addFailure(&e, object["error"])
	return e, e.Kind != 0
}

func referenceOpenAI(object map[string]any) (e tpot.Event, known bool) {
	list, hasChoices := object["choices"]
	_, isList := list.([]any)
	name := text(object["object"])
	if !isList && (!hasChoices || list != nil) && name != "chat.completion.chunk" && name != "text_completion" {
		return e, false
	}
	usages := []any{fields(object["x_groq"])["usage"]}
	for i, element := range elements(list) {
		choice := fields(element)
		index := count(choice["index"])
		if i == 0 || index < e.Choice {
			e.Choice = index
		}
		e.Tokens += len(elements(choice["token_ids"]))
		e.Kind |= tpot.KindChoices
		addFinish(&e, text(choice["finish_reason"]))
		add(&e, tpot.KindError, text(choice["finish_reason"]) == "error")
		addFailure(&e, choice["error"])
		add(&e, tpot.KindText, text(choice["text"]) != "")
		addDelta(&e, fields(choice["delta"]))
		usages = append(usages, choice["usage"])
	}
	addFailure(&e, fields(object["x_groq"])["error"])
	for _, v := range append(usages, object["usage"]) { // the event's own counts most
		addOpenAIUsage(&e, v)
	}
	return e, true
}

func addDelta(e *tpot.Event, delta map[string]any) {
	add(e, tpot.KindText, text(delta["content"]) != "")
	for _, part := range elements(delta["content"]) {
		add(e, tpot.KindText, text(fields(part)["text"]) != "")
		add(e, tpot.KindReasoning, text(fields(part)["thinking"]) != "")
		for _, thought := range elements(fields(part)["thinking"]) {
			add(e, tpot.KindReasoning, text(fields(thought)["text"]) != "")
		}
	}
	add(e, tpot.KindReasoning, text(delta["reasoning"])+text(fields(delta["reasoning"])["content"])+text(delta["reasoning_content"]) != "")
	add(e, tpot.KindRefusal, text(delta["refusal"]) != "")
	audio := fields(delta["audio"])
	add(e, tpot.KindMedia, text(audio["data"])+text(audio["transcript"]) != "" || len(elements(delta["images"])) > 0)
	addCalls(e, delta["tool_calls"])
	addFunction(e, "", delta["function_call"])
	add(e, tpot.KindRole, text(delta["role"]) != "")
}

func addOpenAIUsage(e *tpot.Event, v any) {
	addUsage(e, v, func(usage map[string]any) tpot.Usage {
		return tpot.Usage{
			Input:  count(usage["prompt_tokens"]),
			Output: count(usage["completion_tokens"]),
			Reasoning: max(count(usage["reasoning_tokens"]),
				count(fields(usage["completion_tokens_details"])["reasoning_tokens"])),
			Cached: max(count(usage["prompt_cache_hit_tokens"]),
				count(fields(usage["prompt_tokens_details"])["cached_tokens"])),
		}
	})
}

func addCalls(e *tpot.Event, v any) {
	for _, call := range elements(v) {
		custom := fields(fields(call)["custom"])
		add(e, tpot.KindToolCall, text(custom["input"]) != "")
		add(e, tpot.KindToolMeta, text(custom["input"]) == "" && text(custom["name"]) != "")
		id := text(fields(call)["id"])
		if text(custom["input"])+text(custom["name"]) != "" {
			id = "" // which says nothing more
		}
		addFunction(e, id, fields(call)["function"])
	}
}

func addFunction(e *tpot.Event, id string, v any) {
	function := fields(v)
	_, isObject := function["arguments"].(map[string]any)
	arguments := isObject || text(function["arguments"]) != ""
	add(e, tpot.KindToolCall, arguments)
	add(e, tpot.KindToolMeta, !arguments && id+text(function["name"]) != "")
}

func add(e *tpot.Event, kind tpot.Kind, there bool) {
	if there {
		e.Kind |= kind
	}
}

// addFinish adds a finish reason. The first one counts.
func addFinish(e *tpot.Event, reason string) {
	add(e, tpot.KindFinish, reason != "")
	e.FinishReason = cmp.Or(e.FinishReason, reason)
}

// addFailure adds an error. The first name of one counts.
func addFailure(e *tpot.Event, v any) {
	failure, isObject := v.(map[string]any)
	add(e, tpot.KindError, isObject || text(v) != "")
	e.ErrorType = cmp.Or(e.ErrorType, text(failure["type"]), label(failure["code"]))
}

// addUsage adds what is read of a usage that is an object. The last one counts.
func addUsage(e *tpot.Event, v any, read func(map[string]any) tpot.Usage) {
	if usage, isObject := v.(map[string]any); isObject {
		e.Kind |= tpot.KindUsage
		e.Usage = read(usage)
	}
}

func fields(v any) map[string]any { object, _ := v.(map[string]any); return object }
func elements(v any) []any        { list, _ := v.([]any); return list }
func text(v any) string           { s, _ := v.(string); return s }

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }
func isString(v any) bool { _, ok := v.(string); return ok }

func label(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return text(v)
}

// count is exact for what can be a count.
func count(v any) int {
	n, _ := v.(json.Number)
	i, ok := new(big.Int).SetString(n.String(), 10)
	if !ok {
		return 0
	}
	limit := big.NewInt(math.MaxInt32)
	if i.CmpAbs(limit) > 0 {
		return i.Sign() * math.MaxInt32
	}
	return int(i.Int64())
}
