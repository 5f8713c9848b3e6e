package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// A random workload runs in a bubble against a Monitor; what its rows should be is worked out from the script of the workload alone.

// scripted is one request as the script has it.
type scripted struct {
	key    monitor.Key
	start  time.Duration // since the Monitor was made
	events []scriptedEvent
	tail   time.Duration // the consumer's, from the last event to the end
	err    error
	want   tpot.Outcome
	usage  int // output tokens reported; 0: none
}

// scriptedEvent comes after the consumer has held and then waited.
type scriptedEvent struct {
	hold, wait time.Duration
	kind       tpot.Kind
	tokens     int // 0: unknown
}

var endings = []struct {
	err  error
	want tpot.Outcome
}{
	{nil, tpot.OutcomeOK}, {nil, tpot.OutcomeOK}, {io.EOF, tpot.OutcomeOK},
	{tpot.EarlyClose, tpot.OutcomeCanceled},
	{context.DeadlineExceeded, tpot.OutcomeTimeout},
	{io.ErrUnexpectedEOF, tpot.OutcomeTruncated},
	{errors.New("boom"), tpot.OutcomeFailed},
}

func randomRequest(r *rand.Rand, within time.Duration) scripted {
	end := endings[r.IntN(len(endings))]
	s := scripted{
		key: monitor.Key{
			Provider: "p", Model: fmt.Sprint("m", r.IntN(2)), Scenario: []string{"chat", "report"}[r.IntN(2)],
		},
		start: time.Duration(r.Int64N(int64(within))), tail: duration(r, 50*time.Millisecond), err: end.err, want: end.want,
	}
	counted := r.IntN(2) == 0
	for range r.IntN(40) {
		e := scriptedEvent{hold: duration(r, 10*time.Millisecond), wait: duration(r, 40*time.Millisecond), kind: tpot.KindText}
		switch r.IntN(20) {
		case 0:
			e.kind = tpot.KindPing
		case 1:
			e.wait += 500 * time.Millisecond
		case 2, 3:
			e.kind = tpot.KindReasoning
		}
		if counted && e.kind != tpot.KindPing {
			e.tokens = 1 + r.IntN(3)
		}
		s.events = append(s.events, e)
	}
	if chunks := len(s.chunks()); r.IntN(2) == 0 && chunks > 0 {
		s.usage = chunks + r.IntN(3*chunks)
	}
	return s
}

// duration is mostly short and never zero, so that no two things in a bubble come at once.
func duration(r *rand.Rand, scale time.Duration) time.Duration {
	return 1 + time.Duration(r.ExpFloat64()*float64(scale))
}

// run is the request as its program makes it.
func (s scripted) run(ctx context.Context, tracker *tpot.Tracker) {
	time.Sleep(s.start)
	_, rec := tracker.Start(ctx, tpot.Request{Provider: s.key.Provider, Model: s.key.Model, Scenario: s.key.Scenario})
	for _, e := range s.events {
		time.Sleep(e.hold)
		rec.BeginWait()
		time.Sleep(e.wait)
		rec.Observe(tpot.Event{Kind: e.kind, Tokens: e.tokens})
	}
	if s.usage > 0 {
		rec.Observe(tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Output: s.usage}})
	}
	time.Sleep(s.tail)
	rec.End(s.err)
}

// chunk is a chunk of the script with its offset from the request's start and the wait since the one before.
type chunk struct {
	at, wait time.Duration
	kind     tpot.Kind
	tokens   int
}

func (s scripted) chunks() []chunk {
	var chunks []chunk
	var at, wait time.Duration
	for _, e := range s.events {
		at += e.hold + e.wait
		wait += e.wait
		if e.kind != tpot.KindPing {
			chunks = append(chunks, chunk{at, wait, e.kind, e.tokens})
			wait = 0
		}
	}
	return chunks
}

func (s scripted) length() time.Duration {
	length := s.tail
	for _, e := range s.events {
		length += e.hold + e.wait
	}
	return length
}

func (s scripted) end() time.Duration { return s.start + s.length() }

// tokens is N and where it comes from.
func (s scripted) tokens() (int, tpot.TokenSource) {
	chunks := s.chunks()
	counted := 0
	for _, c := range chunks {
		counted += c.tokens
	}
	switch {
	case s.usage > 0:
		return s.usage, tpot.SourceReported
	case len(chunks) == 0:
		return 0, tpot.SourceUnknown
	case counted > 0:
		return counted, tpot.SourceCounted
	}
	return len(chunks), tpot.SourceChunks
}

// expected is what a row should be, worked out in the plainest way.
type expected struct {
	requests, inFlight, tokens, chunks, streamed, stalled, good, missed int
	outcomes                                                            monitor.Outcomes
	sources                                                             monitor.Sources
	setup, wait, hold                                                   time.Duration
	stalls                                                              tpot.Stalls
	concurrency                                                         float64
	byToken, byChunk                                                    bool
	ttft, ttfo, e2e, tpot, tpotByToken, itl, itlByRequest, gaps         []time.Duration
}

// take takes in a request that has begun, and has not ended before the window.
func (x *expected) take(s scripted, now time.Duration, slo tpot.SLO, all []scripted) {
	if s.end() > now {
		x.inFlight++
		return
	}
	x.add(s, slo, all)
}

// add takes in a request that ended within the window.
func (x *expected) add(s scripted, slo tpot.SLO, all []scripted) {
	x.requests++
	x.outcomes[s.want]++
	n, source := s.tokens()
	x.sources[source]++
	x.tokens += n
	x.concurrency += concurrency(s, all)
	x.e2e = append(x.e2e, s.length())
	x.times(s)
	x.stretches(s, n)
	x.limits(s, slo)
}

func (x *expected) times(s scripted) {
	x.hold += s.tail
	for i, e := range s.events {
		x.wait += e.wait
		if i == 0 {
			x.setup += e.hold
		} else {
			x.hold += e.hold
		}
	}
	if len(s.events) == 0 { // nobody waited: all of it counts as the producer's
		x.hold -= s.tail
		x.wait += s.tail
	}
}

func (x *expected) stretches(s scripted, n int) {
	chunks := s.chunks()
	x.chunks += len(chunks)
	if len(chunks) == 0 {
		return
	}
	x.streamed++
	for _, c := range chunks {
		x.byToken = x.byToken || c.tokens > 0
		x.byChunk = x.byChunk || c.tokens == 0
	}
	x.ttft = append(x.ttft, chunks[0].at)
	if i := slices.IndexFunc(chunks, func(c chunk) bool { return c.kind == tpot.KindText }); i >= 0 {
		x.ttfo = append(x.ttfo, chunks[i].at)
	}
	if len(chunks) < 2 {
		return
	}
	if n > 1 {
		perToken := rounded(chunks[len(chunks)-1].at-chunks[0].at, n-1)
		x.tpot = append(x.tpot, perToken)
		x.tpotByToken = append(x.tpotByToken, slices.Repeat([]time.Duration{perToken}, n-1)...)
	}
	x.gapsOf(chunks)
}

func (x *expected) gapsOf(chunks []chunk) {
	var itl []time.Duration
	stalled := false
	for i, c := range chunks[1:] {
		gap := c.at - chunks[i].at
		x.gaps = append(x.gaps, gap)
		itl = append(itl, parts(gap, max(c.tokens, 1))...)
		if c.wait >= 500*time.Millisecond {
			stalled = true
			x.stalls.Count++
			x.stalls.Total += c.wait
			x.stalls.Longest = max(x.stalls.Longest, c.wait)
		}
	}
	if stalled {
		x.stalled++
	}
	x.itl = append(x.itl, itl...)
	x.itlByRequest = append(x.itlByRequest, rounded(sum(itl), len(itl)))
}

// limits holds a request against limits on TTFT and TPOT.
func (x *expected) limits(s scripted, slo tpot.SLO) {
	switch {
	case s.want == tpot.OutcomeCanceled:
		return
	case s.want != tpot.OutcomeOK:
		x.missed++
		return
	}
	var own expected
	n, _ := s.tokens()
	own.stretches(s, n)
	if len(own.ttft) == 0 {
		return
	}
	if own.ttft[0] <= slo.TTFT && (len(own.tpot) == 0 || own.tpot[0] <= slo.TPOT) {
		x.good++
	} else {
		x.missed++
	}
}

// concurrency is the mean number of requests to the same model that were in flight during one.
func concurrency(s scripted, all []scripted) float64 {
	var together time.Duration
	for _, o := range all {
		if o.key.Provider == s.key.Provider && o.key.Model == s.key.Model {
			together += max(min(o.end(), s.end())-max(o.start, s.start), 0)
		}
	}
	return float64(together) / float64(s.length())
}

// parts are n nearly equal whole numbers of nanoseconds that add up to the gap.
func parts(gap time.Duration, n int) []time.Duration {
	values := make([]time.Duration, n)
	for i := range values {
		values[i] = gap * time.Duration(i+1) / time.Duration(n)
		for _, before := range values[:i] {
			values[i] -= before
		}
	}
	return values
}

func sum(values []time.Duration) time.Duration {
	var total time.Duration
	for _, v := range values {
		total += v
	}
	return total
}

func rounded(length time.Duration, n int) time.Duration {
	return time.Duration(math.Round(float64(length) / float64(n)))
}

// assertDistribution compares a histogram with all its values. Quantiles are promised within 2 %.
func assertDistribution(t *testing.T, name string, values []time.Duration, h *tpot.Histogram) {
	t.Helper()
	require.Equal(t, len(values), h.Count(), name)
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	mean, _ := h.Mean()
	assert.Equal(t, rounded(sum(values), len(values)), mean, name)
	smallest, _ := h.Min()
	largest, _ := h.Max()
	assert.Equal(t, []time.Duration{values[0], values[len(values)-1]}, []time.Duration{smallest, largest}, name)
	cv, _ := h.CV()
	assert.InDelta(t, variation(values), cv, 1e-9, name)
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
		got, _ := h.Quantile(q)
		assert.InEpsilon(t, quantile(values, q), float64(got), 0.02, "%s p%v", name, q*100)
	}
}

// variation is the population standard deviation over the mean.
func variation(values []time.Duration) float64 {
	mean := float64(sum(values)) / float64(len(values))
	squares := 0.0
	for _, v := range values {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	return math.Sqrt(squares/float64(len(values))) / mean
}

// quantile interpolates between the two nearest of the sorted values.
func quantile(values []time.Duration, q float64) float64 {
	rank := q * float64(len(values)-1)
	below := int(rank)
	above := min(below+1, len(values)-1)
	return float64(values[below]) + (rank-float64(below))*float64(values[above]-values[below])
}

const window = 12 * time.Second // a step is a second

func TestSnapshotEqualsBruteForce(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { compareWithBruteForce(t, rand.New(rand.NewPCG(seed, 6))) })
		})
	}
}

func compareWithBruteForce(t *testing.T, r *rand.Rand) {
	slos := map[string]tpot.SLO{
		"chat":   {TTFT: 40 * time.Millisecond, TPOT: 25 * time.Millisecond},
		"report": {TTFT: 80 * time.Millisecond, TPOT: 50 * time.Millisecond},
	}
	m := monitor.New(monitor.Config{Window: window})
	tracker := &tpot.Tracker{Scenarios: slos, Observers: []tpot.Observer{m}}
	var all []scripted
	for range 300 {
		all = append(all, randomRequest(r, 30*time.Second))
	}
	all = append(all, onTheEdge(11*time.Second), onTheEdge(12*time.Second-1), onTheEdge(12*time.Second))
	began := time.Now()
	var running sync.WaitGroup
	for _, s := range all {
		running.Go(func() { s.run(t.Context(), tracker) })
	}
	expired := 0
	for range 40 {
		time.Sleep(time.Duration(r.Int64N(int64(2 * time.Second))))
		expired += compareSnapshot(t, m, time.Since(began), all, slos)
	}
	time.Sleep(window * 2)
	assert.Empty(t, m.Snapshot(), "long after all")
	assert.Positive(t, expired, "no window slid")
	running.Wait()
}

// onTheEdge is a request without any event that ends at a time.
func onTheEdge(end time.Duration) scripted {
	return scripted{
		key: monitor.Key{Provider: "edge", Model: "m0", Scenario: "chat"}, start: end - 7*time.Millisecond, tail: 7 * time.Millisecond,
		want: tpot.OutcomeOK,
	}
}

// compareSnapshot returns the number of requests that had slid out of the window.
func compareSnapshot(t *testing.T, m *monitor.Monitor, now time.Duration, all []scripted, slos map[string]tpot.SLO) (expired int) {
	synctest.Wait()
	oldest := max(now.Truncate(time.Second)-window, 0) // steps are whole seconds
	want, chat := map[monitor.Key]*expected{}, &expected{}
	for _, s := range all {
		rows := []*expected{want[s.key]}
		if s.key.Provider == "p" && s.key.Scenario == "chat" {
			rows = append(rows, chat)
		}
		switch {
		case s.start > now:
		case s.end() < oldest:
			expired++
		default:
			if rows[0] == nil {
				rows[0] = &expected{}
				want[s.key] = rows[0]
			}
			for _, row := range rows {
				row.take(s, now, slos[s.key.Scenario], all)
			}
		}
	}
	rows := m.Snapshot()
	require.Len(t, rows, len(want))
	for i := range rows {
		compareRow(t, &rows[i], want[rows[i].Key], now-oldest)
	}
	row := m.Row(monitor.Key{Provider: "p", Scenario: "chat"}) // of two models
	compareRow(t, &row, chat, now-oldest)
	return expired
}

func compareRow(t *testing.T, row *monitor.Row, want *expected, span time.Duration) {
	require.NotNil(t, want, "%v", row.Key)
	assert.Equal(t, span, row.Span)
	assert.Equal(t,
		[]int{want.requests, want.inFlight, want.tokens, want.chunks, want.streamed, want.stalled, want.good, want.missed},
		[]int{row.Requests, row.InFlight, row.Tokens, row.Chunks, row.Streamed, row.Stalled, row.Good, row.Missed})
	assert.Equal(t, want.outcomes, row.Outcomes)
	assert.Equal(t, want.sources, row.Sources)
	assert.Equal(t, want.stalls, row.Stalls)
	assert.Equal(t, []time.Duration{want.setup, want.wait, want.hold}, []time.Duration{row.Setup, row.Wait, row.Hold}, "setup, wait, hold")
	assert.Equal(t, map[bool]map[bool]string{true: {true: "mixed", false: "tokens"}, false: {true: "chunks", false: ""}}[want.byToken][want.byChunk],
		row.ITLBasis())
	compareRates(t, row, want, span)
	assertDistribution(t, "TTFT", want.ttft, &row.TTFT)
	assertDistribution(t, "TTFO", want.ttfo, &row.TTFO)
	assertDistribution(t, "E2E", want.e2e, &row.E2E)
	assertDistribution(t, "TPOT", want.tpot, &row.TPOT)
	assertDistribution(t, "TPOT by token", want.tpotByToken, &row.TPOTByToken)
	assertDistribution(t, "ITL", want.itl, &row.ITL)
	assertDistribution(t, "ITL by request", want.itlByRequest, &row.ITLByRequest)
	assertDistribution(t, "gaps", want.gaps, &row.Gaps)
}

func compareRates(t *testing.T, row *monitor.Row, want *expected, span time.Duration) {
	rate := func(name string, want float64, defined bool, got float64, ok bool) {
		t.Helper()
		assert.Equal(t, defined, ok, name)
		if defined {
			assert.InDelta(t, want, got, 1e-9*max(want, 1), name)
		}
	}
	check := func(name string, want float64, defined bool, figure func() (float64, bool)) {
		t.Helper()
		got, ok := figure()
		rate(name, want, defined, got, ok)
	}
	ended, counted := float64(want.requests), float64(want.good+want.missed)
	check("requests", ended/span.Minutes(), span > 0, row.RequestsPerMinute)
	check("tokens", float64(want.tokens)/span.Seconds(), span > 0, row.TokensPerSecond)
	check("goodput", float64(want.good)/counted, counted > 0, row.Goodput)
	check("good", float64(want.good)/span.Minutes(), counted > 0, row.GoodPerMinute)
	check("stalls", float64(want.stalled)/float64(want.streamed), want.streamed > 0, row.StallRate)
	bad := want.outcomes[tpot.OutcomeTimeout] + want.outcomes[tpot.OutcomeTruncated] + want.outcomes[tpot.OutcomeFailed]
	judged := bad + want.outcomes[tpot.OutcomeOK]
	check("failures", float64(bad)/float64(judged), judged > 0, row.FailureRate)
	whole := want.setup + want.wait + want.hold
	check("wait", want.wait.Seconds()/whole.Seconds(), whole > 0, row.WaitShare)
	check("hold", want.hold.Seconds()/whole.Seconds(), whole > 0, row.HoldShare)
	check("concurrency", want.concurrency/ended, ended > 0, row.Concurrency)
	for o, n := range want.outcomes {
		check("outcome", float64(n)/ended, ended > 0, func() (float64, bool) { return row.OutcomeShare(tpot.Outcome(o)) })
	}
	for s, n := range want.sources {
		check("source", float64(n)/ended, ended > 0, func() (float64, bool) { return row.SourceShare(tpot.TokenSource(s)) })
	}
}
