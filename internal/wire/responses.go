package wire

import (
	"cmp"
	"strings"

	"github.com/tokentiming/tokentiming/tpot"
)

// responses is the shape of OpenAI's Responses, and of its streams of images, speech and transcripts, which are made
// alike: every event has a type, output is in the ones that end in "delta" or carry a partial image, and what ends in
// "done" repeats it.
func (env *envelope) responses(e *tpot.Event) bool {
	family, _, dotted := strings.Cut(env.name, ".")
	if !dotted {
		return false
	}
	switch family {
	case "response":
		env.responseEvent(e)
	case "image_generation", "image_edit", "speech", "transcript":
		env.mediaEvent(e)
	default:
		return false
	}
	return true
}

// responseEvent describes an event of a response.
func (env *envelope) responseEvent(e *tpot.Event) {
	switch env.name {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		env.endResponse(e)
	case "response.image_generation_call.partial_image":
		env.describe(e, when(env.partialImage.filled(), tpot.KindMedia))
	default:
		env.model = cmp.Or(readResponse(env.response).model, env.model)
		env.describe(e, when(env.delta.filled(), responseOutput(env.name)))
	}
}

// responseOutput is what the delta of an event called name adds. A delta of a name that is not known is none: a time to
// first token that is wrong is worse than none.
func responseOutput(name string) tpot.Kind {
	switch name {
	case "response.output_text.delta":
		return tpot.KindText
	case "response.refusal.delta":
		return tpot.KindRefusal
	case "response.reasoning_text.delta":
		return tpot.KindReasoning
	case "response.reasoning_summary_text.delta":
		return tpot.KindReasoning | tpot.KindSummary
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta",
		"response.code_interpreter_call_code.delta", "response.shell_call_command.delta",
		"response.apply_patch_call_operation_diff.delta":
		return tpot.KindToolCall
	case "response.audio.delta", "response.audio.transcript.delta":
		return tpot.KindMedia
	}
	return 0
}

// endResponse describes the last event of a response.
func (env *envelope) endResponse(e *tpot.Event) {
	r := readResponse(env.response)
	env.failure = r.failure.or(env.failure)
	env.failure.present = env.failure.present || env.name == "response.failed"
	env.model = cmp.Or(r.model, env.model)
	kind := tpot.KindFinish | tpot.KindDone
	if r.usage.isObject() {
		kind |= tpot.KindUsage
		e.Usage = responsesUsage(r.usage)
	}
	env.describe(e, kind)
	e.FinishReason = cmp.Or(r.reason, r.status)
}

// response is what timing wants of the object that the first and last events hold.
type response struct {
	model, status, reason string
	usage                 raw
	failure               failure
}

func readResponse(object raw) (r response) {
	c := object.cursor()
	for key := range c.members {
		switch key {
		case "model":
			r.model = c.string()
		case "status":
			r.status = c.string()
		case "incomplete_details":
			r.reason = c.raw().member("reason").string()
		case "usage":
			r.usage = c.raw()
		case "error":
			r.failure = readFailure(c)
		}
	}
	return r
}

// mediaEvent describes an event of a stream of images, speech or a transcript.
func (env *envelope) mediaEvent(e *tpot.Event) {
	var kind tpot.Kind
	switch env.name {
	case "transcript.text.delta":
		kind = when(env.delta.filled(), tpot.KindText)
	case "speech.audio.delta":
		kind = when(env.audio.filled(), tpot.KindMedia)
	case "image_generation.partial_image", "image_edit.partial_image":
		kind = when(env.image.filled(), tpot.KindMedia)
	case "image_generation.completed", "image_edit.completed": // with the whole image, which nothing repeats
		kind = tpot.KindDone | when(env.image.filled(), tpot.KindMedia)
	case "transcript.text.done", "speech.audio.done":
		kind = tpot.KindDone
	}
	if kind&tpot.KindDone != 0 && env.usage.isObject() {
		kind |= tpot.KindUsage
		e.Usage = responsesUsage(env.usage)
	}
	env.describe(e, kind)
}

func responsesUsage(usage raw) (u tpot.Usage) {
	c := usage.cursor()
	for key := range c.members {
		switch key {
		case "input_tokens":
			u.Input = c.count()
		case "output_tokens":
			u.Output = c.count()
		case "input_tokens_details":
			u.Cached = c.raw().member("cached_tokens").count()
		case "output_tokens_details":
			u.Reasoning = c.raw().member("reasoning_tokens").count()
		}
	}
	return u
}
