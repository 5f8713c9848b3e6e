// Package convention works out the figures of a [tpot.Trace] the way that well-known tools do. Two tools given the same bytes differ by a factor
// of three in TTFT and of two in the time per token, since each defines them in its own way, so figures compare only under one convention.
//
// A [Convention] is a value, a point on the axes on which tools differ: which event is the first and which the last, where the number of
// tokens comes from and what it divides, how gaps are counted, and how a run is put together. One engine evaluates them all:
//
//	f := convention.VLLMBench.Figures(trace)          // one request
//	s := convention.VLLMBench.Summarize(traces, slo)  // a run, with percentiles, standard deviation and goodput
//	fmt.Print(convention.Compare(traces))             // all conventions side by side, with what makes them differ
//
// and a convention of your own is a value of your own: a copy of one of these with a field changed.
//
// A trace comes from a Tracker with TraceEvents, see [tpot.Recorder.Trace], [tpot.TraceWriter] and [tpot.ReadTraces]; or it is made up from
// another tool's log. The figures are as good as what its events say. Tools that speak one protocol look at KindChoices, which only streams of
// that protocol have. Tools that count with a tokenizer need the Tokens of each event: vLLM tells them when asked for return_token_ids, servers
// with usage on each chunk do, a classifier of yours can in an adapter; or fill them in before you compare. What is not known is undefined, never
// guessed at, unless the tool itself guesses.
//
// Where a tool crashes, slips, or prints a zero or a negative number for what it does not know, the figure here is undefined and says why,
// and the comment of the convention says what the tool gives. A zero that is part of a tool's rule and enters its means, such as a TPOT of 0 for
// a single token, is one here, too. Requests that did not end well are left out of every run, also of those tools' that take an error in the
// stream for a success. No tool looks at the index of a choice, so that several choices are one stream to all but [Tokentiming].
//
// The rules were read in the tools' own sources, at the commits that Version names; those of etalon, GuideLLM, GenAI-Perf, inference-perf and
// LLMPerf were also run, function by function, on the traces of this package's tests. No tool was run as a whole.
package convention
