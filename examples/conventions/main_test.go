package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// conventions runs the command and returns its exit code and what it printed.
func conventions(t *testing.T, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

// replay is what the program makes of the captured stream, with a change of it, where times are exact.
func replay(t *testing.T, change func(*llmtest.Script)) (line []byte) {
	synctest.Test(t, func(t *testing.T) {
		script, err := llmtest.Fixture(captured, "capture")
		require.NoError(t, err)
		change(&script)
		server := llmtest.Start(script)
		defer server.Close()
		line, err = ask(t.Context(), server.URL, server.Client().Transport)
		require.NoError(t, err)
	})
	return line
}

func asItIs(*llmtest.Script) {}

// withoutUsage is the stream of a server that was not asked for the usage.
func withoutUsage(s *llmtest.Script) {
	for i, w := range s.Writes {
		if bytes.Contains(w.Bytes(), []byte(`"usage"`)) {
			s.Writes[i].Events = nil
		}
	}
}

// withoutTokens is the stream of a server that does not know token_ids.
func withoutTokens(s *llmtest.Script) {
	for _, w := range s.Writes {
		for i, e := range w.Events {
			w.Events[i].Bytes = bytes.ReplaceAll(e.Bytes, []byte(`"token_ids"`), []byte(`"unknown"`))
		}
	}
}

// file is a file of lines.
func file(t *testing.T, lines ...[]byte) string {
	name := filepath.Join(t.TempDir(), "traces.jsonl")
	require.NoError(t, os.WriteFile(name, bytes.Join(lines, nil), 0o600))
	return name
}

// millis is a figure as a table has it.
func millis(f convention.Figure) string {
	if f.Undefined != "" {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(f.Value)/float64(time.Millisecond))
}

// The figures were worked out from the tools' sources for this stream, and in part by running their functions on it, without this module: TTFT,
// TPOT and ITL in milliseconds, and the number of tokens.
func TestTheFiguresAreThoseOfTheTools(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*llmtest.Script)
		want   map[string][4]string
	}{
		"as it is": {asItIs, map[string][4]string{
			"vllm-bench":            {"100.00", "52.86", "46.25", "8"},
			"trtllm-serve":          {"100.00", "54.29", "46.25", "8"},
			"sglang-bench":          {"200.00", "41.43", "52.00", "8"},
			"sglang-bench-spec":     {"200.00", "41.43", "37.14", "8"},
			"aiperf":                {"200.00", "-", "37.14", "8"},
			"genai-perf":            {"300.00", "-", "32.00", "6"},
			"guidellm":              {"200.00", "57.50", "37.14", "8"},
			"inference-perf":        {"300.00", "32.00", "32.00", "6"},
			"inference-perf-server": {"300.00", "22.86", "32.00", "8"},
			"llmperf":               {"-", "-", "-", "0"},
			"etalon":                {"300.00", "32.00", "32.00", "6"},
			"hf-benchmarker":        {"-", "-", "-", "0"},
			"trtllm-bench":          {"200.00", "37.14", "-", "8"},
			"mlperf":                {"200.00", "37.14", "-", "8"},
			"engine":                {"200.00", "37.14", "-", "8"},
			"llamacpp":              {"-", "32.50", "-", "8"},
		}},
		"without usage": {withoutUsage, map[string][4]string{
			"sglang-bench":   {"200.00", "4.60", "52.00", "64"},
			"guidellm":       {"200.00", "76.67", "52.00", "6"},
			"llmperf":        {"300.00", "-", "51.11", "9"},
			"hf-benchmarker": {"300.00", "-", "32.00", "6"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			traces, code := read([]source{{name, replay(t, c.change)}}, os.Stderr)
			require.Equal(t, exitOK, code)
			require.Len(t, traces, 1)
			found := 0
			for _, row := range convention.Compare(traces).Rows {
				want, ok := c.want[row.Convention.Name]
				if !ok {
					continue
				}
				found++
				f := row.Figures[0]
				assert.Equal(t, want, [4]string{millis(f.TTFT), millis(f.TPOT), millis(f.ITL), fmt.Sprint(f.N)}, row.Convention.Name)
			}
			assert.Len(t, c.want, found)
		})
	}
}

func TestWithoutArgumentsItReplaysTheCapture(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "trace.jsonl")
	code, out, errs := conventions(t, "-o", saved)
	assert.Equal(t, exitOK, code, errs)
	assert.Empty(t, errs)
	for _, c := range convention.All() {
		assert.Regexp(t, `(?m)^`+c.Name+` .* [-\d]+$`, out)
	}

	code, again, errs := conventions(t, saved)
	assert.Equal(t, exitOK, code, errs)
	assert.Equal(t, out, again, "the trace that it wrote says the same")
}

func TestTheCaptureIsReplayedAtItsOwnPace(t *testing.T) {
	line, err := record(t.Context())
	require.NoError(t, err)
	var trace tpot.Trace
	require.NoError(t, json.Unmarshal(line, &trace))
	offsets := []time.Duration{100, 200, 250, 300, 340, 380, 420, 460, 470, 480, 490}
	require.Len(t, trace.Events, len(offsets))
	for i, e := range trace.Events {
		assert.GreaterOrEqual(t, e.At, offsets[i]*time.Millisecond, "an event before it was written")
	}
	assert.GreaterOrEqual(t, trace.Closed, 500*time.Millisecond)
}

func TestSeveralRequestsHaveStatistics(t *testing.T) {
	line := replay(t, asItIs)
	code, out, errs := conventions(t, file(t, line, line), file(t, line))
	assert.Equal(t, exitOK, code, errs)
	assert.Contains(t, out, "TTFT p99")
	assert.Regexp(t, `\nvllm-bench +3 +100.00 +100.00 +52.86 `, out)
}

func TestWhereTokenCountsAreNotKnownItSaysSo(t *testing.T) {
	_, out, _ := conventions(t, file(t, replay(t, withoutTokens)))
	assert.Regexp(t, `\netalon +300.00 +- +- +460.00 +-\n`, out)
	assert.Contains(t, out, "gives no TPOT, ITL and N, since the token counts of chunks are not known\n")
}

func TestFormats(t *testing.T) {
	name := file(t, replay(t, asItIs))
	_, out, _ := conventions(t, "-format", "markdown", name)
	assert.True(t, strings.HasPrefix(out, "| ms | TTFT |"), out)
	assert.Contains(t, out, "\n| llamacpp | - | 32.50 | - | - | 8 | divides by N, not by N-1 |\n")
	_, out, _ = conventions(t, "-format", "json", name)
	var rows []struct{ Convention string }
	require.NoError(t, json.Unmarshal([]byte(out), &rows))
	assert.Len(t, rows, len(convention.All()))
}

func TestLinesThatAreNoTracesAreToldAndLeftOut(t *testing.T) {
	line := replay(t, asItIs)
	code, out, errs := conventions(t, file(t, line, []byte("nonsense\n"), []byte(`{"trace":99}`+"\n")))
	assert.Equal(t, exitNoTrace, code)
	assert.Contains(t, out, "vllm-bench             100.00")
	assert.Contains(t, out, "vllm-bench             counts the role-only event as first\n")
	assert.Regexp(t, `^conventions: \S+traces.jsonl: line 2: .*\nconventions: \S+traces.jsonl: line 3: .*version 99.*\n$`, errs)

	code, _, errs = conventions(t, file(t))
	assert.Equal(t, exitNoTrace, code)
	assert.Regexp(t, `traces.jsonl has no traces\n$`, errs)
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		errs string
	}{
		{[]string{"-h"}, exitOK, "conventions [flags] [file of traces ...]"},
		{[]string{"-no-such-flag"}, exitUsage, "-format"},
		{[]string{"-format", "xml"}, exitUsage, `-format "xml" is none of text, markdown and json`},
		{[]string{"no-such-file"}, exitFile, "conventions: open no-such-file: "},
		{[]string{"-o", t.TempDir(), file(t, replay(t, asItIs))}, exitFile, "conventions: open "},
	} {
		code, out, errs := conventions(t, c.args...)
		assert.Equal(t, c.code, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.errs)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, errs bytes.Buffer
	assert.Equal(t, exitInterrupted, run(ctx, nil, &out, &errs))
	assert.Equal(t, "conventions: interrupted\n", errs.String())
	assert.Empty(t, out.String())
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	var errs bytes.Buffer
	assert.Equal(t, exitFile, run(t.Context(), []string{file(t, replay(t, asItIs))}, broken{}, &errs))
	assert.Equal(t, "conventions: no space left\n", errs.String())
}
