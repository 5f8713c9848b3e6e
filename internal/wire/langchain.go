package wire

import (
	"cmp"

	"github.com/tokentiming/tokentiming/tpot"
)

// langchainResponse is the shape of langchaingo's response, which comes after a stream of text and repeats it. It promises a stop
// reason if its provider says anything of how it was made.
func (env *envelope) langchainResponse(e *tpot.Event, choices raw) bool {
	choice := readLangchain(choices)
	if choice.info == "" {
		return false
	}
	info := readGenerationInfo(choice.info)
	u := info.usage()
	kind := when(u != tpot.Usage{}, tpot.KindUsage)
	switch choice.reason {
	case "FinishReasonUnspecified": // Google's way to write none
	case "":
		kind |= when(info.isOfOllama(), tpot.KindDone)
	default:
		kind |= tpot.KindFinish
		e.FinishReason = choice.reason
	}
	env.model = cmp.Or(info.model, env.model)
	env.describe(e, kind)
	e.Kind &^= when(!choice.info.isObject(), tpot.KindMarked)
	e.Usage = u
	return true
}

// langchainChoice is what timing wants of a choice. Where a response has several, each says the same.
type langchainChoice struct {
	reason string
	info   raw // GenerationInfo, which is null when its provider says nothing
}

// readLangchain reads the first choice.
func readLangchain(choices raw) (first langchainChoice) {
	c := choices.cursor()
	for range c.elements {
		if one := readLangchainChoice(c); first.info == "" {
			first = one
		}
	}
	return first
}

func readLangchainChoice(c *cursor) (one langchainChoice) {
	for key := range c.members {
		switch key {
		case "StopReason":
			one.reason = c.string()
		case "GenerationInfo":
			one.info = c.raw()
		}
	}
	return one
}

// generationInfo is what a provider says of how a response was made, under the names of one or several others.
type generationInfo struct {
	openAI, anthropic, bedrock, mistral tpot.Usage
	cached                              int
	model                               string

	reasoning bool // it says of reasoning, as OpenAI's does
}

func readGenerationInfo(object raw) (info generationInfo) {
	c := object.cursor()
	for key := range c.members {
		switch key {
		case "PromptTokens":
			info.openAI.Input = c.count()
		case "CompletionTokens":
			info.openAI.Output = c.count()
		case "ReasoningTokens":
			info.reasoning, info.openAI.Reasoning = true, c.count()
		case "PromptCachedTokens":
			info.openAI.Cached = c.count()
		case "InputTokens":
			info.anthropic.Input = c.count()
		case "OutputTokens":
			info.anthropic.Output = c.count()
		case "CacheReadInputTokens":
			info.anthropic.Cached = c.count()
		case "input_tokens":
			info.bedrock.Input = c.count()
		case "output_tokens":
			info.bedrock.Output = c.count()
		case "CachedTokens":
			info.cached = c.count()
		case "usage":
			info.mistral = openAIUsage(c.raw())
		case "model":
			info.model = c.string()
		}
	}
	return info
}

// isOfOllama is whether there are counts as of Ollama, which has them from its last line, and no reason. Those that OpenAI's has without
// a reason are of servers that count as they go.
func (info *generationInfo) isOfOllama() bool { return info.openAI.Output > 0 && !info.reasoning }

func (info *generationInfo) usage() tpot.Usage {
	a, b, c, d := info.openAI, info.anthropic, info.bedrock, info.mistral
	return tpot.Usage{
		Input:     max(a.Input, b.Input, c.Input, d.Input),
		Output:    max(a.Output, b.Output, c.Output, d.Output),
		Reasoning: max(a.Reasoning, d.Reasoning),
		Cached:    max(a.Cached, b.Cached, d.Cached, info.cached),
	}
}
