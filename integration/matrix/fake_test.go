package matrix_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// chunk is a value of an SDK that is small enough to be known.
type chunk struct {
	raw     string
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
		} `json:"delta"`
	} `json:"choices"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (c chunk) RawJSON() string { return c.raw }

func (c chunk) kind() llmtest.Kind {
	switch {
	case len(c.Choices) == 0:
	case c.Choices[0].Delta.Content != "":
		return llmtest.KindText
	case c.Choices[0].Delta.Reasoning != "":
		return llmtest.KindReasoning
	}
	return ""
}

// fake is its stream.
type fake struct {
	body    io.ReadCloser
	lines   *bufio.Scanner
	current chunk
	err     error
}

func request(ctx context.Context, client *http.Client) *fake {
	const question = `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.openai.com/v1/chat/completions", strings.NewReader(question))
	if err != nil {
		return &fake{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	switch {
	case err != nil:
		return &fake{err: err}
	case resp.StatusCode != http.StatusOK:
		_ = resp.Body.Close()
		return &fake{err: errors.New(resp.Status)}
	}
	return &fake{body: resp.Body, lines: bufio.NewScanner(resp.Body)}
}

func (f *fake) Next() bool {
	for f.err == nil && f.body != nil && f.lines.Scan() {
		data, ok := strings.CutPrefix(f.lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			_ = f.Close()
			return false
		}
		f.current = chunk{raw: data}
		if f.err = json.Unmarshal([]byte(data), &f.current); f.err == nil && f.current.Error != nil {
			f.err = errors.New(f.current.Error.Message)
		}
		return f.err == nil
	}
	if f.err == nil && f.body != nil {
		f.err = f.lines.Err()
	}
	return false
}

func (f *fake) Current() chunk { return f.current }
func (f *fake) Err() error     { return f.err }

func (f *fake) Close() error {
	if f.body == nil {
		return nil
	}
	body := f.body
	f.body = nil
	return body.Close()
}

type consumer = matrix.Consumer[chunk]

// sdk is the test that the fake passes.
func sdk() matrix.SDK[chunk] {
	return matrix.SDK[chunk]{
		Name: "fake",
		Wire: matrix.OpenAIChat,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			c.Pull(request(ctx, client))
			return nil
		},
		Timed:  timed(func(s stream.Puller[chunk]) stream.Puller[chunk] { return s }),
		Kind:   chunk.kind,
		Format: "openai",
		Traits: matrix.Traits{HidesEnd: true},
	}
}

// timed is the timed fake with something around it.
func timed(around func(stream.Puller[chunk]) stream.Puller[chunk]) func(context.Context, *tpot.Recorder, *http.Client, *consumer) error {
	return func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
		c.Pull(around(stream.Pull(rec, request(ctx, client), nil)))
		return nil
	}
}
