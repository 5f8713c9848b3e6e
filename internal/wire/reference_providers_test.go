package wire_test

import (
	"cmp"
	"strings"

	"github.com/tokentiming/tokentiming/tpot"
)

// responseOutputs is what the delta of each event of OpenAI's Responses adds.
var responseOutputs = map[string]tpot.Kind{
	"response.output_text.delta":                     tpot.KindText,
	"response.refusal.delta":                         tpot.KindRefusal,
	"response.reasoning_text.delta":                  tpot.KindReasoning,
	"response.reasoning_summary_text.delta":          tpot.KindReasoning | tpot.KindSummary,
	"response.function_call_arguments.delta":         tpot.KindToolCall,
	"response.custom_tool_call_input.delta":          tpot.KindToolCall,
	"response.mcp_call_arguments.delta":              tpot.KindToolCall,
	"response.code_interpreter_call_code.delta":      tpot.KindToolCall,
	"response.shell_call_command.delta":              tpot.KindToolCall,
	"response.apply_patch_call_operation_diff.delta": tpot.KindToolCall,
	"response.audio.delta":                           tpot.KindMedia,
	"response.audio.transcript.delta":                tpot.KindMedia,
	"response.image_generation_call.partial_image":   tpot.KindMedia,
	"transcript.text.delta":                          tpot.KindText,
	"speech.audio.delta":                             tpot.KindMedia,
	"image_generation.partial_image":                 tpot.KindMedia,
	"image_edit.partial_image":                       tpot.KindMedia,
	"image_generation.completed":                     tpot.KindMedia,
	"image_edit.completed":                           tpot.KindMedia,
}

func referenceResponses(object map[string]any) (e tpot.Event, known bool) {
	name, response := text(object["type"]), fields(object["response"])
	if !strings.HasPrefix(name, "response.") {
		return e, false
	}
	e.Model = text(response["model"])
	payload := object["delta"]
	switch name {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		e.Kind = tpot.KindFinish | tpot.KindDone
		e.FinishReason = cmp.Or(text(fields(response["incomplete_details"])["reason"]), text(response["status"]))
		add(&e, tpot.KindError, name == "response.failed")
		addFailure(&e, response["error"])
		addUsage(&e, response["usage"], responsesCounts)
	case "response.image_generation_call.partial_image":
		payload = object["partial_image_b64"]
	}
	add(&e, responseOutputs[name], text(payload) != "")
	return e, true
}

// referenceMedia is OpenAI's streams of images, speech and transcripts.
func referenceMedia(object map[string]any) (e tpot.Event, known bool) {
	name := text(object["type"])
	family, _, dotted := strings.Cut(name, ".")
	payload := map[string]any{
		"transcript": object["delta"], "speech": object["audio"],
		"image_generation": object["b64_json"], "image_edit": object["b64_json"],
	}
	if _, known = payload[family]; !known || !dotted {
		return e, false
	}
	switch name {
	case "image_generation.completed", "image_edit.completed", "transcript.text.done", "speech.audio.done":
		e.Kind = tpot.KindDone
		addUsage(&e, object["usage"], responsesCounts)
	}
	add(&e, responseOutputs[name], text(payload[family]) != "")
	return e, true
}

func responsesCounts(usage map[string]any) tpot.Usage {
	return tpot.Usage{
		Input:     count(usage["input_tokens"]),
		Output:    count(usage["output_tokens"]),
		Reasoning: count(fields(usage["output_tokens_details"])["reasoning_tokens"]),
		Cached:    count(fields(usage["input_tokens_details"])["cached_tokens"]),
	}
}

func referenceAnthropic(object map[string]any) (e tpot.Event, known bool) {
	delta, message := fields(object["delta"]), fields(object["message"])
	switch text(object["type"]) {
	case "ping":
		e.Kind = tpot.KindPing
	case "message_start":
		e.Kind = tpot.KindStatus
		e.Model = text(message["model"])
		addUsage(&e, message["usage"], anthropicCounts)
		e.Usage.Output, e.Usage.Reasoning = 0, 0
	case "content_block_start":
		addBlock(&e, fields(object["content_block"]))
	case "content_block_delta":
		addBlock(&e, delta)
	case "content_block_stop":
		e.Kind = tpot.KindStatus
	case "message_delta":
		addFinish(&e, text(delta["stop_reason"]))
		addUsage(&e, object["usage"], anthropicCounts)
	case "message_stop":
		e.Kind = tpot.KindDone
	default:
		return e, false
	}
	return e, true
}

func addBlock(e *tpot.Event, block map[string]any) {
	add(e, tpot.KindText, text(block["text"]) != "")
	add(e, tpot.KindReasoning, text(block["thinking"]) != "")
	add(e, tpot.KindToolCall, text(block["partial_json"]) != "")
}

func anthropicCounts(usage map[string]any) tpot.Usage {
	return tpot.Usage{
		Input:     count(usage["input_tokens"]),
		Output:    count(usage["output_tokens"]),
		Reasoning: count(fields(usage["output_tokens_details"])["thinking_tokens"]),
		Cached:    count(usage["cache_read_input_tokens"]),
	}
}

func referenceCohere(object map[string]any) (e tpot.Event, known bool) {
	delta := fields(object["delta"])
	switch text(object["type"]) {
	case "content-delta", "tool-plan-delta", "tool-call-delta":
		message := fields(delta["message"])
		content := fields(message["content"])
		add(&e, tpot.KindText, text(content["text"]) != "")
		add(&e, tpot.KindReasoning, text(content["thinking"])+text(message["tool_plan"]) != "")
		addFunction(&e, "", fields(message["tool_calls"])["function"])
	case "message-start", "content-start", "content-end", "tool-call-start", "tool-call-end", "citation-start", "citation-end", "debug":
		e.Kind = tpot.KindStatus
	case "message-end":
		e.Kind = tpot.KindDone
		addFinish(&e, text(delta["finish_reason"]))
		add(&e, tpot.KindError, strings.HasPrefix(e.FinishReason, "ERROR"))
		addFailure(&e, delta["error"])
		addUsage(&e, delta["usage"], func(usage map[string]any) tpot.Usage {
			tokens := fields(usage["tokens"])
			return tpot.Usage{
				Input: count(tokens["input_tokens"]), Output: count(tokens["output_tokens"]), Cached: count(usage["cached_tokens"]),
			}
		})
	default:
		return e, false
	}
	return e, true
}

func referenceGemini(object map[string]any) (e tpot.Event, known bool) {
	list, isList := object["candidates"].([]any)
	if !isList && !isObject(object["usageMetadata"]) && !isObject(object["promptFeedback"]) && !isObject(object["sdkHttpResponse"]) {
		return e, false
	}
	for i, element := range list {
		candidate := fields(element)
		index := count(candidate["index"])
		if i == 0 || index < e.Choice {
			e.Choice = index
		}
		one := tpot.Event{}
		for _, part := range elements(fields(candidate["content"])["parts"]) {
			addGeminiPart(&one, fields(part))
		}
		addFinish(&one, text(candidate["finishReason"]))
		add(&e, cmp.Or(one.Kind, tpot.KindStatus), true)
		e.FinishReason = cmp.Or(e.FinishReason, one.FinishReason)
	}
	addFinish(&e, text(fields(object["promptFeedback"])["blockReason"]))
	addUsage(&e, object["usageMetadata"], func(usage map[string]any) tpot.Usage {
		thoughts := count(usage["thoughtsTokenCount"])
		return tpot.Usage{
			Input: count(usage["promptTokenCount"]), Output: count(usage["candidatesTokenCount"]) + thoughts,
			Reasoning: thoughts, Cached: count(usage["cachedContentTokenCount"]),
		}
	})
	e.Model = text(object["modelVersion"])
	return e, true
}

func addGeminiPart(e *tpot.Event, part map[string]any) {
	thought := part["thought"] == true
	there := text(part["text"]) != ""
	add(e, tpot.KindText, there && !thought)
	add(e, tpot.KindReasoning|tpot.KindSummary, there && thought)
	add(e, tpot.KindToolCall, isObject(part["functionCall"]) || isObject(part["executableCode"]))
	add(e, tpot.KindMedia, text(fields(part["inlineData"])["data"]) != "")
}
