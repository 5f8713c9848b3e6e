package otelx

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// Boundaries of histograms, in seconds but for the last two.
var (
	// durationBounds are those that the conventions recommend for every client metric in seconds.
	durationBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

	// firstTokenBounds and gapBounds have every one of durationBounds, so that the buckets of both can be compared, and gaps be
	// added up with those of others, and more between: the conventions' first bucket for gaps holds every gap of a model that is
	// faster than a hundred tokens a second.
	firstTokenBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.25, 0.32, 0.5, 0.64, 1, 1.28, 2, 2.56, 4, 5.12, 7.5, 10.24, 15, 20.48,
		30, 40.96, 60, 81.92, 120}
	gapBounds = []float64{0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.13, 0.16,
		0.2, 0.25, 0.32, 0.5, 0.64, 1, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

	stallBounds = []float64{0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120}
	cvBounds    = []float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10}
	// tokenBounds are those that the conventions recommend.
	tokenBounds = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

// instruments are all that an Observer records with. Those that are not wanted are no-ops, which are never Enabled.
type instruments struct {
	all []instrument

	v141  semconvInstruments // SemconvV141; without it the duration is there for operations that are no inference
	genAI semconvInstruments // SemconvGenAIV01

	tokenUsage metric.Int64Histogram // SemconvV141

	// SemconvGenAIV01
	inputTokens, outputTokens                           metric.Int64Histogram
	inputTotal, outputTotal, cachedTotal, reasonedTotal metric.Int64Counter

	// our own
	firstTokens, firstOutputTokens, perToken, interToken seconds
	gapCV                                                metric.Float64Histogram
	stallDuration                                        seconds
	stalls, requests, noFirstToken, streamed             metric.Int64Counter
	sloRequests, sloGood                                 metric.Int64Counter
	active                                               metric.Int64UpDownCounter
	requestTime                                          metric.Float64Counter
}

// semconvInstruments are those that both sets of the conventions have, under different names.
type semconvInstruments struct{ duration, firstChunk, outputChunk seconds }

func newInstruments(meter metric.Meter, names Semconv) (*instruments, error) {
	c := creator{meter: meter}
	var in instruments
	in.createOwn(&c)
	c.meter = onlyIf(names != 0, meter)
	in.v141.duration = c.seconds("gen_ai.client.operation.duration", "Start of the request to its end.", durationBounds)
	c.meter = onlyIf(names&SemconvV141 != 0, meter)
	in.createV141(&c)
	c.meter = onlyIf(names&SemconvGenAIV01 != 0, meter)
	in.createGenAI(&c)
	in.all = c.all
	return &in, c.err
}

// onlyIf is the meter, or one that makes no-ops.
func onlyIf(wanted bool, meter metric.Meter) metric.Meter {
	if wanted {
		return meter
	}
	return noop.Meter{}
}

func (in *instruments) createV141(c *creator) {
	in.v141.firstChunk = c.seconds("gen_ai.client.operation.time_to_first_chunk", "Start of the request to the first chunk of output.", durationBounds)
	in.v141.outputChunk = c.seconds("gen_ai.client.operation.time_per_output_chunk", "Time from one chunk of output to the next.", gapBounds)
	in.tokenUsage = c.tokens("gen_ai.client.token.usage", "Input and output tokens of a request, as the provider reports them.")
}

func (in *instruments) createGenAI(c *creator) {
	in.genAI = semconvInstruments{
		duration:    c.seconds("gen_ai.client.inference.duration", "Start of the request to its end.", durationBounds),
		firstChunk:  c.seconds("gen_ai.client.inference.time_to_first_chunk", "Start of the request to the first chunk of output.", durationBounds),
		outputChunk: c.seconds("gen_ai.client.inference.time_per_output_chunk", "Time from one chunk of output to the next.", gapBounds),
	}
	in.inputTokens = c.tokens("gen_ai.client.inference.operation.input_tokens", "Input tokens of a successful request.")
	in.outputTokens = c.tokens("gen_ai.client.inference.operation.output_tokens", "Output tokens of a successful request.")
	in.inputTotal = c.counter("gen_ai.client.inference.usage.input_tokens", "{token}", "Input tokens.")
	in.outputTotal = c.counter("gen_ai.client.inference.usage.output_tokens", "{token}", "Output tokens, reasoning included.")
	in.cachedTotal = c.counter("gen_ai.client.inference.usage.cache_read.input_tokens", "{token}", "Input tokens that came from the provider's cache.")
	in.reasonedTotal = c.counter("gen_ai.client.inference.usage.reasoning.output_tokens", "{token}", "Output tokens of reasoning.")
}

func (in *instruments) createOwn(c *creator) {
	in.firstTokens = c.seconds("tokentiming.time_to_first_token", "Start of the request to the first chunk of any output, reasoning included.", firstTokenBounds)
	in.firstOutputTokens = c.seconds("tokentiming.time_to_first_output_token", "Start of the request to the first chunk that is more than reasoning.", firstTokenBounds)
	in.perToken = c.seconds("tokentiming.time_per_output_token", "First chunk to last chunk over the tokens after the first; once a request.", gapBounds)
	in.interToken = c.seconds("tokentiming.inter_token_latency", "The gap before a chunk over its tokens, once for each token, or the gap where they are not counted; at the end of the request.", gapBounds)
	in.gapCV = c.histogram("tokentiming.chunk_gap.cv", "1", "Standard deviation of a request's chunk gaps over their mean.", cvBounds)
	in.stallDuration = c.seconds("tokentiming.stall.duration", "Wait for a chunk that was long enough to be a stall.", stallBounds)
	in.stalls = c.counter("tokentiming.stalls", "{stall}", "Stalls.")
	in.requests = c.counter("tokentiming.requests", "{request}", "Requests that have ended, by outcome.")
	in.noFirstToken = c.counter("tokentiming.no_first_token", "{request}", "Requests that ended before a first token, by reason.")
	in.streamed = c.counter("tokentiming.output_tokens", "{token}", "Tokens of the output that was streamed, by where the count comes from.")
	in.sloRequests = c.counter("tokentiming.slo.requests", "{request}", "Requests that the Tracker's limits apply to.")
	in.sloGood = c.counter("tokentiming.slo.good_requests", "{request}", "Requests that met all of the Tracker's limits.")
	in.active = c.upDownCounter("tokentiming.active_streams", "{stream}", "Requests that have started and not ended.")
	in.requestTime = c.float64Counter("tokentiming.request.time", "s", "Where the time of requests went, by phase.")
}

// enabledOutputChunk appends the histograms of chunk gaps that are Enabled.
func (in *instruments) enabledOutputChunk(ctx context.Context, to []seconds) []seconds {
	for _, h := range [...]seconds{in.v141.outputChunk, in.genAI.outputChunk} {
		if h.Enabled(ctx) {
			to = append(to, h)
		}
	}
	return to
}

// anyEnabled is whether anything at all would be recorded.
func (in *instruments) anyEnabled(ctx context.Context) bool {
	return slices.ContainsFunc(in.all, func(i instrument) bool { return i.Enabled(ctx) })
}

// instrument is any of them.
type instrument interface{ Enabled(context.Context) bool }

// seconds is a histogram of durations.
type seconds struct{ metric.Float64Histogram }

// record records a duration if the histogram is Enabled.
func (h seconds) record(ctx context.Context, d time.Duration, l *labels) {
	if h.Enabled(ctx) {
		h.Record(ctx, d.Seconds(), l.record...)
	}
}

// creator creates instruments, and keeps a list of them and the errors.
type creator struct {
	meter metric.Meter
	all   []instrument
	err   error
}

func (c *creator) note(i instrument, err error) {
	c.all = append(c.all, i)
	c.err = errors.Join(c.err, err)
}

func (c *creator) seconds(name, description string, bounds []float64) seconds {
	return seconds{c.histogram(name, "s", description, bounds)}
}

func (c *creator) histogram(name, unit, description string, bounds []float64) metric.Float64Histogram {
	h, err := c.meter.Float64Histogram(name, metric.WithUnit(unit), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	c.note(h, err)
	return h
}

func (c *creator) tokens(name, description string) metric.Int64Histogram {
	h, err := c.meter.Int64Histogram(name, metric.WithUnit("{token}"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(tokenBounds...))
	c.note(h, err)
	return h
}

func (c *creator) counter(name, unit, description string) metric.Int64Counter {
	n, err := c.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	c.note(n, err)
	return n
}

func (c *creator) float64Counter(name, unit, description string) metric.Float64Counter {
	n, err := c.meter.Float64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	c.note(n, err)
	return n
}

func (c *creator) upDownCounter(name, unit, description string) metric.Int64UpDownCounter {
	n, err := c.meter.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	c.note(n, err)
	return n
}
