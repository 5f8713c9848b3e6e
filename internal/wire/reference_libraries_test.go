package wire_test

import (
	"cmp"
	"encoding/json"

	"github.com/tokentiming/tokentiming/tpot"
)

// referenceEino is a message of eino.
func referenceEino(object map[string]any) (e tpot.Event, known bool) {
	role := text(object["role"])
	switch {
	case !isString(object["role"]) || !isString(object["content"]):
		return e, false
	case role == "assistant" || role == "":
		add(&e, tpot.KindText, text(object["content"]) != "")
		add(&e, tpot.KindReasoning, text(object["reasoning_content"]) != "")
		addCalls(&e, object["tool_calls"])
		for _, list := range []string{"assistant_output_multi_content", "multi_content"} {
			for _, part := range elements(object[list]) {
				part := fields(part)
				add(&e, tpot.KindText, text(part["text"]) != "")
				for _, medium := range []string{"image", "audio", "video", "image_url"} {
					add(&e, tpot.KindMedia, isObject(part[medium]))
				}
			}
		}
	case role != "tool" && role != "user" && role != "system":
		return e, false
	}
	meta := fields(object["response_meta"])
	if reason := text(meta["finish_reason"]); reason != "null" {
		addFinish(&e, reason)
	}
	usage := fields(meta["usage"])
	e.Usage = tpot.Usage{
		Input: count(usage["prompt_tokens"]), Output: count(usage["completion_tokens"]),
		Cached:    count(fields(usage["prompt_token_details"])["cached_tokens"]),
		Reasoning: count(fields(usage["completion_token_details"])["reasoning_tokens"]),
	}
	add(&e, tpot.KindUsage, e.Usage != tpot.Usage{})
	return e, true
}

// referenceGenkitValue is a value of a stream of genkit.
func referenceGenkitValue(object map[string]any) (e tpot.Event, known bool) {
	if !isGenkitValue(object) {
		return e, false
	}
	switch object["Done"] {
	case true:
		return genkitEnd(fields(object["Response"])), true
	case false:
		return genkitChunk(fields(object["Chunk"]))
	}
	return e, false
}

func isGenkitValue(object map[string]any) bool {
	_, chunk := object["Chunk"]
	_, response := object["Response"]
	return chunk && response
}

func referenceGenkitChunk(object map[string]any) (e tpot.Event, known bool) {
	if isGenkitValue(object) {
		return e, false
	}
	return genkitChunk(object)
}

func genkitChunk(object map[string]any) (e tpot.Event, known bool) {
	role := text(object["role"])
	content, hasContent := object["content"]
	list, isList := content.([]any)
	_, numbered := object["index"].(json.Number)
	ofRole := role == "model" || role == "tool"
	if !numbered || !isList && (hasContent || !ofRole) || role != "" && !ofRole {
		return e, false
	}
	for _, part := range list {
		if part := fields(part); role != "tool" {
			addGenkitPart(&e, part)
		}
	}
	return e, true
}

func addGenkitPart(e *tpot.Event, part map[string]any) {
	add(e, tpot.KindText, text(part["text"])+text(part["data"]) != "")
	add(e, tpot.KindReasoning, text(part["reasoning"]) != "")
	add(e, tpot.KindMedia, text(fields(part["media"])["url"]) != "")
	call := fields(part["toolRequest"])
	input := call["input"] != nil && call["input"] != ""
	add(e, tpot.KindToolCall, input)
	add(e, tpot.KindToolMeta, !input && text(call["name"])+text(call["ref"]) != "")
}

func referenceGenkitResponse(object map[string]any) (e tpot.Event, known bool) {
	_, timed := object["latencyMs"].(json.Number)
	if isGenkitValue(object) || text(fields(object["message"])["role"]) != "model" || !timed && text(object["finishReason"]) == "" {
		return e, false
	}
	return genkitEnd(object), true
}

func genkitEnd(response map[string]any) (e tpot.Event) {
	usage := fields(response["usage"])
	e.Usage = beside(count(usage["totalTokens"]), tpot.Usage{
		Input: count(usage["inputTokens"]), Output: count(usage["outputTokens"]),
		Reasoning: count(usage["thoughtsTokens"]), Cached: count(usage["cachedContentTokens"]),
	})
	add(&e, tpot.KindUsage, e.Usage != tpot.Usage{})
	reason := text(response["finishReason"])
	add(&e, tpot.KindDone, reason == "" && e.Usage == tpot.Usage{})
	if reason != "unknown" {
		e.FinishReason = reason
	}
	add(&e, tpot.KindFinish, e.FinishReason != "")
	return e
}

// beside counts reasoning as output where the total says that it is not yet.
func beside(total int, u tpot.Usage) tpot.Usage {
	whole := total == u.Input+u.Output || total == u.Input+u.Output+u.Cached
	if !whole && total >= u.Input+u.Output+u.Reasoning {
		u.Output += u.Reasoning
	}
	return u
}

func referenceFantasy(object map[string]any) (e tpot.Event, known bool) {
	delta, input := text(object["delta"]) != "", text(object["tool_call_input"]) != ""
	if !isString(object["tool_call_input"]) {
		return e, false
	}
	switch text(object["type"]) {
	case "text_delta":
		add(&e, tpot.KindText, delta)
	case "reasoning_start", "reasoning_delta":
		openAI := fields(fields(object["provider_metadata"])["openai"])
		summary := text(openAI["type"]) == "openai.responses.reasoning_metadata"
		parts := elements(fields(openAI["data"])["summary"])
		between := summary && len(parts) > 0 && parts[len(parts)-1] == "" && object["delta"] == "\n"
		add(&e, tpot.KindReasoning, delta && !between)
		add(&e, tpot.KindSummary, delta && !between && summary)
	case "tool_input_start":
		e.Kind = tpot.KindToolMeta
	case "tool_input_delta":
		add(&e, tpot.KindToolCall, delta || input)
	case "tool_call":
		add(&e, tpot.KindToolCall, input)
		e.Kind = cmp.Or(e.Kind, tpot.KindToolMeta)
	case "finish":
		usage := fields(object["usage"])
		total, told := count(usage["total_tokens"]), tpot.Usage{
			Input: count(usage["input_tokens"]), Output: count(usage["output_tokens"]),
			Reasoning: count(usage["reasoning_tokens"]), Cached: count(usage["cache_read_tokens"]),
		}
		e.Usage = beside(total, told)
		if sum := told.Input + told.Output; total > 0 && total != sum && total != sum+told.Cached && total < sum+told.Reasoning {
			e.Usage = tpot.Usage{Input: told.Input}
		}
		e.Kind, e.FinishReason = tpot.KindFinish|tpot.KindDone, text(object["finish_reason"])
		add(&e, tpot.KindUsage, e.Usage != tpot.Usage{})
	case "text_start", "text_end", "reasoning_end", "tool_input_end", "tool_result", "source", "warnings":
	default:
		return e, false
	}
	return e, true
}

// answer is the first choice of langchaingo's response that is one.
func answer(object map[string]any) map[string]any {
	for _, element := range elements(object["Choices"]) {
		if _, known := fields(element)["GenerationInfo"]; known {
			return fields(element)
		}
	}
	return nil
}

func uninformed(object map[string]any) bool { return !isObject(answer(object)["GenerationInfo"]) }

func referenceLangchain(object map[string]any) (e tpot.Event, known bool) {
	choice := answer(object)
	info := fields(choice["GenerationInfo"])
	largest := func(names ...string) (n int) {
		for _, name := range names {
			n = max(n, count(info[name]))
		}
		return n
	}
	var own tpot.Event
	addOpenAIUsage(&own, info["usage"])
	e.Usage = tpot.Usage{
		Input:     max(own.Usage.Input, largest("PromptTokens", "InputTokens", "input_tokens")),
		Output:    max(own.Usage.Output, largest("CompletionTokens", "OutputTokens", "output_tokens")),
		Reasoning: max(own.Usage.Reasoning, largest("ReasoningTokens")),
		Cached:    max(own.Usage.Cached, largest("PromptCachedTokens", "CacheReadInputTokens", "CachedTokens")),
	}
	add(&e, tpot.KindUsage, e.Usage != tpot.Usage{})
	reason := text(choice["StopReason"])
	if reason != "FinishReasonUnspecified" {
		addFinish(&e, reason)
	}
	_, ofOpenAI := info["ReasoningTokens"]
	add(&e, tpot.KindDone, reason == "" && !ofOpenAI && count(info["CompletionTokens"]) > 0)
	e.Model = text(info["model"])
	return e, choice != nil
}
