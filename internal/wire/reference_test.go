package wire_test

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"

	"github.com/tokentiming/tokentiming/tpot"
)

// reference is Classify written the plain way, over decoded values.
func reference(object map[string]any) (tpot.Event, bool) {
	e, known := referenceShape(object)
	if !known || e.Kind == tpot.KindPing {
		return e, known
	}
	e.Model = cmp.Or(e.Model, text(object["model"]))
	failure, label := referenceError(object["error"])
	if failure {
		e.Kind |= tpot.KindError
		e.Kind &^= tpot.KindRole
		e.ErrorType = cmp.Or(e.ErrorType, label)
	}
	if e.Kind&tpot.KindError != 0 {
		e.ErrorType = cmp.Or(e.ErrorType, "error")
	}
	if e.Kind == 0 {
		e.Kind = tpot.KindStatus
	}
	e.Kind |= tpot.KindMarked
	return e, true
}

func referenceShape(object map[string]any) (tpot.Event, bool) {
	list, hasChoices := object["choices"]
	_, isList := list.([]any)
	name := text(object["object"])
	if name == "error" {
		return tpot.Event{Kind: tpot.KindError, ErrorType: cmp.Or(text(object["type"]), label(object["code"]), "error")}, true
	}
	if isList || hasChoices && list == nil || name == "chat.completion.chunk" || name == "text_completion" {
		return referenceOpenAI(object), true
	}
	if e, known := referenceAnthropic(object); known {
		return e, true
	}
	if e, known := referenceOllama(object); known {
		return e, true
	}
	failure, _ := referenceError(object["error"])
	return tpot.Event{}, failure
}

func referenceOpenAI(object map[string]any) (e tpot.Event) {
	for i, element := range elements(object["choices"]) {
		choice := fields(element)
		delta := fields(choice["delta"])
		index := count(choice["index"])
		if i == 0 || index < e.Choice {
			e.Choice = index
		}
		e.Tokens += len(elements(choice["token_ids"]))
		e.FinishReason = cmp.Or(e.FinishReason, text(choice["finish_reason"]))
		e.Kind |= tpot.KindChoices
		add(&e, tpot.KindFinish, text(choice["finish_reason"]) != "")
		add(&e, tpot.KindError, text(choice["finish_reason"]) == "error")
		add(&e, tpot.KindText, text(choice["text"])+text(delta["content"]) != "")
		for _, part := range elements(delta["content"]) {
			add(&e, tpot.KindText, text(fields(part)["text"]) != "")
			add(&e, tpot.KindReasoning, text(fields(part)["thinking"]) != "")
			for _, thought := range elements(fields(part)["thinking"]) {
				add(&e, tpot.KindReasoning, text(fields(thought)["text"]) != "")
			}
		}
		add(&e, tpot.KindReasoning, text(delta["reasoning"])+text(delta["reasoning_content"]) != "")
		add(&e, tpot.KindRefusal, text(delta["refusal"]) != "")
		audio := fields(delta["audio"])
		add(&e, tpot.KindMedia, text(audio["data"])+text(audio["transcript"]) != "")
		addCalls(&e, delta["tool_calls"])
		addFunction(&e, "", delta["function_call"])
		add(&e, tpot.KindRole, text(delta["role"]) != "")
	}
	if usage, ok := object["usage"].(map[string]any); ok {
		e.Kind |= tpot.KindUsage
		e.Usage = tpot.Usage{
			Input:     count(usage["prompt_tokens"]),
			Output:    count(usage["completion_tokens"]),
			Reasoning: count(fields(usage["completion_tokens_details"])["reasoning_tokens"]),
			Cached:    count(fields(usage["prompt_tokens_details"])["cached_tokens"]),
		}
		e.Usage.Reasoning = max(e.Usage.Reasoning, count(usage["reasoning_tokens"]))
	}
	if e.Kind&(tpot.KindGenerated|tpot.KindToolMeta|tpot.KindFinish|tpot.KindError) != 0 {
		e.Kind &^= tpot.KindRole
	}
	return e
}

func referenceAnthropic(object map[string]any) (e tpot.Event, known bool) {
	delta, message := fields(object["delta"]), fields(object["message"])
	switch text(object["type"]) {
	case "ping":
		e.Kind = tpot.KindPing
	case "message_start":
		e.Kind = tpot.KindStatus
		e.Model = text(message["model"])
		addAnthropicUsage(&e, message["usage"])
		e.Usage.Output, e.Usage.Reasoning = 0, 0
	case "content_block_start", "content_block_stop":
		e.Kind = tpot.KindStatus
	case "content_block_delta":
		add(&e, tpot.KindText, text(delta["text"]) != "")
		add(&e, tpot.KindReasoning, text(delta["thinking"]) != "")
		add(&e, tpot.KindToolCall, text(delta["partial_json"]) != "")
	case "message_delta":
		e.FinishReason = text(delta["stop_reason"])
		add(&e, tpot.KindFinish, e.FinishReason != "")
		addAnthropicUsage(&e, object["usage"])
	case "message_stop":
		e.Kind = tpot.KindDone
	case "error":
		e.Kind = tpot.KindError
	default:
		return e, false
	}
	return e, true
}

func addAnthropicUsage(e *tpot.Event, v any) {
	if usage, ok := v.(map[string]any); ok {
		e.Kind |= tpot.KindUsage
		e.Usage = tpot.Usage{
			Input:     count(usage["input_tokens"]),
			Output:    count(usage["output_tokens"]),
			Reasoning: count(fields(usage["output_tokens_details"])["thinking_tokens"]),
			Cached:    count(usage["cache_read_input_tokens"]),
		}
	}
}

func referenceOllama(object map[string]any) (e tpot.Event, known bool) {
	message, isChat := object["message"].(map[string]any)
	_, isGenerate := object["response"].(string)
	done, isBool := object["done"].(bool)
	if !isBool || !isChat && !isGenerate {
		return e, false
	}
	add(&e, tpot.KindText, text(message["content"])+text(object["response"]) != "")
	add(&e, tpot.KindReasoning, text(message["thinking"])+text(object["thinking"]) != "")
	addCalls(&e, message["tool_calls"])
	addCalls(&e, object["tool_calls"])
	if done {
		e.Kind |= tpot.KindFinish | tpot.KindUsage | tpot.KindDone
		e.FinishReason = text(object["done_reason"])
		e.Usage = tpot.Usage{Input: count(object["prompt_eval_count"]), Output: count(object["eval_count"])}
	}
	return e, true
}

func referenceError(v any) (present bool, name string) {
	if failure, ok := v.(map[string]any); ok {
		return true, cmp.Or(text(failure["type"]), label(failure["code"]))
	}
	return text(v) != "", ""
}

func addCalls(e *tpot.Event, v any) {
	for _, call := range elements(v) {
		addFunction(e, text(fields(call)["id"]), fields(call)["function"])
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

func fields(v any) map[string]any { object, _ := v.(map[string]any); return object }
func elements(v any) []any        { list, _ := v.([]any); return list }
func text(v any) string           { s, _ := v.(string); return s }

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
