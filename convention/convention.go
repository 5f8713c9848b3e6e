package convention

// Convention is one way to work out the figures of a stream: a point on the axes on which tools differ. A value of it is all that there is to
// a convention. To make your own change a copy of one, or write one down:
//
//	mine := convention.Convention{
//		Name: "mine", Chunks: convention.Visible, Last: convention.Generated, End: convention.End{Body: true},
//		N:    []convention.Source{convention.SourceUsage, convention.SourceChunks},
//		TPOT: convention.PerToken{Of: convention.WindowFirstToLast, Over: convention.OverAfterFirst},
//		Run:  convention.Run{Quantile: convention.QuantileLinear, Std: convention.StdPopulation},
//	}
//
// A zero Convention reports nothing. Conventions are values, and may be used concurrently; their slices are not to be modified.
type Convention struct {
	Name    string // "vllm-bench"; labels every figure
	Tool    string // whose rule this is; a copy that you change is not the tool's any more
	Version string // of the tool: the commits of the sources that the rule was read from
	Date    string // of that version; empty: the public copy that was read by 2026-11-30 does not tell

	Chunks Events // what the tool takes for chunks: TTFT is the offset of the first, gaps lie between them; none: it has neither
	NoTTFT bool   // TTFT is not reported
	TTST   bool   // TTST, from the first chunk to the second, is reported
	Output Events // TTFO is the offset of the first of these; none: not reported
	Last   Events // the last of these ends the time per token; none: nothing does
	End    End    // ends E2E

	Tokens    Events   // whose token counts stand for the tool's tokenizer; none: those of Chunks
	N         []Source // in order: the first that is known counts
	MinTokens int      // with fewer tokens in its chunks a request has no TTFT, TPOT and ITL

	TPOT     PerToken
	ITL      PerToken
	NTPOT    PerToken // "normalized" time per output token
	Gaps     Gaps
	GapsFrom Events // after the first chunk a gap begins at each of these, too; none: at chunks alone

	Until      Events  // the first of these is the last event that the tool reads; none: it reads all
	Breaks     []Break // events that make the tool lose the request
	NeedsChunk bool    // a run leaves out a request without a chunk
	NeedsEnd   Events  // and one without any of these; none: it asks for no end

	PerChoice bool // each choice is a stream of its own, as against all being one
	Streamed  bool // N and the time per token cover the channels that were streamed, as against all that usage counts

	Run Run
}

// End is where E2E ends. The zero End is no E2E.
type End struct {
	At         Events // at the last of these
	Body       bool   // without one, or where At is empty: when the body was closed
	Complete   bool   // with Body: when the response was complete, if its body was closed later; as tpot.Stats.E2E has it
	NeedsOK    bool   // only of a request with tpot.OutcomeOK, which was read to its end
	NeedsChunk bool   // only of a request with a chunk
}

// Break is an event that a tool does not survive.
type Break struct {
	At  Events
	Why string // in words: the figures are undefined for that reason
}

// Source is where a convention takes the number of tokens from.
type Source string

// The sources of N.
const (
	SourceUsage     Source = "usage"      // the largest output count of any usage
	SourceLoneUsage Source = "lone usage" // that of usage in an event without choices
	SourceTokens    Source = "tokens"     // the sum over Convention.Tokens, if each has its count
	SourceChunks    Source = "chunks"     // the number of chunks
	SourceEvents    Source = "events"     // the number of events but for the end marker and keep-alives
	SourceMaxTokens Source = "max_tokens" // what the request allowed, unless usage said that there were none
)

// PerToken is how a time per token is formed. The zero PerToken is one that is not reported.
type PerToken struct {
	Of        Window
	Over      Divisor
	Zero      bool // one token gives 0, as against no value
	MinChunks int  // with fewer chunks there is no value
	Floor     bool // the tool divides whole nanoseconds and drops the rest
}

// Window is the time that is divided.
type Window int

// The windows. First is the first of Convention.Chunks, Last the last of Convention.Last, Start the request's, End that of E2E.
const (
	WindowNone Window = iota
	WindowFirstToLast
	WindowFirstToEnd
	WindowStartToLast
	WindowStartToEnd
	WindowGaps // the mean of the gaps; Divisor does not matter
)

// Divisor is the number of tokens that a time is divided by.
type Divisor int

// The divisors.
const (
	OverAfterFirst      Divisor = iota // N-1
	OverAfterFirstChunk                // N less the usage of the first chunk that has one; where that does not leave 1 to N-1, N-1
	OverAll                            // N
)

// Gaps is what the gap before a chunk of k tokens adds to the sample of gaps.
type Gaps int

// The rules for gaps. Where k has to be known and is not, there are no samples.
const (
	GapNone        Gaps = iota
	GapWhole            // the gap
	GapDivided          // gap/k
	GapSpread           // gap/k, k times
	GapSpreadKnown      // as GapSpread, an unknown k being 1
	GapThenZeros        // the gap, then 0 for each further token, also of the first chunk
)

// Run is how the figures of several requests are put together. Without a Quantile there are no statistics: a formula for one request alone.
type Run struct {
	Quantile Quantile
	Std      Std
	Weighted bool // a time per token counts as often as it has tokens, as against once a request
	ToLast   bool // the duration is of the requests that are counted, up to the last E2E, as against all, until the last body was closed
	Goodput  Goodput
}

// Quantile is how a quantile is read from sorted values.
type Quantile int

// The rules for the quantile p of n values, numbered from 0 in their order.
const (
	QuantileNone       Quantile = iota
	QuantileLinear              // between the values around (n-1)p, in proportion
	QuantileInverseCDF          // nearest rank: the first value up to which a share of p of the weight lies
	QuantileLower               // value floor((n-1)p)
	QuantileFloor               // value floor(np)
)

// Std is the kind of standard deviation.
type Std int

// The kinds of standard deviation.
const (
	StdNone       Std = iota
	StdPopulation     // over n (ddof 0)
	StdSample         // over n-1 (ddof 1)
)

// Goodput is what becomes of a request without a figure that is limited, when the good ones are counted. A figure at its limit is good.
type Goodput int

// The rules of goodput.
const (
	GoodputNone          Goodput = iota // the tool counts none
	GoodputMissingFails                 // it is not good
	GoodputMissingPasses                // the limit is met
	GoodputMissingSpoils                // it is not good; with several limits their lists do not match, so there is no count
	GoodputBySLOMet                     // tpot.Stats.SLOMet says
)

// All is the conventions of this package, ours first.
func All() []Convention {
	return []Convention{
		Tokentiming, OTelServer,
		VLLMBench, TRTLLMServe, SGLangBench, SGLangBenchSpec,
		AIPerf, AIPerfFirstChunk, GenAIPerf, GuideLLM, InferencePerf, InferencePerfServer,
		LLMPerf, Etalon, HFBenchmarker, TRTLLMBench, MLPerf, Engine, LlamaCPP,
	}
}
