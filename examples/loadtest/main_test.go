package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// loadtest runs the command and returns its exit code and what it printed.
func loadtest(t *testing.T, args ...string) (code int, out, errs string) {
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

func TestTheSimulatedServer(t *testing.T) {
	code, out, errs := loadtest(t, "-requests", "60", "-concurrency", "30", "-slo-ttft", "100ms")
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `^loadtest: \d+ of 60 requests failed\n$`, errs, "and no progress bar, which is for terminals")
	assert.Regexp(t, `^http://127.0.0.1:\d+, model simulated-1: 60 requests in \d+\.\d s, 30 in flight\n`, out)
	assert.Regexp(t, `\ngoodput +\d+\.\d %`, out)
}

func TestAllIsWell(t *testing.T) {
	server := serve(t, steady())
	code, out, errs := loadtest(t, "-url", server.URL+"/v1", "-model", "m", "-requests", "3", "-prompt", "why?")
	assert.Equal(t, exitOK, code)
	assert.Empty(t, errs)
	assert.Contains(t, out, "\nended            ok 3\n")
	assert.Contains(t, out, "\nfigures          by the convention tokentiming\n")
	assert.NotContains(t, out, "start late", "in a closed loop there is no time to be late for")
	x := server.Log()[0]
	assert.Equal(t, "/v1/chat/completions", x.Path)
	assert.Equal(t, "Bearer secret-key", x.Header.Get("Authorization"))
	assert.JSONEq(t, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"why?"}]}`, string(x.Body))
}

func TestWhatThereIsNoPointInGoingOnWith(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	status := func(status int) string { return serve(t, llmtest.JSON(status, "no")).URL }
	for _, c := range []struct {
		name, url string
		code      int
		errs      string
	}{
		{"connection", nobody, exitUnreachable, "loadtest: nothing listens at " + nobody + ": is the server running?\n"},
		{"key", status(http.StatusUnauthorized), exitKey, "loadtest: the server does not accept the key (401 Unauthorized); set OPENAI_API_KEY\n"},
		{"account", status(http.StatusForbidden), exitKey, "loadtest: the server does not accept the key (403 Forbidden); set OPENAI_API_KEY\n"},
		{"model", status(http.StatusNotFound), exitNotFound, `loadtest: the server does not know the model "m" or the address `},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := loadtest(t, "-url", c.url, "-model", "m", "-requests", "1000000")
			assert.Equal(t, c.code, code)
			assert.Empty(t, out)
			assert.Contains(t, errs, c.errs)
		})
	}
}

func TestARefusalForNowIsCounted(t *testing.T) {
	code, out, errs := loadtest(t, "-url", serve(t, llmtest.JSON(http.StatusTooManyRequests, "later")).URL, "-model", "m", "-requests", "5")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "\nfailed by        429 5\n")
	assert.Equal(t, "loadtest: 5 of 5 requests failed\n", errs)
}

func TestAnInterruptedRunPrintsWhatThereIs(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	server, err := llmtest.Listen()
	require.NoError(t, err)
	defer server.Close()
	asked := 0
	server.Choose = func(llmtest.Exchange) llmtest.Script {
		if asked++; asked == 3 {
			interrupt()
			return stuck()
		}
		return steady()
	}
	var out, errs bytes.Buffer
	code := run(ctx, []string{"-url", server.URL, "-model", "m", "-concurrency", "1"}, "", &out, &errs)
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "loadtest: interrupted\n", errs.String())
	assert.Contains(t, out.String(), "\nended            canceled 1, ok 2\n")
}

// document is what -json prints, as far as the table has it, too.
type document struct {
	URL, Model string
	Rate       float64
	Failures   map[string]int
	Late       distribution `json:"start_late"`
	Result     struct {
		Convention        string
		Requests          int
		PerMinute         float64 `json:"requests_per_minute"`
		PerSecond         float64 `json:"tokens_per_second"`
		Span              float64 `json:"span_ms"`
		TTFT, TTFO        distribution
		TPOT, ITL, E2E    distribution
		Outcomes          map[string]int
		Sources           map[string]int `json:"token_sources"`
		Stalls            int
		Stalled, Streamed int
		Longest           float64 `json:"stall_longest_ms"`
		Goodput           float64
		Good              float64 `json:"good_per_minute"`
		Misses            map[string]int
		Loads             []loadOfRow
	}
}

type distribution struct {
	Count int
	Mean  float64 `json:"mean_ms"`
	CV    *float64
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
}

type loadOfRow struct {
	From, To, Requests int
	TTFT               float64 `json:"mean_ttft_ms"`
	TPOT               float64 `json:"mean_tpot_ms"`
}

func (d distribution) cells(name string) string {
	cv := "-"
	if d.CV != nil {
		cv = fmt.Sprintf("%.2f", *d.CV)
	}
	return fmt.Sprintf("%s %d %.2f %s %.2f %.2f %.2f %.2f", name, d.Count, d.Mean, cv, d.P50, d.P90, d.P95, d.P99)
}

// table is the lines that follow from the document, with one space between any two words.
func (d document) table() []string {
	r := d.Result
	lines := []string{
		fmt.Sprintf("%s, model %s: %d requests in %.1f s, %g a second", d.URL, d.Model, r.Requests, r.Span/1000, d.Rate),
		"ms count mean CV p50 p90 p95 p99",
		r.TTFT.cells("TTFT"), r.TTFO.cells("TTFO"), r.TPOT.cells("TPOT"), r.ITL.cells("ITL"), r.E2E.cells("E2E"), d.Late.cells("start late"),
		"figures by the convention " + r.Convention,
		fmt.Sprintf("requests/min %.1f", r.PerMinute),
		fmt.Sprintf("tokens/s %.1f", r.PerSecond),
		fmt.Sprintf("token count from chunks %d, reported %d, unknown %d", r.Sources["chunks"], r.Sources["reported"], r.Sources["unknown"]),
		fmt.Sprintf("ended failed %d, ok %d, truncated %d", r.Outcomes["failed"], r.Outcomes["ok"], r.Outcomes["truncated"]),
		fmt.Sprintf("failed by 429 %d, truncated %d", d.Failures["429"], d.Failures["truncated"]),
		fmt.Sprintf("stalls %d in %d of %d answers, the longest %.2f ms", r.Stalls, r.Stalled, r.Streamed, r.Longest),
		fmt.Sprintf("goodput %.1f %%, %.1f a minute", r.Goodput*100, r.Good),
		fmt.Sprintf("missed E2E %d, TTFT %d, end %d", r.Misses["e2e"], r.Misses["ttft"], r.Misses["end"]),
		"in flight requests mean TTFT mean TPOT",
	}
	for _, l := range r.Loads {
		flight := fmt.Sprintf("%d to %d", l.From, l.To)
		if l.From == l.To {
			flight = fmt.Sprint(l.From)
		}
		lines = append(lines, fmt.Sprintf("%s %d %.2f %.2f", flight, l.Requests, l.TTFT, l.TPOT))
	}
	return lines
}

func TestTheTableAndTheJSONSayTheSame(t *testing.T) {
	s := settings{model: "m", requests: 300, rate: 40, slo: tpot.SLO{TTFT: 150 * time.Millisecond, E2E: 600 * time.Millisecond}}
	var table, text bytes.Buffer
	bubble(t, busy, func(t *testing.T, server *llmtest.Server) {
		r := load(t, s, server)
		s.url = server.URL
		assert.Equal(t, exitFailed, r.report(s, &table, io.Discard))
		s.json = true
		assert.Equal(t, exitFailed, r.report(s, &text, io.Discard))
	})
	var d document
	require.NoError(t, json.Unmarshal(text.Bytes(), &d))
	require.NotEmpty(t, d.Result.Loads)
	var lines []string
	for line := range strings.Lines(table.String()) {
		if line = strings.TrimSpace(regexp.MustCompile(` +`).ReplaceAllString(line, " ")); line != "" {
			lines = append(lines, line)
		}
	}
	assert.Equal(t, d.table(), lines)
}

func TestAGeneratorThatDoesNotKeepUpSaysSo(t *testing.T) {
	for late, want := range map[time.Duration]string{
		tolerable:     "",
		tolerable + 1: "loadtest: this machine did not keep up: requests were made up to 10.00 ms late, which their figures include\n",
	} {
		r := &result{late: new(tpot.Histogram)}
		r.late.Observe(late)
		var out, errs bytes.Buffer
		assert.Equal(t, exitOK, r.report(settings{rate: 1}, &out, &errs))
		assert.Equal(t, want, errs.String())
		assert.Contains(t, out.String(), "\nstart late        1      10.00")
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		errs string
	}{
		{"-h", exitOK, "-url"},
		{"-no-such-flag", exitUsage, "-concurrency"},
		{"http://h", exitUsage, "did you mean -url http://h?"},
		{"-url h:1 -model m", exitUsage, `the endpoint "h:1" is no URL`},
		{"-url http:// -model m", exitUsage, "is no URL"},
		{"-url ftp://h -model m", exitUsage, "is no URL"},
		{"-url http://h", exitUsage, "which -model is to be asked?"},
		{"-rate 1 -concurrency 1", exitUsage, "there is no -concurrency to keep"},
		{"-rate -1", exitUsage, "a -rate is a number above zero"},
		{"-rate NaN", exitUsage, "a -rate is a number above zero"},
		{"-rate +Inf", exitUsage, "a -rate is a number above zero"},
		{"-requests -1", exitUsage, "not below zero"},
		{"-concurrency -1", exitUsage, "not below zero"},
		{"-warmup -1", exitUsage, "not below zero"},
		{"-duration -1s", exitUsage, "not below zero"},
	} {
		code, out, errs := loadtest(t, strings.Fields(c.args)...)
		assert.Equal(t, c.code, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.errs)
	}
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		args string
		want settings
	}{
		{"", settings{model: simulatedModel, requests: 100, concurrency: 10}},
		{"-duration 1s", settings{model: simulatedModel, duration: time.Second, concurrency: 10}},
		{"-rate 2", settings{model: simulatedModel, requests: 100, rate: 2}},
	} {
		s, err := parse(strings.Fields(c.args), io.Discard)
		require.NoError(t, err)
		s.prompt = ""
		assert.Equal(t, c.want, s)
	}
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
