package convention_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	tap "github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// whole is a stream whose events the tests here split: of four chunks, of 1, 3, 2 and 1 tokens. Its usage, at the end, counts two more.
func whole() []tpot.TraceEvent {
	return []tpot.TraceEvent{
		event(100, ch|tpot.KindRole, 0), event(200, ch|tpot.KindText, 1), event(260, ch|tpot.KindText, 3), event(300, ch|tpot.KindText, 2),
		event(330, ch|tpot.KindText, 1), event(340, ch|tpot.KindFinish, 0), usageAt(350, 9, 0), event(360, tpot.KindDone, 0),
	}
}

// inserted is the events with another one in its place.
func inserted(events []tpot.TraceEvent, e tpot.TraceEvent) []tpot.TraceEvent {
	return slices.Insert(events, slices.IndexFunc(events, func(o tpot.TraceEvent) bool { return o.At > e.At }), e)
}

// without is the events but for those of the kind.
func without(events []tpot.TraceEvent, k tpot.Kind) []tpot.TraceEvent {
	return slices.DeleteFunc(events, func(e tpot.TraceEvent) bool { return e.Event.Kind&k != 0 })
}

// tokenByToken has a chunk for each token, at the offset at which it came.
func tokenByToken(events []tpot.TraceEvent) (split []tpot.TraceEvent) {
	for _, e := range events {
		for range max(e.Event.Tokens, 1) {
			one := e
			one.Event.Tokens = min(e.Event.Tokens, 1)
			split = append(split, one)
		}
	}
	return split
}

// usageOnLast has the usage on its last chunk.
func usageOnLast(events []tpot.TraceEvent) []tpot.TraceEvent {
	events = without(events, tpot.KindUsage)
	events[4].Event.Kind |= tpot.KindUsage
	events[4].Event.Usage = tpot.Usage{Output: 9}
	return events
}

// changed names what differs between the figures of two traces.
func changed(a, b convention.Figures) (names []string) {
	figures := named(b)
	for name, figure := range named(a) {
		if other := figures[name]; figure.Value != other.Value || (figure.Undefined == "") != (other.Undefined == "") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(a.Gaps, b.Gaps) {
		names = append(names, "gaps")
	}
	if a.N != b.N || a.Source != b.Source {
		names = append(names, "N")
	}
	return names
}

// What each way of splitting or adding events is to change, of each tool; of those that are not named, and of other figures, nothing.
func TestOnlyToolsThatLookAtEventsChangeWithThem(t *testing.T) {
	perChunk := "ITL gaps"
	noUsage := without(whole(), tpot.KindUsage)
	threeFirst := without(whole(), tpot.KindRole)
	threeFirst[0].Event.Tokens = 3
	unknown := without(whole(), tpot.KindUsage)
	for i := range unknown {
		unknown[i].Event.Tokens = 0
	}
	for name, split := range map[string]struct {
		from, to []tpot.TraceEvent
		changes  map[string]string
	}{
		"a chunk for each token": {whole(), tokenByToken(whole()), map[string]string{
			// gaps of 0 more; of those that spread a gap over its tokens the mean stays
			"vllm-bench": perChunk, "trtllm-serve": perChunk, "sglang-bench": perChunk, "aiperf": "gaps", "aiperf-first-chunk": "gaps", "genai-perf": "gaps",
			"tokentiming": "gaps", "sglang-bench-spec": "gaps",
		}},
		"a chunk for each token, without usage": {noUsage, tokenByToken(noUsage), map[string]string{
			"vllm-bench": perChunk, "trtllm-serve": perChunk, "sglang-bench": perChunk, "aiperf": "gaps", "aiperf-first-chunk": "gaps", "genai-perf": "gaps",
			"tokentiming": "gaps", "sglang-bench-spec": "gaps",
			"guidellm": "ITL TPOT N", "llmperf": "ITL N", // which count chunks, and events
		}},
		"a chunk for each token, three of them in the first": {threeFirst, tokenByToken(threeFirst), map[string]string{
			"vllm-bench": perChunk, "trtllm-serve": perChunk, "sglang-bench": perChunk, "aiperf": "TTST gaps", "aiperf-first-chunk": "TTST gaps",
			"genai-perf": "TTST gaps", "tokentiming": "ITL TTST gaps", "sglang-bench-spec": "ITL gaps",
		}},
		"an empty delta": {noUsage, inserted(without(whole(), tpot.KindUsage), event(280, ch|tpot.KindStatus, 0)), map[string]string{
			"vllm-bench": perChunk, "trtllm-serve": perChunk, "llmperf": "ITL N",
		}},
		"an empty delta, counts unknown": {unknown, inserted(slices.Clone(unknown), event(280, ch|tpot.KindStatus, 0)), map[string]string{
			"vllm-bench": perChunk, "trtllm-serve": perChunk, "llmperf": "ITL N",
		}},
		"an event without choices": {noUsage, inserted(without(whole(), tpot.KindUsage), event(280, tpot.KindStatus, 0)), map[string]string{
			"trtllm-serve": perChunk, // the gap begins there
			"llmperf":      "E2E ITL TTFT N", "hf-benchmarker": "E2E ITL TTFT N",
			"etalon": "E2E ITL TPOT gaps N", // reads no further
		}},
		"a comment": {noUsage, inserted(without(whole(), tpot.KindUsage), event(280, tpot.KindPing, 0)), map[string]string{
			"trtllm-serve": "E2E ITL TPOT TTFT gaps N", "llmperf": "E2E ITL TTFT N",
			"sglang-bench": "E2E ITL TTFT gaps", "sglang-bench-spec": "E2E ITL TTFT gaps", // whose N was not known
		}},
		"usage on the last chunk": {whole(), usageOnLast(whole()), map[string]string{
			"vllm-bench": "TPOT N", "trtllm-serve": "E2E TPOT N", // which look for it on events without choices, the latter's end
			"llmperf": "E2E ITL TTFT N", "hf-benchmarker": "E2E ITL TTFT N",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			eachConvention(t, func(t *testing.T, c convention.Convention) {
				from, to := stream(split.from...), stream(split.to...)
				assert.Equal(t, split.changes[c.Name], strings.Join(changed(c.Figures(from), c.Figures(to)), " "))
			})
			for name := range split.changes {
				byName(t, name)
			}
		})
	}
}

const wires = "../internal/wire/testdata"

// tapped is the trace of a scripted response, taken from the wire.
func tapped(t *testing.T, script llmtest.Script) (trace tpot.Trace) {
	server := llmtest.Start(script)
	defer server.Close()
	tracker := &tpot.Tracker{TraceEvents: 1 << 20}
	ctx, rec := tracker.Start(t.Context(), tpot.Request{Model: "acme", MaxTokens: 64})
	client := &http.Client{Transport: &tap.Transport{Base: server.Client().Transport, Tracker: tracker}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	rec.EndResponse(err)
	client.CloseIdleConnections()
	trace = rec.Trace()
	trace.Start = trace.Start.Round(0)
	return trace
}

// inPieces is the script with each write as several at its offset.
func inPieces(rnd *rand.Rand, script llmtest.Script, most int) llmtest.Script {
	var writes []llmtest.Write
	for _, w := range script.Writes {
		rest := w.Bytes()
		for n := 1; len(rest) > 0; rest = rest[n:] {
			n = min(1+rnd.IntN(most), len(rest))
			writes = append(writes, llmtest.Write{At: w.At, Events: []llmtest.Event{{Bytes: rest[:n]}}})
		}
	}
	script.Writes = writes
	return script
}

func TestBytesInPiecesAreTheSameTrace(t *testing.T) {
	files, err := filepath.Glob(wires + "/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			script, err := llmtest.Fixture(os.DirFS(wires), name)
			require.NoError(t, err)
			synctest.Test(t, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(i), 5))
				whole := tapped(t, script)
				require.NotEmpty(t, whole.Events)
				for _, most := range []int{7, 300} {
					if name == "long_line_200k" {
						most *= 100
					}
					pieces := tapped(t, inPieces(rnd, script, most))
					pieces.Start = whole.Start // the clock of a bubble goes on
					require.Equal(t, whole, pieces)
					for _, c := range convention.All() {
						require.Equal(t, c.Figures(whole), c.Figures(pieces), c.Name)
					}
				}
			})
		})
	}
}
