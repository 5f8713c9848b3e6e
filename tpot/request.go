package tpot

import "time"

// Request is what the caller knows of a request before it is sent. Every field is optional. Observers use them as labels,
// so their values should be few: the scenario is the business use ("chat", "summary"), not a user or a session.
type Request struct {
	Operation     string `json:"operation,omitempty"` // "chat", "text_completion", ...
	Provider      string `json:"provider,omitempty"`
	Model         string `json:"model,omitempty"` // the model asked for
	Scenario      string `json:"scenario,omitempty"`
	ServerAddress string `json:"server_address,omitempty"`
	ServerPort    int    `json:"server_port,omitempty"`
	MaxTokens     int    `json:"max_tokens,omitempty"`
	Stream        bool   `json:"stream,omitempty"` // the answer was asked for as a stream
}

// Attempt is one HTTP attempt at a request. ConnWait, DNS, Connect and TLS are lengths; Start, Sent, Headers and FirstByte
// are offsets from the recorder's start. Zero is "did not happen" or "not known".
//
// Of the time to first token, the last attempt's Start went to attempts before it, ConnWait to the connection, Headers less
// Sent to the server until it answered, FirstByte less Headers to its first byte, and the rest to the first chunk.
type Attempt struct {
	Start     time.Duration // the attempt was begun
	ConnWait  time.Duration // waiting for a connection, dialing included
	DNS       time.Duration
	Connect   time.Duration
	TLS       time.Duration
	Sent      time.Duration // the request was written, or the writing failed
	Headers   time.Duration // the response's headers came
	FirstByte time.Duration // the first byte of the body came
	Reused    bool          // over a connection that was already open
	Status    int           // HTTP status; 0: no response
}

// maxAttempts bounds the attempts kept. Past it the newest replaces the last.
const maxAttempts = 32

// ServerTimings is what a server reports in its stream about its own work. It is kept beside the client's figures and never
// mixed with them. Zero is "not reported".
type ServerTimings struct {
	Source  string        // who reports: "vllm", "llama.cpp", "ollama", ...
	TTFT    time.Duration // the server's time to first token
	Queue   time.Duration // waiting to be scheduled
	Load    time.Duration // loading the model
	Prompt  time.Duration // reading the prompt (prefill)
	Output  time.Duration // generating (decode)
	Total   time.Duration // the whole request
	MeanITL time.Duration // mean inter-token latency

	TokensPerSecond float64 // the server's own rate
	PromptTokens    int     // tokens read in Prompt
	CachedTokens    int     // tokens of the prompt that did not have to be read
	OutputTokens    int     // tokens generated in Output
	DraftTokens     int     // tokens that a speculative decoder proposed
	DraftAccepted   int     // and those of them that the model took
}
