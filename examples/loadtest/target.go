package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// newTransport is one that does not hold requests up: they do not wait for a connection, and find those again that earlier ones used. The
// default keeps two for each host, and would dial anew for most requests.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxConnsPerHost = 0 // no limit
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = math.MaxInt
	return t
}

// newRequest is a request for a streamed answer.
func (s settings) newRequest(ctx context.Context) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{
		"model":          s.model,
		"messages":       []map[string]string{{"role": "user", "content": s.prompt}},
		"stream":         true,
		"stream_options": map[string]bool{"include_usage": true}, // without it nobody tells the number of tokens
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(s.url), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	return req, nil
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

// refusal is the status of an answer that all other requests would get, too.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("%d %s", int(r), http.StatusText(int(r))) }

func hopeless(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
}

const (
	exitOK          = 0
	exitUsage       = 1
	exitUnreachable = 2
	exitKey         = 3
	exitNotFound    = 4
	exitFailed      = 5
	exitInterrupted = 130
)

// explain is what a person can do about an error, and the exit code that goes with it.
func (s settings) explain(err error) (string, int) {
	var refused refusal
	switch {
	case errors.As(err, &refused) && refused == http.StatusNotFound:
		return fmt.Sprintf("the server does not know the model %q or the address %s (%v)", s.model, endpoint(s.url), refused), exitNotFound
	case errors.As(err, &refused):
		return fmt.Sprintf("the server does not accept the key (%v); set OPENAI_API_KEY", refused), exitKey
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s: is the server running?", s.url), exitUnreachable
	}
	return fmt.Sprintf("cannot reach %s: %v", s.url, err), exitUnreachable
}
