package convention_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// These are rules of the tools that the fixtures do not decide, each with the lines of the tool's source that it was read from. Times are
// milliseconds; an event of a kind without KindChoices is one whose list of choices is empty.

const ch = tpot.KindChoices

// event is one at an offset in milliseconds.
func event(at float64, kind tpot.Kind, tokens int) tpot.TraceEvent {
	return tpot.TraceEvent{At: ms(at), Event: tpot.Event{Kind: kind, Tokens: tokens}}
}

// stream is a response that was read to its end, 5 ms after its last event.
func stream(events ...tpot.TraceEvent) tpot.Trace {
	return tpot.Trace{Start: epoch, Events: events, End: events[len(events)-1].At + ms(5), Outcome: tpot.OutcomeOK}
}

func checkValue(t *testing.T, want float64, got convention.Figure, what string) {
	t.Helper()
	assert.Empty(t, got.Undefined, what)
	assert.Equal(t, ms(want), got.Value, what)
}

// Which deltas count as first. None of the tools looks at delta.refusal:
// vLLM 02cfb534 endpoint_request_func.py and TensorRT-LLM 9600c883 backend_request_func.py take any event with choices,
// SGLang 00f9ec47 serving.py _combine_openai_chat_content reasoning and content, AIPerf 00a8e858 openai_chat.py extract_chat_response_data and
// guidellm ee7a7745 request_handlers.py ChatCompletionsRequestHandler.add_streaming_line these and tool_calls, genai-perf 263c5f6e
// _extract_openai_chat_text_output, inference-perf 7de5ef2e chat.py process_response, llmperf f1d6bed4, etalon d5f18de1 and
// inference-benchmarker dfef39d5 requests.rs content alone.
func TestFirstOfEachKind(t *testing.T) {
	trace := stream(event(80, ch|tpot.KindRole, 0), event(120, ch|tpot.KindRefusal, 1), event(160, ch|tpot.KindReasoning, 1),
		event(200, ch|tpot.KindToolMeta, 1), event(240, ch|tpot.KindText, 2), event(250, ch|tpot.KindFinish, 0), event(260, tpot.KindDone, 0))
	for name, want := range map[string]float64{
		"tokentiming": 120, "otel-server": 120, "vllm-bench": 80, "trtllm-serve": 80, "sglang-bench": 160, "sglang-bench-spec": 160, "aiperf": 160,
		"aiperf-first-chunk": 160, "genai-perf": 240, "guidellm": 160, "inference-perf": 240, "inference-perf-server": 240, "llmperf": 240,
		"etalon": 240, "hf-benchmarker": 240,
	} {
		checkValue(t, want, byName(t, name).Figures(trace).TTFT, name)
	}
	checkValue(t, 200, convention.AIPerf.Figures(trace).TTFO, "AIPerf")
	checkValue(t, 200, convention.GuideLLM.Figures(trace).TTFO, "guidellm") // had_content = True for any element of tool_calls
}

// etalon d5f18de1, openai_chat_completions_client.py: data["choices"][0] of an empty list raises, out of the loop that reads; the except clause
// logs it, error_code stays None, and metric_store.py add_request_metrics counts the request as completed.
func TestEtalonReadsNothingAfterAnEventWithoutChoices(t *testing.T) {
	first := stream(event(50, tpot.KindStatus, 0), event(100, ch|tpot.KindText, 1), event(200, ch|tpot.KindText, 1), event(210, tpot.KindDone, 0))
	f := convention.Etalon.Figures(first)
	assert.NotEmpty(t, f.TTFT.Undefined, "0 to the tool, which is no time to anything")
	assert.Empty(t, f.Gaps)
	assert.Empty(t, f.Excluded)
	assert.Equal(t, 1, convention.Etalon.Summarize([]tpot.Trace{first}, tpot.SLO{}).Counted)
	assert.Contains(t, convention.Etalon.Explain(first, convention.Tokentiming), "reads nothing after the empty event")

	middle := stream(event(100, ch|tpot.KindText, 1), usageAt(150, 1, 0), event(200, ch|tpot.KindText, 1), event(300, ch|tpot.KindText, 1))
	f = convention.Etalon.Figures(middle)
	checkValue(t, 100, f.TTFT, "TTFT")
	checkValue(t, 100, f.E2E, "E2E: sum([100])")
	checkValue(t, 0, f.TPOT, "TPOT: fewer than two inter_token_times")
	assert.Equal(t, 1, f.N)
	checkValue(t, 100, convention.GenAIPerf.Figures(middle).ITL, "(300-100)/(3-1)")

	last := stream(event(100, ch|tpot.KindText, 1), event(200, ch|tpot.KindText, 1), usageAt(250, 2, 0), event(260, tpot.KindDone, 0))
	for _, difference := range convention.Etalon.Explain(last, convention.Tokentiming) {
		assert.NotContains(t, difference, "reads nothing", "where nothing that it sees is left to read")
	}
}

// inference-benchmarker dfef39d5, requests.rs: stop() sets end_time anew, at a finish reason that comes with content and again at [DONE]; an empty
// content is passed over before its finish reason is looked at; StreamEnded without an end_time is fail().
func TestHFBenchmarkerEnds(t *testing.T) {
	text, finish := event(100, ch|tpot.KindText, 1), tpot.KindFinish|ch
	for _, of := range []struct {
		name    string
		end     []tpot.TraceEvent
		e2e     float64
		counted int
	}{
		{"text that finishes, then [DONE]", []tpot.TraceEvent{event(300, finish|tpot.KindText, 1), event(320, tpot.KindDone, 0)}, 320, 1},
		{"text that finishes", []tpot.TraceEvent{event(300, finish|tpot.KindText, 1)}, 300, 1},
		{"[DONE]", []tpot.TraceEvent{event(200, ch|tpot.KindText, 1), event(300, finish, 0), event(320, tpot.KindDone, 0)}, 320, 1},
		{"a finish reason alone", []tpot.TraceEvent{event(200, ch|tpot.KindText, 1), event(300, finish, 0)}, 0, 0},
	} {
		trace := stream(append([]tpot.TraceEvent{text}, of.end...)...)
		f := convention.HFBenchmarker.Figures(trace)
		if of.e2e > 0 {
			checkValue(t, of.e2e, f.E2E, of.name)
		} else {
			assert.NotEmpty(t, f.E2E.Undefined, of.name)
		}
		assert.Equal(t, of.counted == 0, f.Excluded != "", of.name)
		assert.Equal(t, of.counted, convention.HFBenchmarker.Summarize([]tpot.Trace{trace}, tpot.SLO{}).Counted, of.name)
	}
}

// TensorRT-LLM 9600c883, backend_request_func.py: the chat path sets output.success before it reads, and every event that is not [DONE] sets
// most_recent_timestamp. vLLM 02cfb534 sets success only if first_chunk_received.
func TestTRTLLMServeCountsAResponseWithoutChoices(t *testing.T) {
	trace := stream(usageAt(80, 5, 0), event(90, tpot.KindDone, 0))
	f := convention.TRTLLMServe.Figures(trace)
	assert.Empty(t, f.Excluded)
	checkValue(t, 80, f.E2E, "E2E")
	assert.Equal(t, 5, f.N)
	assert.NotEmpty(t, f.TTFT.Undefined, "0 to the tool")
	assert.NotEmpty(t, f.TPOT.Undefined, "(80-0)/(5-1) to the tool")
	assert.NotEmpty(t, convention.VLLMBench.Figures(trace).Excluded)
}

// run is two responses of 2 tokens that end 500 and 900 ms after the epoch, and one that failed, 2000 ms after it.
func run() []tpot.Trace {
	a := stream(event(100, ch|tpot.KindText, 1), event(490, ch|tpot.KindText, 1), event(495, tpot.KindDone, 0))
	b := stream(event(200, ch|tpot.KindText, 1), event(780, ch|tpot.KindText, 1), event(795, tpot.KindDone, 0))
	b.Start = epoch.Add(ms(100))
	failed := stream(event(1995, tpot.KindError, 0))
	failed.Outcome = tpot.OutcomeFailed
	return []tpot.Trace{a, b, failed}
}

// inference-perf 7de5ef2e, reportgen/base.py: summarize_requests passes all_successful to calculate_goodput_metrics, whose total_benchmark_time is
// max(end_time) - min(start_time) of these. vLLM 009e6d4a, serve.py benchmark: the time until all requests have returned. AIPerf 533b2050,
// max_response_metric.py: the last start + request_latency, of valid records. genai-perf 263c5f6e: max_res_timestamp, the last text.
func TestWhatARateIsDividedBy(t *testing.T) {
	for name, want := range map[string]float64{"inference-perf": 900, "vllm-bench": 2000, "aiperf": 100 + 780, "genai-perf": 100 + 780} {
		checkTime(t, want, byName(t, name).Summarize(run(), tpot.SLO{TTFT: ms(150)}).Duration, name)
	}
	perSecond, ok := convention.InferencePerf.Summarize(run(), tpot.SLO{TTFT: ms(150)}).Goodput()
	require.True(t, ok)
	assert.InDelta(t, 1/0.9, perSecond, 1e-9)
}

// The limits that there are: vLLM 009e6d4a and TensorRT-LLM f61d71d9 ttft, tpot, e2el; AIPerf cf79369e the tag of any metric, among them
// time_to_first_output_token; genai-perf 263c5f6e llm_goodput_calculator.py and inference-perf 7de5ef2e have none for a first output.
func TestLimitsThatAToolHas(t *testing.T) {
	for name, toOutput := range map[string]bool{
		"vllm-bench": false, "trtllm-serve": false, "aiperf": true, "genai-perf": false, "inference-perf": false,
	} {
		c := byName(t, name)
		for _, slo := range []tpot.SLO{{TTFT: ms(150)}, {TPOT: ms(390)}, {E2E: ms(500)}} {
			s := c.Summarize(run(), slo)
			assert.Empty(t, s.GoodUndefined, name)
			assert.Equal(t, 1, s.Good, "%s: the first, of 100, 390 and at most 500 ms, not the second, of 200, 580 and 780 or more", name)
		}
		assert.Equal(t, toOutput, c.Summarize(run(), tpot.SLO{TTFO: ms(150)}).GoodUndefined == "", name)
		for _, slo := range []tpot.SLO{{ITL99: time.Second}, {Stall: time.Second}} {
			assert.NotEmpty(t, c.Summarize(run(), slo).GoodUndefined, name)
		}
	}
}

// genai-perf 263c5f6e, llm_goodput_calculator.py: zip(*requests_time_metric_values) of a single list has nothing to lose step with; a request that
// is not in the list of inter token latencies is no good one. With a second list the shorter one shifts.
func TestGenAIPerfPairsTheListsOfSeveralLimits(t *testing.T) {
	one := stream(event(90, ch|tpot.KindText, 1), event(95, tpot.KindDone, 0))
	traces := append(run(), one)
	s := convention.GenAIPerf.Summarize(traces, tpot.SLO{TPOT: ms(600)})
	assert.Empty(t, s.GoodUndefined)
	assert.Equal(t, 2, s.Good)
	s = convention.GenAIPerf.Summarize(traces, tpot.SLO{TPOT: ms(600), TTFT: ms(600)})
	assert.NotEmpty(t, s.GoodUndefined)
	assert.Zero(t, s.Good)
}

// genai-perf 263c5f6e, llm_profile_data_parser.py: chunked_inter_token_latency.append(round((t2 - t1) / num_token)), in nanoseconds.
func TestGenAIPerfRoundsItsGaps(t *testing.T) {
	text := ch | tpot.KindText
	trace := stream(event(0, text, 1), event(10e-6, text, 3), event(30e-6, text, 3))
	assert.Equal(t, []time.Duration{3, 7}, convention.GenAIPerf.Figures(trace).Gaps) // 10/3 and 20/3
}

// Every tool that holds requests against limits has a tokenizer or usage. Where a trace has neither, nobody can say.
func TestGoodputOfAnUnknownNumberOfTokens(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 0), event(200, ch|tpot.KindText, 0), event(210, tpot.KindDone, 0))
	for _, name := range []string{"vllm-bench", "trtllm-serve", "aiperf", "genai-perf", "inference-perf"} {
		c := byName(t, name)
		assert.NotEmpty(t, c.Summarize([]tpot.Trace{trace}, tpot.SLO{TPOT: time.Hour}).GoodUndefined, name)
		assert.Equal(t, 1, c.Summarize([]tpot.Trace{trace}, tpot.SLO{E2E: time.Hour}).Good, name)
	}
}

// OpenTelemetry semantic conventions 1.41.0, gen-ai-metrics.md: (request duration - time to first token) / (output tokens after the first), for
// successful responses.
func TestOTelServerIsOfSuccessfulResponses(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 1), event(200, ch|tpot.KindText, 1), usageAt(290, 5, 0), event(295, tpot.KindDone, 0))
	checkValue(t, 50, convention.OTelServer.Figures(trace).TPOT, "(300-100)/(5-1)")
	for _, outcome := range []tpot.Outcome{tpot.OutcomeFailed, tpot.OutcomeCanceled} {
		trace.Outcome = outcome
		f := convention.OTelServer.Figures(trace)
		assert.NotEmpty(t, f.TPOT.Undefined, outcome)
		assert.NotEmpty(t, f.Excluded, outcome)
	}
}

// Of each choice's chunks the gaps begin at its own events.
func TestGapsFromOtherEventsAreOfOneChoice(t *testing.T) {
	of := func(choice int, e tpot.TraceEvent) tpot.TraceEvent {
		e.Event.Choice = choice
		return e
	}
	c := convention.Convention{
		Chunks: convention.Text, GapsFrom: convention.Data, Gaps: convention.GapWhole, PerChoice: true,
		ITL: convention.PerToken{Of: convention.WindowGaps},
	}
	f := c.Figures(stream(
		of(0, event(100, tpot.KindText|ch, 1)), of(1, event(110, tpot.KindText|ch, 1)),
		of(0, event(130, tpot.KindRole|ch, 0)), // a gap of choice 0 begins anew
		of(0, event(150, tpot.KindText|ch, 1)), of(1, event(180, tpot.KindText|ch, 1)),
	))
	assert.Equal(t, []time.Duration{ms(20), ms(70)}, f.Gaps)
	checkValue(t, 45, f.ITL, "ITL")
}

func TestTheZeroConventionReportsNothing(t *testing.T) {
	trace := stream(event(100, ch|tpot.KindText, 2), event(200, tpot.KindDone, 0))
	f := convention.Convention{}.Figures(trace)
	for name, figure := range map[string]convention.Figure{
		"TTFT": f.TTFT, "TTFO": f.TTFO, "TTST": f.TTST, "TPOT": f.TPOT, "ITL": f.ITL, "NTPOT": f.NTPOT, "E2E": f.E2E,
	} {
		assert.Equal(t, convention.Figure{Undefined: "the tool reports no figure under this name"}, figure, name)
	}
	assert.Empty(t, f.Source)
	assert.Nil(t, f.Gaps)
	s := convention.Convention{}.Summarize([]tpot.Trace{trace}, tpot.SLO{TTFT: 1})
	assert.Equal(t, "the tool reports no figure under this name", s.TTFT.Mean.Undefined)
	assert.Equal(t, "the tool counts no good requests", s.GoodUndefined)
}
