package stream_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The tests here run over HTTP, in memory and in a bubble, against a server that knows to the nanosecond when it wrote what.

// lines is a stream of an HTTP body: the data of each line of SSE, or each line of NDJSON.
type lines struct {
	body io.ReadCloser
	scan *bufio.Scanner
}

// line is one event of it.
type line struct{ json string }

func (l line) RawJSON() string { return l.json }

func (l *lines) Recv() (line, error) {
	for l.scan.Scan() {
		text := l.scan.Text()
		if data, ok := strings.CutPrefix(text, "data: "); ok {
			text = data
		}
		if strings.HasPrefix(text, "{") {
			return line{text}, nil
		}
	}
	if err := l.scan.Err(); err != nil {
		return line{}, err
	}
	return line{}, io.EOF
}

func (l *lines) Close() error { return l.body.Close() }

// open sends a request, waits for its headers, and returns its stream.
func open(t *testing.T, server *llmtest.Server) *lines {
	resp, err := server.Client().Post(server.URL, "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	return newLines(resp.Body)
}

func newLines(body io.ReadCloser) *lines { return &lines{body, bufio.NewScanner(body)} }

// drain reads a stream to its end or error.
func drain(s *stream.RecvStream[line]) {
	for {
		if _, err := s.Recv(); err != nil {
			return
		}
	}
}

const ms20, ms700 = 20 * time.Millisecond, 700 * time.Millisecond

// scripts play the same answer on three wires: two of reasoning, three of text with two tokens in the last and a freeze before it.
func scripts() map[string]llmtest.Script {
	openAI, anthropic, ollama := llmtest.OpenAI{}, llmtest.Anthropic{}, llmtest.Ollama{}
	usage := llmtest.Usage{Input: 9, Output: 6, Reasoning: 2}
	return map[string]llmtest.Script{
		"OpenAI": llmtest.SSE().After(180*time.Millisecond, openAI.Role()).
			Every(ms20, openAI.Reasoning("a"), openAI.Reasoning("b"), openAI.Text("c"), openAI.Text("d")).
			After(ms700, openAI.Text("e f").WithTokens(2)).
			After(ms20, openAI.Finish("stop"), openAI.Usage(usage), openAI.Done()),
		"Anthropic": llmtest.SSE().After(180*time.Millisecond, anthropic.Start(9), anthropic.OpenReasoning(), anthropic.Ping()).
			Every(ms20, anthropic.Reasoning("a"), anthropic.Reasoning("b")).
			After(0, anthropic.Close(), anthropic.OpenText()).
			Every(ms20, anthropic.Text("c"), anthropic.Text("d")).
			After(ms700, anthropic.Text("e f").WithTokens(2)).
			After(ms20, anthropic.Close(), anthropic.Finish("end_turn", usage), anthropic.Done()),
		"Ollama": llmtest.NDJSON().After(180*time.Millisecond).
			Every(ms20, ollama.Reasoning("a"), ollama.Reasoning("b"), ollama.Text("c"), ollama.Text("d")).
			After(ms700, ollama.Text("e f").WithTokens(2)).
			After(ms20, ollama.Done("stop", usage)),
	}
}

func TestOverHTTPTheFiguresAreTheServers(t *testing.T) {
	for name, script := range scripts() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script.HeaderAt = 50 * time.Millisecond
				server := llmtest.Start(script)
				defer server.Close()
				s := stream.Recv(tpot.Start(t.Context()), open(t, server), nil)
				drain(s)
				assert.NoError(t, s.Close())
				checkAgainst(t, server.Log()[0], s.Stats())
			})
		})
	}
}

// checkAgainst compares figures with those that follow from the server's log. The request takes no time to arrive.
func checkAgainst(t *testing.T, x llmtest.Exchange, s tpot.Stats) {
	var at []time.Duration
	var visible time.Duration
	tokens := 0
	for sent, chunk := range x.Chunks() {
		at = append(at, sent.Began)
		tokens += chunk.Tokens
		if chunk.Kind != llmtest.KindReasoning && visible == 0 {
			visible = sent.Began
		}
	}
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, tpot.SourceReported, s.Source)
	assert.Equal(t, tokens, s.Tokens)
	assert.Equal(t, len(at), s.Chunks)
	assert.Zero(t, s.Unclassified)
	same := func(want time.Duration, figure func() (time.Duration, bool)) {
		t.Helper()
		got, ok := figure()
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	last := at[len(at)-1]
	same(at[0], s.TTFT)
	same(visible, s.TTFO)
	same((last-at[0])/time.Duration(tokens-1), s.TPOT)
	same(ms700, s.Gaps().Max)
	same(x.Ended, s.E2E)
	assert.Equal(t, tpot.Stalls{Count: 1, Total: ms700, Longest: ms700}, s.Stalls)
	assert.Equal(t, x.HeaderSent, s.Setup)
	assert.Equal(t, x.Ended-x.HeaderSent, s.Wait)
}

func TestOverHTTPACutIsTruncated(t *testing.T) {
	for name, cut := range map[string]llmtest.Ending{"broken": llmtest.EndCut, "ended cleanly": llmtest.EndComplete} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := llmtest.SSE().Every(ms20, llmtest.OpenAI{}.Text("a"), llmtest.OpenAI{}.Text("b"))
				script.Ending, script.EndAt = cut, time.Second
				server := llmtest.Start(script)
				defer server.Close()
				s := stream.Recv(tpot.Start(t.Context()), open(t, server), nil)
				drain(s)
				s.Close()
				got := s.Stats()
				assert.Equal(t, tpot.OutcomeTruncated, got.Outcome)
				assert.Equal(t, 2, got.Chunks)
				assert.Equal(t, 960*time.Millisecond, got.Stalls.Longest, "the silence before it was a stall")
				e2e, _ := got.E2E()
				assert.Equal(t, time.Second, e2e)
			})
		})
	}
}

func TestOverHTTPASlowConsumerIsNoSlowModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ai := llmtest.OpenAI{}
		server := llmtest.Start(llmtest.SSE().
			Every(ms20, ai.Text("a"), ai.Text("b"), ai.Text("c"), ai.Text("d")).After(0, ai.Finish("stop"), ai.Done()))
		defer server.Close()
		s := stream.Recv(tpot.Start(t.Context()), open(t, server), nil)
		for {
			if _, err := s.Recv(); err != nil {
				break
			}
			time.Sleep(600 * time.Millisecond)
		}
		s.Close()
		got := s.Stats()
		assert.Equal(t, ms20, got.Wait, "only the first chunk was waited for")
		assert.Equal(t, 5*600*time.Millisecond, got.Hold)
		assert.Equal(t, 3, got.HoldBound, "the others were already there")
		assert.Zero(t, got.Stalls.Count)
	})
}
