package convention

import (
	"slices"

	"github.com/tokentiming/tokentiming/tpot"
)

// ended is the events that end a response to HFBenchmarker: the end marker, or text that came with a finish reason.
var ended = Events{{Any: tpot.KindDone}, {With: tpot.KindText | tpot.KindFinish}}

// What breaks the parsers of some tools.
const (
	breaksAtNoChoices = "an event without choices makes the tool lose the request"
	breaksAtComments  = "a keep-alive breaks the tool's parser and the request is lost"
)

// Tokentiming is this module's own convention: what [tpot.Stats] gives, worked out from the trace. TTFT is the first generated output of any
// channel, the time per token goes from the first chunk to the last, over N-1, and a gap is spread over the tokens of the chunk that ends it.
// Its quantiles are exact where those of Stats and of monitor are within 2 %.
var Tokentiming = Convention{
	Name: "tokentiming", Tool: "this module",
	Chunks: Generated, Output: Visible, TTST: true, Last: Generated, End: End{Body: true, Complete: true},
	Tokens: Generated, N: []Source{SourceUsage, SourceTokens, SourceChunks},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, MinChunks: 2},
	ITL:  PerToken{Of: WindowGaps}, Gaps: GapSpreadKnown,
	PerChoice: true, Streamed: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: GoodputBySLOMet},
}

// OTelServer is OpenTelemetry's gen_ai.server.time_to_first_token and gen_ai.server.time_per_output_token, which servers report: the time per
// token is the request's duration less TTFT, over the tokens after the first, of successful responses only. Worked out from a client's trace
// the network and the client are in it, and reasoning that was not streamed is in the tokens but not in the time. The client metrics of the
// same conventions are gaps of chunks, see package otelx.
var OTelServer = Convention{
	Name: "otel-server", Tool: "OpenTelemetry semantic conventions, server metrics", Version: "1.41.0", Date: "2026-04-28",
	Chunks: Generated, Last: Generated, End: End{Body: true, NeedsOK: true},
	Tokens: Generated, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToEnd, Over: OverAfterFirst},
}

// VLLMBench is `vllm bench serve` with its chat backend. It looks at choices alone: the first event with some is TTFT, whatever it carries, and
// every later one is a gap, the empty ones and the finish reason too. It reads usage only where there are no choices. A request of up to one
// token has no TPOT and meets any limit on it. Without usage and tokenizer N is 1. An empty population it prints as 0. It counts a request
// with an error in the stream as a success.
var VLLMBench = Convention{
	Name: "vllm-bench", Tool: "vLLM, vllm bench serve, chat", Version: "02cfb534, 009e6d4a", Date: "2026-09-13",
	Chunks: WithChoices, Last: WithChoices, End: End{At: WithChoices},
	Tokens: Text, N: []Source{SourceLoneUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst},
	ITL:  PerToken{Of: WindowGaps}, Gaps: GapWhole, NeedsChunk: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: GoodputMissingPasses},
}

// TRTLLMServe is TensorRT-LLM's benchmark_serving with its chat backend, which is vLLM's before its change of 2026-09-13 (vllm#55508): any event
// but the end marker moves the end, usage and errors too, and so TPOT and E2E. Every response is a success to it, one with an error in the
// stream too; one without choices enters its TTFT as 0, and the whole time its TPOT; one without any event crashes its report.
// It loses a request in which a comment comes.
var TRTLLMServe = Convention{
	Name: "trtllm-serve", Tool: "TensorRT-LLM, benchmark_serving, chat", Version: "9600c883, f61d71d9",
	Chunks: WithChoices, Last: Data, End: End{At: Data},
	Tokens: Text, N: []Source{SourceLoneUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst},
	ITL:  PerToken{Of: WindowGaps}, Gaps: GapWhole, GapsFrom: Data,
	Breaks: []Break{{KeepAlives, breaksAtComments}},
	Run:    Run{Quantile: QuantileLinear, Std: StdPopulation, Goodput: GoodputMissingPasses},
}

// SGLangBench is SGLang's serving benchmark with its chat backend. It ends with the last line, the end marker included, and where no usage
// comes takes max_tokens for N. It does not see tool calls: where nothing else came it keeps a TTFT of 0, and divides the whole latency. It
// counts a request with an error in the stream as a success, and loses one in which a comment comes.
var SGLangBench = Convention{
	Name: "sglang-bench", Tool: "SGLang, bench_serving, chat", Version: "00f9ec47",
	Chunks: TextAndReasoning, Last: Lines, End: End{At: Lines},
	N:    []Source{SourceUsage, SourceMaxTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst},
	ITL:  PerToken{Of: WindowGaps}, Gaps: GapWhole,
	Breaks: []Break{{KeepAlives, breaksAtComments}},
	Run:    Run{Quantile: QuantileLinear, Std: StdPopulation},
}

// SGLangBenchSpec is [SGLangBench] against a server that reports speculative decoding: the text of each event is tokenized again, and its gap
// is spread over the tokens. A text of no token is divided by, and crashes its report.
var SGLangBenchSpec = SGLangBench.with("sglang-bench-spec", func(c *Convention) {
	c.Tool += ", speculative decoding"
	c.Gaps = GapSpread
})

// AIPerf is NVIDIA's AIPerf. A tool call's name counts as output; an id alone, which here counts too, does not to the tool. Its one time per token
// is called ITL, and 0 for several tokens that came at once; ICL are the gaps, of which it prints the quantiles from a sketch. N is what usage
// says, as with --use-server-token-count, where there is no ITL without usage, else what its tokenizer counts, as without that flag.
var AIPerf = Convention{
	Name: "aiperf", Tool: "AIPerf", Version: "58dd5dea, 58028d5b, 4f7ccffd, cf79369e, 00a8e858, 0fec57a6",
	Chunks: Deltas, Output: Answers, TTST: true, Last: Deltas, End: End{At: Deltas},
	Tokens: Deltas, N: []Source{SourceUsage, SourceTokens},
	ITL: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst}, Gaps: GapWhole, NeedsChunk: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, ToLast: true, Goodput: GoodputMissingFails},
}

// AIPerfFirstChunk is [AIPerf] with --per-chunk-usage: the tokens of the first chunk do not count.
var AIPerfFirstChunk = AIPerf.with("aiperf-first-chunk", func(c *Convention) {
	c.Tool += ", usage on each chunk"
	c.ITL.Over = OverAfterFirstChunk
})

// GenAIPerf is Triton's genai-perf. It sees text alone and drops everything else with its time stamp. Its Gaps are what it calls chunked ITL.
// Its goodput pairs the lists of several limits by position, which no longer match once a request lacks a figure; the tool prints a number all
// the same. An ITL of 0 crashes it. Of an error in the stream it drops the event, and counts the request.
var GenAIPerf = Convention{
	Name: "genai-perf", Tool: "GenAI-Perf", Version: "263c5f6e", Date: "2025-12-15",
	Chunks: Text, TTST: true, Last: Text, End: End{At: Text},
	Tokens: Text, N: []Source{SourceTokens},
	ITL: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, MinChunks: 2}, Gaps: GapDivided, NeedsChunk: true,
	Run: Run{Quantile: QuantileLinear, Std: StdPopulation, ToLast: true, Goodput: GoodputMissingSpoils},
}

// GuideLLM is guidellm. Its TPOT is the whole time until the last chunk over N, so TTFT is in it; its ITL is what others call TPOT. Without
// usage its tokens are chunks. Both times per token count once for each token. Its clock is the wall clock. A response of which it sees nothing
// it keeps if usage counts tokens, with a TTFT of 0; it rejects one of reasoning alone, or of blanks, without usage.
var GuideLLM = Convention{
	Name: "guidellm", Tool: "GuideLLM", Version: "ee7a7745", Date: "2026-08-07",
	Chunks: Deltas, Output: Answers, Last: Deltas, End: End{At: EndMarker, Body: true, NeedsOK: true},
	N:    []Source{SourceUsage, SourceChunks},
	TPOT: PerToken{Of: WindowStartToLast, Over: OverAll}, ITL: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst}, NeedsChunk: true,
	Run: Run{Quantile: QuantileInverseCDF, Std: StdPopulation, Weighted: true},
}

// InferencePerf is the Kubernetes project's inference-perf with its tokenizer. It sees text alone. Below two tokens there is nothing but E2E
// and NTPOT, which is the whole time over N and 0 for no token. Lines that end with CR LF, or with no space after "data:", it does not see, nor
// an error in the stream, and calls the request a success. Its goodput is over the time of the successful requests.
var InferencePerf = Convention{
	Name: "inference-perf", Tool: "inference-perf", Version: "7de5ef2e", Date: "2026-08-19",
	Chunks: Text, Last: Text, End: End{Body: true},
	Tokens: Text, N: []Source{SourceTokens}, MinTokens: 2,
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst}, NTPOT: PerToken{Of: WindowStartToEnd, Over: OverAll},
	ITL: PerToken{Of: WindowGaps}, Gaps: GapThenZeros,
	Run: Run{Quantile: QuantileLinear, ToLast: true, Goodput: GoodputMissingFails},
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
	Chunks: Text, Last: Text, End: End{Body: true, NeedsOK: true},
	N:      []Source{SourceEvents},
	ITL:    PerToken{Of: WindowStartToLast, Over: OverAll},
	Breaks: []Break{{KeepAlives, breaksAtComments}, {EmptyChoices, breaksAtNoChoices}},
	Run:    Run{Quantile: QuantileLinear, Std: StdSample},
}

// Etalon is project-etalon's etalon. A chunk is a gap and then zeros for its further tokens. One token gives a TPOT of 0, which takes part in
// the mean. It stops reading at an event without choices, as usage is, and counts the request with what came before. Figures of a request
// without text it takes for 0, and those of failed requests, as far as they got, are among the others. It reads its quantiles from a sketch
// with a relative error of 0.001.
var Etalon = Convention{
	Name: "etalon", Tool: "Etalon", Version: "d5f18de1", Date: "2024-08-29",
	Chunks: Text, Last: Text, End: End{At: Text},
	Tokens: Text, N: []Source{SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, Zero: true},
	ITL:  PerToken{Of: WindowGaps}, Gaps: GapThenZeros, Until: slices.Concat(EmptyChoices, Errors),
	Run: Run{Quantile: QuantileLower},
}

// HFBenchmarker is Hugging Face's inference-benchmarker. Its one time per token is called ITL, in whole nanoseconds, and 0 for a reply in one
// chunk. E2E ends with the end marker, or a finish reason that came with text; a request with neither is a failure. It loses a request in
// which an event without choices comes, as usage does, or a text of no token.
var HFBenchmarker = Convention{
	Name: "hf-benchmarker", Tool: "Hugging Face inference-benchmarker", Version: "dfef39d5", Date: "2026-04-24",
	Chunks: Text, Last: Text,
	End:    End{At: slices.Concat(ended, Errors), NeedsChunk: true},
	Tokens: Text, N: []Source{SourceTokens},
	ITL: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, Zero: true, Floor: true}, NeedsChunk: true, NeedsEnd: ended, Until: Errors,
	Breaks: []Break{{EmptyChoices, breaksAtNoChoices}},
	Run:    Run{Quantile: QuantileLinear},
}

// TRTLLMBench is TensorRT-LLM's trtllm-bench, which runs the engine in its own process, and stamps there. Up to one token gives a TPOT of 0, which
// takes part in mean and quantiles. A request that fails ends the run.
var TRTLLMBench = Convention{
	Name: "trtllm-bench", Tool: "TensorRT-LLM, trtllm-bench", Version: "77d7fe1e, 02499765, 00c7a534",
	Chunks: Deltas, Last: Deltas, End: End{At: Deltas},
	Tokens: Deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, Zero: true},
	Run:  Run{Quantile: QuantileFloor},
}

// MLPerf is MLCommons' LoadGen, which the system under test tells of its first and last token; times are from when a request was to be issued.
// For up to one token it logs an error, and divides by -1 all the same. It counts no good requests: a run is valid when the 99th percentiles of
// TTFT and TPOT keep to their limits, see [Summary.P99Within], and its early stopping agrees.
var MLPerf = Convention{
	Name: "mlperf", Tool: "MLPerf LoadGen", Version: "b66003e1", Date: "2026-08-20",
	Chunks: Deltas, Last: Deltas, End: End{At: Deltas},
	Tokens: Deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst, Floor: true},
	Run:  Run{Quantile: QuantileFloor},
}

// Engine is the formula of the servers that report (last - first)/(N - 1) for each request: vLLM's and TensorRT-LLM's own metrics. Where N is up
// to 1, vLLM observes 0, TensorRT-LLM nothing, nor does that where there are several choices.
var Engine = Convention{
	Name: "engine", Tool: "time per token of vLLM's and TensorRT-LLM's server metrics", Version: "28ed1fb8, 11ef94fe",
	Chunks: Deltas, Last: Deltas, End: End{At: Deltas},
	Tokens: Deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAfterFirst},
}

// LlamaCPP is the formula of llama.cpp's timings and Ollama's eval_duration over eval_count: all tokens divide the time, the first too. Theirs is
// the time of the server's work; worked out from a client's trace, that of a reply in one chunk is 0.
var LlamaCPP = Convention{
	Name: "llamacpp", Tool: "llama.cpp's timings, Ollama's eval fields", Version: "fb402660, 6e68feda",
	Chunks: Deltas, NoTTFT: true, Last: Deltas,
	Tokens: Deltas, N: []Source{SourceUsage, SourceTokens},
	TPOT: PerToken{Of: WindowFirstToLast, Over: OverAll},
}

// with is a convention like c but for its name and what change does.
func (c Convention) with(name string, change func(*Convention)) Convention {
	c.Name = name
	change(&c)
	return c
}
