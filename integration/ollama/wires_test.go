package ollama

import "strings"

// What is asked for. The end is not sampled before as many tokens are there.
const (
	prompt = "the flow of time"
	tokens = 240
	seed   = 1
)

// A wire is one of the server's, and an SDK that streams from it.
type wire struct {
	path, sdk string
	call      call
	format    string // as the library names it
	finish    string // how a response says that it was cut off at its limit
}

func (w wire) name() string { return strings.ReplaceAll(w.path[1:]+" "+w.sdk, "/", " ") }

// own is whether the wire is one of Ollama's own.
func (w wire) own() bool { return w.format == "ollama" }

var wires = []wire{
	{"/api/chat", "ollama/api", ollamaChat, "ollama", "length"},
	{"/api/generate", "ollama/api", ollamaGenerate, "ollama", "length"},
	{"/v1/chat/completions", "openai-go", openaiChat, "openai", "length"},
	{"/v1/chat/completions", "go-openai", goOpenAIChat, "openai", "length"},
	{"/v1/completions", "openai-go", openaiCompletions, "openai", "length"},
	{"/v1/completions", "go-openai", goOpenAICompletions, "openai", "length"},
	{"/v1/responses", "openai-go", openaiResponses, "openai responses", "completed"},
	{"/v1/messages", "anthropic-sdk-go", anthropicMessages, "anthropic", "max_tokens"},
}

// unasked are those that send usage only when asked, and are not.
var unasked = []wire{
	{"/v1/chat/completions", "openai-go", openaiChatUnasked, "openai", "length"},
	{"/v1/chat/completions", "go-openai", goOpenAIChatUnasked, "openai", "length"},
}
