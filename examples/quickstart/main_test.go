package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

// quickstart runs the command and returns its exit code and what it printed.
func quickstart(t *testing.T, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(t.Context(), args, "secret-key", &o, &e)
	return code, o.String(), e.String()
}

func serve(t *testing.T, script llmtest.Script) *llmtest.Server {
	server, err := llmtest.Listen(script)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return server
}

func TestTheScriptedAnswerIsMeasuredAsItWasServed(t *testing.T) {
	code, out, errs := quickstart(t)
	assert.Equal(t, exitOK, code, errs)
	assert.Contains(t, out, "scattered.\n\nAir scatters blue light more than red light, so blue reaches the eye from all over the sky.")
	assert.Regexp(t, `stalls +1 +1\n`, out)
	assert.Regexp(t, `tokens +21 +21\n`, out)
	assert.Regexp(t, `chunks +19 +19\n`, out)
}

func TestTheComparisonFindsAWrongFigure(t *testing.T) {
	server := serve(t, script())
	c := chat{client: server.Client(), url: server.URL, model: "scripted-1"}
	var out, errs bytes.Buffer
	h, code := c.ask(t.Context(), "?", &out, &errs)
	require.Equal(t, exitOK, code)
	x := server.Log()[0]
	require.True(t, compare(h, x, &out))

	// All that is known besides the measurement moves: then the measurement is late.
	x.Arrived = x.Arrived.Add(-300 * time.Millisecond)
	for i := range h.turns {
		h.turns[i].got = h.turns[i].got.Add(-300 * time.Millisecond)
		h.turns[i].asked = h.turns[i].asked.Add(-300 * time.Millisecond)
	}
	assert.False(t, compare(h, x, &out), "TTFT is 300 ms off")
}

func TestAgainstAnEndpoint(t *testing.T) {
	ai := llmtest.OpenAI{}
	whole := llmtest.SSE().After(0, ai.Role()).Every(time.Millisecond, ai.Text("Hel"), ai.Text("lo\x1b[31m")).After(0, ai.Finish("stop"), ai.Done())
	failure := func(status int) llmtest.Script {
		return llmtest.JSON(status, map[string]any{"error": map[string]string{"message": "so says the server"}})
	}
	cut := llmtest.SSE().After(0, ai.Role()).Every(time.Millisecond, ai.Text("Hel"))
	cut.Ending = llmtest.EndCut
	for _, c := range []struct {
		name   string
		script llmtest.Script
		code   int
		out    string
		errs   string
	}{
		{"whole", whole, exitOK, "Hello·[31m", ""},
		{"key", failure(http.StatusUnauthorized), exitKey, "", "set OPENAI_API_KEY"},
		{"model", failure(http.StatusNotFound), exitNotFound, "", `does not know the model "m"`},
		{"overload", failure(http.StatusServiceUnavailable), exitFailed, "", "so says the server"},
		{"cut", cut, exitFailed, "truncated (connection cut)", "the answer is not whole"},
		{"ended too early", llmtest.SSE().Every(time.Millisecond, ai.Text("Hel")), exitFailed, "truncated (no end marker)", "the answer is not whole"},
		{"error in the stream", llmtest.SSE().Every(time.Millisecond, ai.Text("Hel"), ai.Error("overloaded_error", "busy")), exitFailed, "failed (error in stream)", "overloaded_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := serve(t, c.script)
			code, out, errs := quickstart(t, "-url", server.URL+"/v1", "-model", "m", "-prompt", "hi")
			assert.Equal(t, c.code, code)
			assert.Contains(t, out, c.out)
			assert.Contains(t, errs, c.errs)
			x := server.Log()[0]
			assert.Equal(t, "/v1/chat/completions", x.Path)
			assert.Equal(t, "Bearer secret-key", x.Header.Get("Authorization"))
			assert.Contains(t, string(x.Body), `"include_usage":true`)
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	code, _, errs := quickstart(t, "-url", "http://"+l.Addr().String())
	assert.Equal(t, exitUnreachable, code)
	assert.Contains(t, errs, "is the server running?")
}

func TestInterrupted(t *testing.T) {
	hang := llmtest.SSE().After(0, llmtest.OpenAI{}.Text("Hel"))
	hang.Ending = llmtest.EndHang
	server := serve(t, hang)
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	c := chat{client: server.Client(), url: server.URL}
	_, code := c.ask(ctx, "?", &cancelOn{"Hel", cancel, &out}, &errs)
	assert.Equal(t, exitInterrupted, code)
	assert.Contains(t, out.String(), "canceled (context)")
}

// cancelOn cancels when it is given the text.
type cancelOn struct {
	text   string
	cancel func()
	*bytes.Buffer
}

func (c *cancelOn) Write(p []byte) (int, error) {
	if string(p) == c.text {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

func TestArguments(t *testing.T) {
	code, _, errs := quickstart(t, "-no-such-flag")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "-url")
	code, _, _ = quickstart(t, "-h")
	assert.Equal(t, exitOK, code)
}

func TestEndpoint(t *testing.T) {
	for given, want := range map[string]string{
		"http://h":                         "http://h/v1/chat/completions",
		"http://h/v1/":                     "http://h/v1/chat/completions",
		"http://h/openai":                  "http://h/openai/chat/completions",
		"http://h/v1/chat/completions":     "http://h/v1/chat/completions",
		"https://h:1/api/chat/completions": "https://h:1/api/chat/completions",
	} {
		assert.Equal(t, want, endpoint(given))
	}
}
