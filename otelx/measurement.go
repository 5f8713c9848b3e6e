package otelx

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/tokentiming/tokentiming/tpot"
)

// measurement is the metrics of one request. The zero measurement is of a request that is not measured.
type measurement struct {
	*instruments
	observer *Observer       // nil: not measured
	ctx      context.Context // with the request's span, for exemplars
	request  *series         // of what is known at the start
	response *series         // of that and the response's model; nil until the first chunk

	outputChunk []seconds // Enabled
	room        [2]seconds
	isActive    bool // counted in active_streams
}

// begin starts measuring. What is not Enabled now costs the request's chunks nothing.
func (m *measurement) begin(ctx context.Context, o *Observer, request *series) {
	m.instruments, m.observer, m.ctx, m.request = o.instruments, o, ctx, request
	m.outputChunk = m.enabledOutputChunk(ctx, m.room[:0])
	if m.isActive = m.active.Enabled(ctx); m.isActive {
		m.active.Add(ctx, 1, request.add...)
	}
}

// gap records a chunk's gap.
func (m *measurement) gap(d time.Duration) {
	for _, h := range m.outputChunk {
		h.Record(m.ctx, d.Seconds(), m.response.record...)
	}
}

// firstToken records the first chunk.
func (m *measurement) firstToken(at time.Duration, model string) {
	if m.observer == nil {
		return
	}
	m.settleResponse(model)
	m.v141.firstChunk.record(m.ctx, at, &m.response.labels)
	m.genAI.firstChunk.record(m.ctx, at, &m.response.labels)
	m.firstTokens.record(m.ctx, at, &m.response.labels)
}

// firstOutputToken records the first chunk that is more than reasoning.
func (m *measurement) firstOutputToken(at time.Duration) {
	if m.observer != nil {
		m.firstOutputTokens.record(m.ctx, at, &m.response.labels)
	}
}

func (m *measurement) stall(wait time.Duration) {
	if m.observer != nil {
		m.stallDuration.record(m.ctx, wait, &m.response.labels)
	}
}

// settleResponse settles the attributes of the response, once: by the first chunk most providers have named the model. A name that
// comes later does not split what is recorded of a stream.
func (m *measurement) settleResponse(model string) {
	if m.response != nil {
		return
	}
	m.response = m.request
	if model != "" {
		m.response, _ = m.observer.registry.series(append(slices.Clip(m.request.attrs), m.observer.bounds.model(model)))
	}
}

// end records the figures of a finished request.
func (m *measurement) end(s tpot.Stats) {
	if m.observer == nil {
		return
	}
	m.settleResponse(s.Model)
	m.count(s)
	m.countObjectives(s)
	m.countTime(s)
	m.averages(s)
	m.interTokens(s)
	m.usage(s)
}

// leave takes the request from active_streams.
func (m *measurement) leave() {
	if m.isActive {
		m.active.Add(m.ctx, -1, m.request.add...)
	}
}

// count adds a finished request to the counters.
func (m *measurement) count(s tpot.Stats) {
	add(m.ctx, m.requests, 1, m.request.with(keyOutcome, s.Outcome.String()))
	if reason := noTokenReason(s); reason != "" {
		add(m.ctx, m.noFirstToken, 1, m.request.with(keyReason, reason))
	}
	if s.Stalls.Count > 0 {
		add(m.ctx, m.stalls, s.Stalls.Count, &m.request.labels)
	}
	if s.Tokens > 0 {
		add(m.ctx, m.streamed, s.Tokens, m.request.with(keySource, s.Source.String()))
	}
}

func (m *measurement) countObjectives(s tpot.Stats) {
	met, applicable := s.SLOMet()
	if !applicable {
		return
	}
	add(m.ctx, m.sloRequests, 1, &m.request.labels)
	if met {
		add(m.ctx, m.sloGood, 1, &m.request.labels)
	} else { // so that it is there where every request misses
		add(context.Background(), m.sloGood, 0, &m.request.labels)
	}
}

func (m *measurement) countTime(s tpot.Stats) {
	if !m.requestTime.Enabled(m.ctx) {
		return
	}
	m.requestTime.Add(m.ctx, s.Setup.Seconds(), m.request.with(keyPhase, "setup").add...)
	m.requestTime.Add(m.ctx, s.Wait.Seconds(), m.request.with(keyPhase, "wait").add...)
	m.requestTime.Add(m.ctx, s.Hold.Seconds(), m.request.with(keyPhase, "hold").add...)
}

// averages records TPOT and the unevenness of gaps, of which a request has one each.
func (m *measurement) averages(s tpot.Stats) {
	if perToken, ok := s.TPOT(); ok {
		m.perToken.record(m.ctx, perToken, m.response.with(keySource, s.Source.String()))
	}
	if cv, ok := s.Gaps().CV(); ok && m.gapCV.Enabled(m.ctx) {
		m.gapCV.Record(m.ctx, cv, m.response.record...)
	}
}

// duration records how long a finished request took, whatever came of it.
func (m *measurement) duration(s tpot.Stats, end time.Duration, errorType string) {
	if m.observer == nil {
		return
	}
	l := &m.response.labels
	if errorType != "" {
		l = m.response.with(keyErrorType, errorType)
	}
	inference := isInference(s.Request.Operation)
	if inference {
		m.genAI.duration.record(m.ctx, end, l)
	}
	if !inference || m.observer.reports(SemconvV141) {
		m.v141.duration.record(m.ctx, end, l)
	}
}

// maxInterTokens is the most that one request is recorded as inter-token latency.
const maxInterTokens = 10_000

// interTokens records the inter-token latencies. They are recorded at the end, from what the Recorder has of them: an instrument
// cannot take a value many times, and a chunk is to cost one Record however many tokens it carries.
func (m *measurement) interTokens(s tpot.Stats) {
	itl := s.ITL()
	if itl.Count() == 0 || !m.interToken.Enabled(m.ctx) {
		return
	}
	l := m.response.with(keyBasis, s.ITLBasis())
	oneOf, due := (itl.Count()+maxInterTokens-1)/maxInterTokens, 0
	for value, n := range itl.Buckets() {
		for due += n; due >= oneOf; due -= oneOf {
			m.interToken.Record(m.ctx, value.Seconds(), l.record...)
		}
	}
}

// usage records the tokens that the provider reports. A zero is one that it did not state, unless the request had no output. The counters of
// SemconvGenAIV01 are to show no report as zero.
func (m *measurement) usage(s tpot.Stats) {
	u := s.Usage
	noOutput := u != tpot.Usage{} && s.Chunks == 0
	if u.Input > 0 {
		record(m.ctx, m.tokenUsage, u.Input, m.response.with(keyTokenType, "input"))
	}
	if u.Output > 0 {
		record(m.ctx, m.tokenUsage, u.Output, m.response.with(keyTokenType, "output"))
	}
	if !isInference(s.Request.Operation) {
		return
	}
	if u.Input > 0 && s.Outcome == tpot.OutcomeOK {
		record(m.ctx, m.inputTokens, u.Input, &m.response.labels)
	}
	if (u.Output > 0 || noOutput) && s.Outcome == tpot.OutcomeOK {
		record(m.ctx, m.outputTokens, u.Output, &m.response.labels)
	}
	l := m.response.with(keyTokenModality, modalityUnknown)
	add(m.ctx, m.inputTotal, u.Input, l)
	add(m.ctx, m.outputTotal, u.Output, l)
	add(m.ctx, m.cachedTotal, u.Cached, l)
	add(m.ctx, m.reasonedTotal, u.Reasoning, l)
}

// add adds to a counter if it is Enabled.
func add(ctx context.Context, c metric.Int64Counter, n int, l *labels) {
	if c.Enabled(ctx) {
		c.Add(ctx, int64(n), l.add...)
	}
}

// record records a number if the histogram is Enabled.
func record(ctx context.Context, h metric.Int64Histogram, n int, l *labels) {
	if h.Enabled(ctx) {
		h.Record(ctx, int64(n), l.record...)
	}
}
