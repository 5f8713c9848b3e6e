package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// What events carry.
var (
	generated      = Events{{Any: tpot.KindGenerated}}
	visible        = Events{{Any: tpot.KindVisible}}
	choices        = Events{{Any: tpot.KindChoices}}
	text           = Events{{Any: tpot.KindText}}
	textual        = Events{{Any: tpot.KindText | tpot.KindReasoning}}                                         // the channels that are text
	deltas         = Events{{Any: tpot.KindText | tpot.KindReasoning | tpot.KindToolCall | tpot.KindToolMeta}} // a tool's id and name, too
	answers        = Events{{Any: tpot.KindText | tpot.KindToolCall | tpot.KindToolMeta}}
	data           = Events{{Any: ^(tpot.KindDone | tpot.KindPing)}} // all but the end marker and keep-alives
	lines          = Events{{Any: ^tpot.KindPing}}
	marker         = Events{{Any: tpot.KindDone}}
	withoutChoices = Events{{Any: ^tpot.KindChoices, Without: tpot.KindChoices}}
	comments       = Events{{Any: tpot.KindPing}}
	errors         = Events{{Any: tpot.KindError}}
	ended          = Events{{Any: tpot.KindDone}, {With: tpot.KindText | tpot.KindFinish}} // or text that came with a finish reason
	// noChoices are the OpenAI-shaped events whose list of choices is empty: usage at the end, Azure's first.
	noChoices = Events{{Any: tpot.KindUsage | tpot.KindStatus, Without: tpot.KindChoices | tpot.KindError}}
)

// What breaks the parsers of some tools.
const (
	breaksAtNoChoices = "an event without choices makes the tool lose the request"
	breaksAtComments  = "a comment breaks the tool's parser and the request is lost"
)

// Tokentiming is this module's own convention: what [tpot.Stats] gives, worked out from the trace. TTFT is the first generated output of any
// channel, the time per token goes from the first chunk to the last, over N-1, and a gap is spread over the tokens of the chunk that ends it.
// Its quantiles are exact where those of Stats and of monitor are within 2 %.
var Tokentiming = Convention{
	Name: "tokentiming", Tool: "this module",
	First: generated, Output: visible, Second: true, Last: generated, End: End{Body: true, Done: true},
	Tokens: generated, N: []Source{SourceUsage, SourceTokens, SourceChunks},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst, Chunks: 2},
	ITL:  PerToken{Of: MeanGap}, Gaps: GapSpreadKnown,
	Apart: true, Streamed: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: BySLOMet},
}

// OTelServer is OpenTelemetry's gen_ai.server.time_to_first_token and gen_ai.server.time_per_output_token, which servers report: the time per
// token is the request's duration less TTFT, over the tokens after the first, of successful responses only. Worked out from a client's trace
// the network and the client are in it, and reasoning that was not streamed is in the tokens but not in the time. The client metrics of the
// same conventions are gaps of chunks, see package otelx.
var OTelServer = Convention{
	Name: "otel-server", Tool: "OpenTelemetry semantic conventions, server metrics", Version: "1.41.0", Date: "2026-04-28",
	First: generated, Last: generated, End: End{Body: true, Whole: true},
	Tokens: generated, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToEnd, Over: AfterFirst},
}

// VLLMBench is `vllm bench serve` with its chat backend. It looks at choices alone: the first event with some is TTFT, whatever it carries, and
// every later one is a gap, the empty ones and the finish reason too. It reads usage only where there are no choices. A request of up to one
// token has no TPOT and meets any limit on it. Without usage and tokenizer N is 1. An empty population it prints as 0. It counts a request
// with an error in the stream as a success.
var VLLMBench = Convention{
	Name: "vllm-bench", Tool: "vLLM, vllm bench serve, chat", Version: "02cfb534, 009e6d4a", Date: "2026-09-13",
	First: choices, Last: choices, End: End{At: choices},
	Tokens: text, N: []Source{SourceLoneUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst},
	ITL:  PerToken{Of: MeanGap}, Gaps: GapWhole, Filled: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: MissingPasses},
}

// TRTLLMServe is TensorRT-LLM's benchmark_serving with its chat backend, which is vLLM's before its change of 2026-09-13 (vllm#55508): any event
// but the end marker moves the end, usage and errors too, and so TPOT and E2E. Every response is a success to it, one with an error in the
// stream too; one without choices enters its TTFT as 0, and the whole time its TPOT; one without any event crashes its report.
// It loses a request in which a comment comes.
var TRTLLMServe = Convention{
	Name: "trtllm-serve", Tool: "TensorRT-LLM, benchmark_serving, chat", Version: "9600c883, f61d71d9",
	First: choices, Last: data, End: End{At: data},
	Tokens: text, N: []Source{SourceLoneUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst},
	ITL:  PerToken{Of: MeanGap}, Gaps: GapWhole, From: data,
	Breaks: []Break{{comments, breaksAtComments}},
	Run:    Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: MissingPasses},
}

// SGLangBench is SGLang's serving benchmark with its chat backend. It ends with the last line, the end marker included, and where no usage
// comes takes max_tokens for N. It does not see tool calls: where nothing else came it keeps a TTFT of 0, and divides the whole latency. It
// counts a request with an error in the stream as a success, and loses one in which a comment comes.
var SGLangBench = Convention{
	Name: "sglang-bench", Tool: "SGLang, bench_serving, chat", Version: "00f9ec47",
	First: textual, Last: lines, End: End{At: lines},
	N:    []Source{SourceUsage, SourceMaxTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst},
	ITL:  PerToken{Of: MeanGap}, Gaps: GapWhole,
	Breaks: []Break{{comments, breaksAtComments}},
	Run:    Run{Quantile: QuantileLinear, Std: StdPopulation},
}

// SGLangBenchSpec is [SGLangBench] against a server that reports speculative decoding: the text of each event is tokenized again, and its gap
// is spread over the tokens. A text of no token is divided by, and crashes its report.
var SGLangBenchSpec = SGLangBench.with("sglang-bench-spec", func(c *Convention) {
	c.Tool += ", speculative decoding"
	c.Gaps = GapSpread
})

// AIPerf is NVIDIA's AIPerf. A tool call's name counts as output; an id alone, which here counts too, does not to the tool. Its one time per token
// is called ITL, ICL are the gaps, of which it prints the quantiles from a sketch. N is what usage says, as with --use-server-token-count,
// where there is no ITL without usage, else what its tokenizer counts, as without that flag.
var AIPerf = Convention{
	Name: "aiperf", Tool: "AIPerf", Version: "58dd5dea, 58028d5b, 4f7ccffd, cf79369e, 00a8e858, 0fec57a6",
	First: deltas, Output: answers, Second: true, Last: deltas, End: End{At: deltas},
	Tokens: deltas, N: []Source{SourceUsage, SourceTokens},
	ITL: PerToken{Of: FirstToLast, Over: AfterFirst}, Gaps: GapWhole, Filled: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, ToLast: true, Goodput: MissingFails},
}

// AIPerfFirstChunk is [AIPerf] with --per-chunk-usage: the tokens of the first chunk do not count.
var AIPerfFirstChunk = AIPerf.with("aiperf-first-chunk", func(c *Convention) {
	c.Tool += ", usage on each chunk"
	c.ITL.Over = AfterFirstChunk
})

// GenAIPerf is Triton's genai-perf. It sees text alone and drops everything else with its time stamp. Its Gaps are what it calls chunked ITL.
// Its goodput pairs the lists of several limits by position, which no longer match once a request lacks a figure; the tool prints a number all
// the same. An ITL of 0 crashes it. Of an error in the stream it drops the event, and counts the request.
var GenAIPerf = Convention{
	Name: "genai-perf", Tool: "GenAI-Perf", Version: "263c5f6e", Date: "2025-12-15",
	First: text, Second: true, Last: text, End: End{At: text},
	Tokens: text, N: []Source{SourceTokens},
	ITL: PerToken{Of: FirstToLast, Over: AfterFirst, Chunks: 2}, Gaps: GapDivided, Filled: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, ToLast: true, Goodput: MissingSpoils},
}

// GuideLLM is guidellm. Its TPOT is the whole time until the last chunk over N, so TTFT is in it; its ITL is what others call TPOT. Without
// usage its tokens are chunks. Both times per token count once for each token. Its clock is the wall clock. A response of which it sees nothing
// it keeps if usage counts tokens, with a TTFT of 0; it rejects one of reasoning alone, or of blanks, without usage.
var GuideLLM = Convention{
	Name: "guidellm", Tool: "GuideLLM", Version: "ee7a7745", Date: "2026-08-07",
	First: deltas, Output: answers, Last: deltas, End: End{At: marker, Body: true, Whole: true},
	N:    []Source{SourceUsage, SourceChunks},
	TPOT: PerToken{Of: StartToLast, Over: AllTokens}, ITL: PerToken{Of: FirstToLast, Over: AfterFirst}, Filled: true,
	Run: Run{Quantile: QuantileInverseCDF, Std: StdPopulation, Weighted: true},
}

// InferencePerf is the Kubernetes project's inference-perf with its tokenizer. It sees text alone. Below two tokens there is nothing but E2E
// and NTPOT, which is the whole time over N and 0 for no token. Lines that end with CR LF, or with no space after "data:", it does not see, nor
// an error in the stream, and calls the request a success. Its goodput is over the time of the successful requests.
var InferencePerf = Convention{
	Name: "inference-perf", Tool: "inference-perf", Version: "7de5ef2e", Date: "2026-08-19",
	First: text, Last: text, End: End{Body: true},
	Tokens: text, N: []Source{SourceTokens}, Least: 2,
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst}, NTPOT: PerToken{Of: StartToEnd, Over: AllTokens},
	ITL: PerToken{Of: MeanGap}, Gaps: GapThenZeros,
	Run: Run{Quantile: QuantileLinear, ToLast: true, Goodput: MissingFails},
}

// InferencePerfServer is [InferencePerf] with use_server_output_tokens: N is the usage. The gaps stay those of its tokenizer.
var InferencePerfServer = InferencePerf.with("inference-perf-server", func(c *Convention) {
	c.Tool += ", use_server_output_tokens"
	c.N = []Source{SourceUsage, SourceTokens}
})

// LLMPerf is Ray's llmperf. Its ITL is the time from the start to the last text over the number of events, roles and empty ones included, so
// TTFT is in it. A request in which an event without choices comes, as usage does, or an error, or a comment, it loses, and with it the thread
// that sent it: it divides by an E2E of 0. TTFT and ITL of a request without text it takes for 0. The N that it prints is its tokenizer's.
var LLMPerf = Convention{
	Name: "llmperf", Tool: "LLMPerf", Version: "f1d6bed4", Date: "2024-12-08",
	First: text, Last: text, End: End{Body: true, Whole: true},
	N:      []Source{SourceEvents},
	ITL:    PerToken{Of: StartToLast, Over: AllTokens},
	Breaks: []Break{{comments, breaksAtComments}, {noChoices, breaksAtNoChoices}},
	Run:    Run{Quantile: QuantileLinear, Std: StdSample},
}

// Etalon is project-etalon's etalon. A chunk is a gap and then zeros for its further tokens. One token gives a TPOT of 0, which takes part in
// the mean. It stops reading at an event without choices, as usage is, and counts the request with what came before. Figures of a request
// without text it takes for 0, and those of failed requests, as far as they got, are among the others. It reads its quantiles from a sketch
// with a relative error of 0.001.
var Etalon = Convention{
	Name: "etalon", Tool: "Etalon", Version: "d5f18de1", Date: "2024-08-29",
	First: text, Last: text, End: End{At: text},
	Tokens: text, N: []Source{SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst, Zero: true},
	ITL:  PerToken{Of: MeanGap}, Gaps: GapThenZeros, Until: slices.Concat(noChoices, errors),
	Run: Run{Quantile: QuantileLower},
}

// HFBenchmarker is Hugging Face's inference-benchmarker. Its one time per token is called ITL, in whole nanoseconds, and 0 for a reply in one
// chunk. E2E ends with the end marker, or a finish reason that came with text; a request with neither is a failure. It loses a request in
// which an event without choices comes, as usage does, or a text of no token.
var HFBenchmarker = Convention{
	Name: "hf-benchmarker", Tool: "Hugging Face inference-benchmarker", Version: "dfef39d5", Date: "2026-04-24",
	First: text, Last: text,
	End:    End{At: slices.Concat(ended, errors), Filled: true},
	Tokens: text, N: []Source{SourceTokens},
	ITL: PerToken{Of: FirstToLast, Over: AfterFirst, Zero: true, Floor: true}, Filled: true, Ended: ended, Until: errors,
	Breaks: []Break{{noChoices, breaksAtNoChoices}},
	Run:    Run{Quantile: QuantileLinear},
}

// TRTLLMBench is TensorRT-LLM's trtllm-bench, which runs the engine in its own process, and stamps there. Up to one token gives a TPOT of 0, which
// takes part in mean and quantiles. A request that fails ends the run.
var TRTLLMBench = Convention{
	Name: "trtllm-bench", Tool: "TensorRT-LLM, trtllm-bench", Version: "77d7fe1e, 02499765, 00c7a534",
	First: deltas, Last: deltas, End: End{At: deltas},
	Tokens: deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst, Zero: true},
	Run:  Run{Quantile: QuantileFloor},
}

// MLPerf is MLCommons' LoadGen, which the system under test tells of its first and last token; times are from when a request was to be issued.
// For up to one token it logs an error, and divides by -1 all the same. It counts no good requests: a run is valid when the 99th percentiles of
// TTFT and TPOT keep to their limits, see [Summary.P99Within], and its early stopping agrees.
var MLPerf = Convention{
	Name: "mlperf", Tool: "MLPerf LoadGen", Version: "b66003e1", Date: "2026-08-20",
	First: deltas, Last: deltas, End: End{At: deltas},
	Tokens: deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst, Floor: true},
	Run:  Run{Quantile: QuantileFloor},
}

// Engine is the formula of the servers that report (last - first)/(N - 1) for each request: vLLM's and TensorRT-LLM's own metrics. Where N is up
// to 1, vLLM observes 0, TensorRT-LLM nothing, nor does that where there are several choices.
var Engine = Convention{
	Name: "engine", Tool: "time per token of vLLM's and TensorRT-LLM's server metrics", Version: "28ed1fb8, 11ef94fe",
	First: deltas, Last: deltas, End: End{At: deltas},
	Tokens: deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AfterFirst},
}

// LlamaCPP is the formula of llama.cpp's timings and Ollama's eval_duration over eval_count: all tokens divide the time, the first too.
var LlamaCPP = Convention{
	Name: "llamacpp", Tool: "llama.cpp's timings, Ollama's eval fields", Version: "fb402660, 6e68feda",
	First: deltas, NoTTFT: true, Last: deltas,
	Tokens: deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: FirstToLast, Over: AllTokens},
}

// with is a convention like c but for its name and what change does.
func (c Convention) with(name string, change func(*Convention)) Convention {
	c.Name = name
	change(&c)
	return c
}
