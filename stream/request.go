package stream

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// describe says what a request is, as far as its URL, its host and its JSON tell.
func describe(req *http.Request) tpot.Request {
	body := readRequest(req)
	path := req.URL.EscapedPath()
	described := tpot.Request{
		Operation:     operation(path),
		Provider:      provider(req.URL.Hostname()),
		Model:         body.Model,
		ServerAddress: req.URL.Hostname(),
		ServerPort:    port(req.URL),
		MaxTokens:     body.MaxTokens,
		Stream:        streams(path, body),
	}
	if described.Model == "" {
		described.Model = modelInPath(path)
	}
	return described
}

// maxRequest is how large a request's JSON may be, in bytes, to be looked into.
const maxRequest = 4 << 20

// readRequest reads a copy of the request's body. The body itself is the server's.
func readRequest(req *http.Request) wire.Request {
	if req.GetBody == nil || req.ContentLength > maxRequest || !strings.Contains(req.Header.Get("Content-Type"), "json") {
		return wire.Request{}
	}
	data, err := readCopy(req)
	if err != nil {
		return wire.Request{}
	}
	return wire.ReadRequest(data)
}

// readCopy reads what GetBody gives. Some give the body itself, set back to its beginning: asked once more, they set it back
// again.
func readCopy(req *http.Request) ([]byte, error) {
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, maxRequest))
	_ = body.Close()
	if again, failed := req.GetBody(); failed == nil {
		_ = again.Close()
	}
	return data, err
}

// operations are the ends of paths, and the operation that each stands for in OpenTelemetry's conventions for generative AI. The
// first that fits counts, so a longer one comes before its own end.
var operations = []struct{ suffix, name string }{
	{"/chat/completions", "chat"},
	{"/completions", "text_completion"},
	{"/completion", "text_completion"},
	{"/responses", "chat"},
	{"/messages", "chat"},
	{"/api/chat", "chat"},
	{"/v2/chat", "chat"},
	{"/api/generate", "text_completion"},
	{"/generate", "text_completion"},
	{"/generate_stream", "text_completion"},
	{":generateContent", "generate_content"},
	{":streamGenerateContent", "generate_content"},
	{":rawPredict", "chat"},
	{":streamRawPredict", "chat"},
	{"/converse", "chat"},
	{"/converse-stream", "chat"},
	{"/invoke", "text_completion"},
	{"/invoke-with-response-stream", "text_completion"},
	{"/embeddings", "embeddings"},
	{"/api/embed", "embeddings"},
}

func operation(path string) string {
	for _, o := range operations {
		if strings.HasSuffix(path, o.suffix) {
			return o.name
		}
	}
	return ""
}

// streams is whether a request asks for a stream: in its JSON, by its path alone, or, at Ollama, unless it says that it does not.
func streams(path string, body wire.Request) bool {
	return body.Stream || hasSuffix(path, streamingPaths) || hasSuffix(path, ollamaPaths) && !body.Whole
}

var (
	streamingPaths = []string{":streamGenerateContent", ":streamRawPredict", "/converse-stream", "/invoke-with-response-stream", "/generate_stream"}
	ollamaPaths    = []string{"/api/chat", "/api/generate"}
)

func hasSuffix(path string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) })
}

// modelInPath is the model that the URL names: the segment after "models" (Gemini, Triton), "model" (Bedrock) or "deployments" (Azure).
func modelInPath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments[:len(segments)-1] {
		switch segment {
		case "models", "model", "deployments":
			name, err := url.PathUnescape(segments[i+1])
			if err != nil {
				return ""
			}
			return beforeMethod(name)
		}
	}
	return ""
}

// beforeMethod is a name without the method that Google's URLs append to it. A name of Bedrock's may have a colon and a number.
func beforeMethod(name string) string {
	before, method, found := strings.Cut(name, ":")
	if found && strings.HasSuffix(strings.ToLower(method), "content") || strings.HasSuffix(method, "redict") {
		return before
	}
	return name
}

// providers are the domains of providers, by OpenTelemetry's names for them.
var providers = []struct{ domain, name string }{
	{"openai.com", "openai"},
	{"anthropic.com", "anthropic"},
	{"generativelanguage.googleapis.com", "gcp.gemini"},
	{"aiplatform.googleapis.com", "gcp.vertex_ai"},
	{"openai.azure.com", "azure.ai.openai"},
	{"services.ai.azure.com", "azure.ai.inference"},
	{"mistral.ai", "mistral_ai"},
	{"cohere.com", "cohere"},
	{"cohere.ai", "cohere"},
	{"deepseek.com", "deepseek"},
	{"groq.com", "groq"},
	{"moonshot.cn", "moonshot_ai"},
	{"moonshot.ai", "moonshot_ai"},
	{"perplexity.ai", "perplexity"},
	{"x.ai", "x_ai"},
}

// provider is who is behind a host; empty when the host does not tell.
func provider(host string) string {
	host = strings.ToLower(host)
	if strings.HasPrefix(host, "bedrock-runtime") && strings.Contains(host, ".amazonaws.com") {
		return "aws.bedrock"
	}
	for _, p := range providers {
		if host == p.domain || strings.HasSuffix(host, "."+p.domain) || strings.HasSuffix(host, "-"+p.domain) {
			return p.name
		}
	}
	return ""
}

// port is the port of a URL, that of its scheme if it names none.
func port(u *url.URL) int {
	if number, err := strconv.Atoi(u.Port()); err == nil {
		return number
	}
	switch u.Scheme {
	case "http":
		return 80
	case "https":
		return 443
	}
	return 0
}
