package wire_test

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

func referenceOllama(object map[string]any) (e tpot.Event, known bool) {
	message := fields(object["message"])
	done, isBool := object["done"].(bool)
	if !isBool || !isObject(object["message"]) && !isString(object["response"]) {
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

func referenceSGLang(object map[string]any) (e tpot.Event, known bool) {
	meta := fields(object["meta_info"])
	if !isObject(object["meta_info"]) {
		return e, false
	}
	e.Choice = count(object["index"])
	add(&e, tpot.KindText, text(object["text"]) != "")
	addFinish(&e, text(fields(meta["finish_reason"])["type"]))
	if e.FinishReason == "abort" {
		e.Kind |= tpot.KindError
		addFailure(&e, object["error"])
		e.ErrorType = cmp.Or(e.ErrorType, "abort")
	}
	add(&e, tpot.KindStatus, e.Kind == 0)
	e.Kind |= tpot.KindUsage
	e.Usage = tpot.Usage{
		Input: count(meta["prompt_tokens"]), Output: count(meta["completion_tokens"]),
		Reasoning: count(meta["reasoning_tokens"]), Cached: count(meta["cached_tokens"]),
	}
	return e, true
}

func referenceTGIError(object map[string]any) (e tpot.Event, known bool) {
	e.ErrorType = text(object["error_type"])
	addFailure(&e, object["error"])
	return e, text(object["error_type"]) != "" && e.Kind&tpot.KindError != 0
}

func referenceTGI(object map[string]any) (e tpot.Event, known bool) {
	token, details := fields(object["token"]), fields(object["details"])
	if !isObject(object["token"]) {
		return e, false
	}
	e.Tokens = 1
	add(&e, tpot.KindText, text(token["text"]) != "" && token["special"] != true)
	addFinish(&e, text(details["finish_reason"]))
	addUsage(&e, object["details"], func(details map[string]any) tpot.Usage {
		return tpot.Usage{Input: count(details["input_length"]), Output: count(details["generated_tokens"])}
	})
	return e, true
}

func referenceTriton(object map[string]any) (e tpot.Event, known bool) {
	add(&e, tpot.KindText, text(object["text_output"]) != "")
	e.Model = text(object["model_name"])
	return e, isString(object["text_output"])
}

func referenceLlama(object map[string]any) (e tpot.Event, known bool) {
	stop, isBool := object["stop"].(bool)
	e.Choice = count(object["index"])
	add(&e, tpot.KindText, text(object["content"]) != "")
	if stop {
		e.Kind |= tpot.KindFinish | tpot.KindUsage | tpot.KindDone
		e.FinishReason = text(object["stop_type"])
		e.Usage = tpot.Usage{Input: count(object["tokens_evaluated"]), Output: count(object["tokens_predicted"])}
	}
	return e, isBool && isString(object["content"])
}

// referenceBedrock is Llama, Titan and Mistral.
func referenceBedrock(object map[string]any) (e tpot.Event, known bool) {
	outputs, isList := object["outputs"].([]any)
	switch {
	case isString(object["generation"]):
		add(&e, tpot.KindText, text(object["generation"]) != "")
		addFinish(&e, text(object["stop_reason"]))
		e.Usage = tpot.Usage{Input: count(object["prompt_token_count"]), Output: count(object["generation_token_count"])}
	case isString(object["outputText"]):
		add(&e, tpot.KindText, text(object["outputText"]) != "")
		addFinish(&e, text(object["completionReason"]))
		e.Usage = tpot.Usage{Input: count(object["inputTextTokenCount"]), Output: count(object["totalOutputTextTokenCount"])}
	case isList:
		for _, output := range outputs {
			add(&e, tpot.KindText, text(fields(output)["text"]) != "")
			addFinish(&e, text(fields(output)["stop_reason"]))
		}
	default:
		return e, false
	}
	add(&e, tpot.KindStatus, e.Kind == 0)
	add(&e, tpot.KindUsage, e.Usage != tpot.Usage{})
	return e, true
}

// converseEvents are the events of Bedrock's ConverseStream, which are members of Nova's own. In an object with several of
// them it is the last that counts.
var converseEvents = []string{
	"contentBlockDelta", "contentBlockStart", "contentBlockStop", "messageStart", "messageStop", "metadata",
}

func referenceNova(object map[string]any) (e tpot.Event, known bool) {
	name := ""
	for _, event := range converseEvents {
		if _, there := object[event]; there {
			name = event
		}
	}
	payload, known := object[name].(map[string]any)
	delta := fields(payload["delta"])
	switch name {
	case "contentBlockDelta":
		add(&e, tpot.KindText, text(delta["text"]) != "")
		add(&e, tpot.KindReasoning, text(fields(delta["reasoningContent"])["text"]) != "")
		add(&e, tpot.KindToolCall, text(fields(delta["toolUse"])["input"]) != "")
		add(&e, tpot.KindMedia, isObject(delta["image"]))
	case "messageStop":
		e.Kind, e.FinishReason = tpot.KindFinish, label(payload["stopReason"])
	case "metadata":
		known = known && isObject(payload["usage"])
		addUsage(&e, payload["usage"], converseCounts)
	}
	e.Kind = cmp.Or(e.Kind, tpot.KindStatus)
	return e, known && name != ""
}

func converseCounts(usage map[string]any) tpot.Usage {
	return tpot.Usage{
		Input: count(usage["inputTokens"]), Output: count(usage["outputTokens"]), Cached: count(usage["cacheReadInputTokens"]),
	}
}
