package wire_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// themes has the members of an event for each shape.
var themes = [][]string{
	strings.Fields("choices choices choices usage object model error x_groq code type"),
	strings.Fields("type type delta delta response partial_image_b64 b64_json audio usage model error code"),
	strings.Fields("type type delta delta message content_block usage error"),
	strings.Fields("candidates candidates candidates usageMetadata promptFeedback sdkHttpResponse modelVersion error"),
	strings.Fields("message response thinking tool_calls done done done_reason eval_count prompt_eval_count total_duration model error"),
	strings.Fields("text meta_info meta_info index error metrics timings"),
	strings.Fields("token token details error error_type generated_text"),
	strings.Fields("text_output text_output model_name model error other"),
	strings.Fields("content content stop stop stop_type tokens_evaluated tokens_predicted timings index model error"),
	strings.Fields("generation generation generation_token_count prompt_token_count stop_reason model error"),
	strings.Fields("outputText outputText totalOutputTextTokenCount inputTextTokenCount completionReason error"),
	strings.Fields("outputs outputs stop_reason amazon-bedrock-invocationMetrics error"),
	strings.Fields("contentBlockDelta contentBlockDelta contentBlockStart contentBlockStop messageStart messageStop metadata model error"),
	strings.Fields("role role content content tool_calls reasoning_content response_meta response_meta assistant_output_multi_content multi_content index"),
	strings.Fields("Done Done Done Chunk Chunk Response Response error"),
	strings.Fields("index index content content role role aggregated model error"),
	strings.Fields("message message finishReason finishReason latencyMs latencyMs usage usage model error"),
	strings.Fields("type type tool_call_input tool_call_input delta delta usage usage finish_reason provider_metadata error"),
	strings.Fields("Choices Choices Choices model error"),
}

// grammar has the members of each object that the shapes know, by its name. A name that is no key here is that of a
// scalar.
var grammar = map[string][]string{
	"choices": strings.Fields("delta delta delta index text finish_reason token_ids usage error other"),
	"delta": strings.Fields(`content content role reasoning reasoning reasoning_content refusal tool_calls function_call audio images text
		thinking partial_json stop_reason message message message finish_reason usage error reasoningContent toolUse image other`),
	"message":    strings.Fields("content content thinking tool_calls tool_plan usage model role other"),
	"content":    strings.Fields("text text thinking type parts parts parts data reasoning media toolRequest toolRequest toolResponse"),
	"thinking":   strings.Fields("text type"),
	"tool_calls": strings.Fields("id index function function custom"), "custom": {"name", "input"},
	"function": strings.Fields("name arguments"), "function_call": strings.Fields("name arguments"),
	"audio":         strings.Fields("id data transcript"),
	"error":         strings.Fields("type code message other"),
	"content_block": strings.Fields("type text thinking partial_json input"),
	"usage": strings.Fields(`prompt_tokens completion_tokens reasoning_tokens completion_tokens_details prompt_cache_hit_tokens
		prompt_tokens_details input_tokens output_tokens output_tokens_details input_tokens_details cache_read_input_tokens
		tokens tokens cached_tokens inputTokens outputTokens cacheReadInputTokens other thoughtsTokens cachedContentTokens
		totalTokens total_tokens cache_read_tokens prompt_token_details completion_token_details`),
	"completion_tokens_details": {"reasoning_tokens"}, "output_tokens_details": {"thinking_tokens", "reasoning_tokens"},
	"prompt_tokens_details": {"cached_tokens"}, "input_tokens_details": {"cached_tokens"},
	"tokens": {"input_tokens", "output_tokens"}, "token_ids": {"other"}, "arguments": {"other"}, "images": {"other"},
	"x_groq": {"id", "usage", "usage", "error"}, "finish_reason": {"type", "matched"},
	"response":           strings.Fields("model status incomplete_details usage error output"),
	"incomplete_details": {"reason"},
	"candidates":         strings.Fields("content content content index finishReason other"),
	"parts":              strings.Fields("text text thought functionCall executableCode inlineData codeExecutionResult thoughtSignature"),
	"functionCall":       {"name", "args"}, "executableCode": {"language", "code"}, "inlineData": {"mimeType", "data"},
	"usageMetadata":  strings.Fields("promptTokenCount candidatesTokenCount thoughtsTokenCount cachedContentTokenCount other"),
	"promptFeedback": {"blockReason"}, "sdkHttpResponse": {"other"},
	"meta_info": strings.Fields("prompt_tokens completion_tokens reasoning_tokens cached_tokens finish_reason finish_reason e2e_latency"),
	"token":     strings.Fields("id text text special logprob"),
	"details":   strings.Fields("finish_reason generated_tokens input_length other"),
	"outputs":   strings.Fields("text text stop_reason"),
	"metrics":   {"other", "latencyMs"}, "timings": {"other"}, "amazon-bedrock-invocationMetrics": {"other"},
	"contentBlockDelta": {"delta", "delta", "contentBlockIndex"}, "contentBlockStart": {"start"}, "contentBlockStop": {"other"},
	"messageStart": {"role"}, "messageStop": {"stopReason"}, "metadata": {"usage", "usage", "metrics"},
	"assistant_output_multi_content": strings.Fields("type text text image audio video"), "video": {"other"},
	"multi_content": strings.Fields("type text text image_url"), "image_url": {"url"},
	"response_meta": {"finish_reason", "usage", "usage"}, "reasoning": {"content"},
	"prompt_token_details": {"cached_tokens"}, "completion_token_details": {"reasoning_tokens"},
	"Chunk": strings.Fields("content content index index role aggregated"), "Response": {"message", "finishReason", "usage", "usage"},
	"media": {"url", "contentType"}, "toolRequest": {"name", "ref", "input", "input"}, "toolResponse": {"name", "output"},
	"input": {"other"}, "provider_metadata": {"openai"}, "openai": {"type", "data"},
	"Choices": strings.Fields("Content StopReason StopReason GenerationInfo GenerationInfo GenerationInfo"),
	"GenerationInfo": strings.Fields(`PromptTokens CompletionTokens ReasoningTokens PromptCachedTokens InputTokens OutputTokens CacheReadInputTokens
		input_tokens output_tokens CachedTokens usage model other`),
	"reasoningContent": {"text", "signature"}, "toolUse": {"input", "name"}, "image": {"other"}, "other": {"choices", "text"},
}

// words are the strings that mean something, and some that do not.
var words = []any{
	"", "", "a", "error", "stop", "null", "a \"b\"\n", "東🚲", true, false, nil,
	0, 1, -2, 1.5, 1e30, int64(99999999999), json.Number("1e2"), json.Number("-0"), json.Number("12.0"), json.Number("3.5"),
}

// ownWords are those of one member.
var ownWords = map[string][]any{
	"object": {"chat.completion.chunk", "text_completion", "error", "response"},
	"type":   types(),
	"done":   {true, false, false, "true"}, "stop": {true, false, false, "true"},
	"Done": {true, false, false, "true"}, "aggregated": {true, false}, "role": {"assistant", "model", "tool", "user", "", "other"},
	"finishReason": {"stop", "unknown", ""}, "StopReason": {"stop", "FinishReasonUnspecified", ""},
	"special": {true, false}, "thought": {true, false, "true"},
	"finish_reason": {"stop", "error", "COMPLETE", "ERROR", "ERROR_LIMIT", "abort", "null", ""},
}

func types() (names []any) {
	for name := range maps.Keys(responseOutputs) {
		names = append(names, name)
	}
	for name := range strings.FieldsSeq(`response.created response.completed response.incomplete response.failed
		response.cancelled response.output_text.done response. response image_edit. transcript.text.done speech.audio.done speech
		ping message_start message_delta message_stop content_block_start content_block_stop content_block_delta error
		content-delta tool-plan-delta tool-call-delta message-start content-start content-end tool-call-start
		tool-call-end citation-start citation-end message-end message-end content_block_delta debug
		text_start text_delta text_end reasoning_start reasoning_delta reasoning_end tool_input_start tool_input_delta tool_input_end
		tool_call tool_result source warnings finish openai.responses.reasoning_metadata`) {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return names
}

// randomEvent has mostly members of one shape.
func randomEvent(dice *[]byte) map[string]any {
	theme := pick(dice, themes)
	object := make(map[string]any)
	for range 1 + draw(dice, 7) {
		member := pick(dice, theme)
		if draw(dice, 16) == 1 {
			member = pick(dice, pick(dice, themes))
		}
		object[member] = randomValue(dice, member, 1)
	}
	return object
}

func randomObject(dice *[]byte, name string, depth int) map[string]any {
	object := make(map[string]any)
	for range 1 + draw(dice, 5) {
		member := pick(dice, grammar[name])
		object[member] = randomValue(dice, member, depth+1)
	}
	return object
}

// randomValue is a list or an object when there is one of that name, and a word else, or when chance wants it.
func randomValue(dice *[]byte, name string, depth int) any {
	form := draw(dice, 8)
	if grammar[name] == nil || form < 2 || depth > 8 {
		return randomWord(dice, name)
	}
	if form < 5 {
		return randomObject(dice, name, depth)
	}
	list := make([]any, draw(dice, 4))
	for i := range list {
		list[i] = randomObject(dice, name, depth)
		if draw(dice, 8) == 0 {
			list[i] = pick(dice, words)
		}
	}
	return list
}

func randomWord(dice *[]byte, name string) any {
	if own := ownWords[name]; own != nil && draw(dice, 8) != 1 {
		return pick(dice, own)
	}
	return pick(dice, words)
}

func pick[T any](dice *[]byte, from []T) T { return from[draw(dice, len(from))] }

// draw takes one byte of dice and makes a number below n of it; 0 when they are used up.
func draw(dice *[]byte, n int) int {
	if len(*dice) == 0 {
		return 0
	}
	b := (*dice)[0]
	*dice = (*dice)[1:]
	return int(b) % n
}
