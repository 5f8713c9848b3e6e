package wire

import "strings"

// Request is what the JSON of a request says that timing wants to know.
type Request struct {
	Model     string
	Stream    bool // a streamed answer is asked for
	Whole     bool // "stream": false was said
	MaxTokens int
}

// ReadRequest reads the JSON of a request to any of the APIs. What is malformed says nothing. The strings are their own.
func ReadRequest(data []byte) (r Request) {
	c := newCursor(view(data))
	for key := range c.members {
		switch key {
		case "model", "modelId":
			r.Model = strings.Clone(c.string())
		case "stream":
			stream := c.raw()
			r.Stream, r.Whole = stream == "true", stream == "false"
		case "max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens":
			r.MaxTokens = max(r.MaxTokens, c.count())
		case "generationConfig": // Gemini
			r.MaxTokens = max(r.MaxTokens, c.raw().member("maxOutputTokens").count())
		case "inferenceConfig": // Bedrock
			r.MaxTokens = max(r.MaxTokens, c.raw().member("maxTokens").count())
		case "options": // Ollama
			r.MaxTokens = max(r.MaxTokens, c.raw().member("num_predict").count())
		}
	}
	if !c.complete() {
		return Request{}
	}
	return r
}
