package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// chat is what it takes to talk to an OpenAI-compatible endpoint. In an application an SDK is in its place.
type chat struct {
	client *http.Client
	url    string // of the API: with or without /v1 and /chat/completions
	key    string
	model  string
}

// open sends the prompt and returns the stream of the answer. Like half of the SDKs it returns when the headers have come.
func (c chat) open(ctx context.Context, prompt string) (*answer, error) {
	body, err := json.Marshal(map[string]any{
		"model":          c.model,
		"messages":       []map[string]string{{"role": "user", "content": prompt}},
		"stream":         true,
		"stream_options": map[string]bool{"include_usage": true}, // without it nobody tells the number of tokens
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(c.url), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return newAnswer(resp.Body), nil
}

// endpoint completes the URL of an API to that of its chat completions.
func endpoint(base string) string {
	base = strings.TrimSuffix(base, "/")
	if strings.HasSuffix(base, "/chat/completions") {
		return base
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/v1"
	}
	return base + "/chat/completions"
}

// statusError is an answer that is no stream.
type statusError struct {
	status  int
	message string // the server's own words
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%d %s: %s", e.status, http.StatusText(e.status), e.message)
}

func refusal(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	var body struct {
		Error struct{ Message string }
	}
	if json.Unmarshal(text, &body) == nil && body.Error.Message != "" {
		text = []byte(body.Error.Message)
	}
	return &statusError{resp.StatusCode, strings.TrimSpace(string(text))}
}

// explain is what a person can do about an error, and the exit code that goes with it.
func (c chat) explain(err error) (string, int) {
	var status *statusError
	switch {
	case errors.As(err, &status) && (status.status == http.StatusUnauthorized || status.status == http.StatusForbidden):
		return fmt.Sprintf("the server does not accept the key (%v); set OPENAI_API_KEY", err), exitKey
	case errors.As(err, &status) && status.status == http.StatusNotFound:
		return fmt.Sprintf("the server does not know the model %q or the address %s (%v)", c.model, endpoint(c.url), err), exitNotFound
	case errors.As(err, &status):
		return fmt.Sprintf("the server refuses: %v", err), exitFailed
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s: is the server running?", c.url), exitUnreachable
	case errors.Is(err, context.Canceled):
		return "interrupted", exitInterrupted
	}
	return fmt.Sprintf("cannot reach %s: %v", c.url, err), exitUnreachable
}

// answer is the stream of an answer, of the same shape as in many SDKs: Recv gives the next chunk, at the end io.EOF.
type answer struct {
	body  io.ReadCloser
	lines *bufio.Scanner
}

func newAnswer(body io.ReadCloser) *answer {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	return &answer{body, lines}
}

func (a *answer) Recv() (chunk, error) {
	for a.lines.Scan() {
		data, ok := strings.CutPrefix(a.lines.Text(), "data:")
		if !ok {
			continue
		}
		if data = strings.TrimSpace(data); data == "[DONE]" {
			return chunk{}, io.EOF
		}
		c := chunk{raw: data}
		return c, json.Unmarshal([]byte(data), &c)
	}
	if err := a.lines.Err(); err != nil {
		return chunk{}, err
	}
	return chunk{}, io.EOF // perhaps too early; that is for the timing to find out
}

func (a *answer) Close() error { return a.body.Close() }

// chunk is one event of an answer.
type chunk struct {
	raw     string
	Choices []struct {
		Delta struct {
			Content          string `json:"content"`
			Reasoning        string `json:"reasoning"`
			ReasoningContent string `json:"reasoning_content"`
		} `json:"delta"`
	} `json:"choices"`
	Error any `json:"error"`
}

// RawJSON is the event as it came. It is all that stream.Auto asks for.
func (c chunk) RawJSON() string { return c.raw }

// text is what the chunk adds to the answer, and whether that is reasoning.
func (c chunk) text() (text string, reasoning bool) {
	if len(c.Choices) == 0 {
		return "", false
	}
	delta := c.Choices[0].Delta
	if delta.Content != "" {
		return delta.Content, false
	}
	return delta.Reasoning + delta.ReasoningContent, true
}
