package tpot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/tpot"
)

// anyEvent is an event such as no provider sends.
func anyEvent(rnd *rand.Rand) tpot.Event {
	e := tpot.Event{Kind: text, Choice: rnd.IntN(2) * rnd.IntN(4)}
	if rnd.IntN(2) == 0 {
		e.Kind = tpot.Kind(rnd.Uint32N(1 << 17)) // with a bit that has no name
	}
	e.Tokens = []int{0, 1, 1, 3, -2, math.MaxInt}[rnd.IntN(6)]
	e.Usage = tpot.Usage{Input: rnd.IntN(9), Output: rnd.IntN(40), Reasoning: rnd.IntN(20), Cached: rnd.IntN(3) - 1}
	names := []string{"", "", "acme-large", "stop", "no utf-8: \xff"}
	e.Model, e.FinishReason, e.ErrorType = names[rnd.IntN(5)], names[rnd.IntN(5)], names[rnd.IntN(5)]
	return e
}

// anyRequest records a request in which anything may happen, in any order, and returns its Recorder before the end.
func anyRequest(ctx context.Context, rnd *rand.Rand, tracker *tpot.Tracker) (r *tpot.Recorder, now time.Duration) {
	_, r = tracker.Start(ctx, tpot.Request{Model: "acme", Scenario: "chat", MaxTokens: 64})
	saysNothing := rnd.IntN(3) == 0 // that it waits
	now = 1                         // an end at zero is one that a trace does not know
	for range rnd.IntN(40) {
		now += time.Duration(rnd.Int64N(int64([]time.Duration{300 * time.Millisecond, 60 * time.Microsecond, 1}[rnd.IntN(3)])))
		switch step := rnd.IntN(20); step {
		case 0:
			r.EndWaitAt(now)
		case 1:
			r.BeginHoldAt(now)
		case 2:
			r.AddHold(time.Duration(rnd.Int64N(int64(50 * time.Millisecond))))
		case 3:
			r.ObserveErrorAt(now, errors.New("one that the stream may survive"))
		case 4:
			r.Attempt(tpot.Attempt{Start: 1, ConnWait: 2, DNS: 3, Connect: 4, TLS: 5, Sent: 6, Headers: now, Reused: true, Status: 200})
			r.FirstByteAt(now)
		case 5:
			r.ReportWire("openai chat")
			r.ReportServer(tpot.ServerTimings{"vllm", 1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10, 11, 12, 13})
			r.Unread()
			r.Fault()
		case 6:
			r.Claim("an adapter")
		case 7, 8, 9, 10:
			if !saysNothing {
				r.BeginWaitAt(now)
			}
		default:
			r.ObserveAt(now, anyEvent(rnd))
		}
	}
	return r, now
}

// replayable is the Stats as a trace can give them: without the error, and without the clock that only the process has.
func replayable(s tpot.Stats) tpot.Stats {
	s.Err = nil
	s.Start = s.Start.Round(0).UTC()
	if len(s.Attempts) == 0 {
		s.Attempts = nil
	}
	return s
}

func requireReplay(t *testing.T, want tpot.Stats, r *tpot.Recorder, why any) {
	t.Helper()
	trace := r.Trace()
	require.Equal(t, replayable(want), replayable(tpot.Replay(trace)), why)

	stored, err := json.Marshal(trace)
	require.NoError(t, err)
	var back tpot.Trace
	require.NoError(t, json.Unmarshal(stored, &back))
	require.Equal(t, replayable(want), replayable(tpot.Replay(back)), why)
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.Equal(t, string(stored), string(again), why)
}

// Whatever happens to a request: its trace, written and read again, replays to the Stats that it gave, both while it goes on and at its end.
func TestReplayGivesTheStatsOfTheLiveRun(t *testing.T) {
	ends := []error{nil, io.EOF, io.ErrUnexpectedEOF, errors.New("other"), tpot.EarlyClose, tpot.Abandoned, tpot.Incomplete, context.Canceled}
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		tracker := &tpot.Tracker{TraceEvents: 100, SLO: tpot.SLO{1, 2, 3, 4, 5, 6}}
		if rnd.IntN(2) == 0 {
			tracker.Stall = time.Duration(1 + rnd.Int64N(int64(time.Second)))
		}
		r, now := anyRequest(t.Context(), rnd, tracker)
		requireReplay(t, r.Stats(), r, seed)
		now += time.Duration(rnd.Int64N(int64(time.Second)))
		if rnd.IntN(2) == 0 {
			r.EndAt(now, ends[rnd.IntN(len(ends))])
		} else {
			r.EndResponseAt(now, ends[rnd.IntN(len(ends))])
		}
		requireReplay(t, r.Stats(), r, seed)
	}
}

func TestATraceSaysWhatIsMissing(t *testing.T) {
	for keep, events := range map[int]int{0: 0, 2: 2, 3: 3, 5: 3} {
		_, r := (&tpot.Tracker{TraceEvents: keep}).Start(t.Context(), tpot.Request{})
		for i := range 3 {
			r.BeginWaitAt(time.Duration(i) * time.Second)
			r.ObserveAt(time.Duration(i+1)*time.Second, tpot.Event{Kind: text, Tokens: 1})
		}
		r.BeginWaitAt(3 * time.Second)
		live := r.EndAt(10*time.Second, io.ErrUnexpectedEOF)
		assert.Equal(t, tpot.Stalls{Count: 3, Total: 9 * time.Second, Longest: 7 * time.Second}, live.Stalls)
		trace := r.Trace()
		if keep > 0 {
			assert.Equal(t, 7*time.Second, trace.TailWait, "after the last event, kept or not")
		}
		assert.Len(t, trace.Events, events)
		assert.Equal(t, 3-events, trace.Dropped)
		s := tpot.Replay(trace)
		assert.Equal(t, events, s.Tokens)
		stalls := max(events-1, 0)
		if trace.Dropped == 0 {
			stalls = 3
		}
		assert.Equal(t, stalls, s.Stalls.Count, "the wait after what was not kept is nobody's")
	}
}

// A complete response ends with the event that completed it. When its body was closed is worth keeping all the same: some tools end there.
func TestATraceKeepsWhenTheBodyWasClosed(t *testing.T) {
	for name, end := range map[string]func(*tpot.Recorder){
		"response": func(r *tpot.Recorder) { r.EndResponseAt(5*time.Second, nil) },
		"stream":   func(r *tpot.Recorder) { r.EndAt(5*time.Second, nil) },
	} {
		_, r := (&tpot.Tracker{TraceEvents: 9}).Start(t.Context(), tpot.Request{})
		r.ObserveAt(time.Second, tpot.Event{Kind: text})
		r.ObserveAt(2*time.Second, tpot.Event{Kind: tpot.KindDone})
		end(r)
		trace := r.Trace()
		assert.Equal(t, 5*time.Second, max(trace.End, trace.Closed), name)
		if name == "response" {
			assert.Equal(t, 2*time.Second, trace.End)
		} else {
			assert.Zero(t, trace.Closed, "it would say nothing more")
		}
	}
}

func TestReplayTakesWhatNoRecorderWrote(t *testing.T) {
	assert.Equal(t, tpot.Start(t.Context()).Stats().Tokens, tpot.Replay(tpot.Trace{}).Tokens)
	s := tpot.Replay(tpot.Trace{ // offsets that go backwards, negative waits, no end
		Events: []tpot.TraceEvent{
			{At: -time.Second, Wait: -time.Hour, Event: tpot.Event{Kind: text}},
			{At: 3 * time.Second, Hold: -time.Hour, Event: tpot.Event{Kind: text}},
			{At: time.Second, Event: tpot.Event{Kind: text}},
		},
		Outcome: tpot.OutcomeOK, TailWait: -time.Hour,
	})
	first, _ := s.TTFT()
	assert.Zero(t, first)
	each, _ := s.TPOT()
	assert.Equal(t, 1500*time.Millisecond, each)
	e2e, _ := s.E2E()
	assert.Equal(t, 3*time.Second, e2e)
	assert.Equal(t, tpot.Stalls{Count: 1, Total: 3 * time.Second, Longest: 3 * time.Second}, s.Stalls, "all is wait")
}

// A trace from elsewhere has offsets alone. It is what a Recorder says that nobody told of waits.
func TestReplayOfATraceWithoutWaits(t *testing.T) {
	r := tpot.Start(t.Context())
	trace := tpot.Trace{Outcome: tpot.OutcomeOK, End: 4 * time.Second}
	for _, at := range []time.Duration{100, 150, 1200, 3000} {
		r.ObserveAt(at*time.Millisecond, tpot.Event{Kind: text})
		trace.Events = append(trace.Events, tpot.TraceEvent{At: at * time.Millisecond, Event: tpot.Event{Kind: text}})
	}
	want, got := r.EndAt(4*time.Second, nil), tpot.Replay(trace)
	want.Start = got.Start
	assert.Equal(t, want, got)
	assert.Equal(t, 2, got.Stalls.Count)
	assert.Equal(t, 4*time.Second, got.Wait)
}

func TestTracesThatAreNone(t *testing.T) {
	for name, line := range map[string]string{
		"no version":        `{"outcome":"ok","end_ms":3,"events":[]}`,
		"a later version":   `{"trace":2,"outcome":"ok","end_ms":3,"events":[]}`,
		"no JSON":           `data: {"trace":1}`,
		"another kind":      `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":1,"kind":"txt"}]}`,
		"another outcome":   `{"trace":1,"outcome":"good","end_ms":3,"events":[]}`,
		"a negative offset": `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":-1,"kind":"text"}]}`,
		"an endless wait":   `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":1,"wait_ms":1e300,"kind":"text"}]}`,
		"an unknown field":  `{"trace":1,"outcome":"ok","end_ms":3,"of_the_future":1}`,
		"a misspelt field":  `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":1,"kind":"text","token":3}]}`,
		"no outcome":        `{"trace":1,"end_ms":3,"events":[{"at_ms":1,"kind":"text"}]}`,
		"kind of no bits":   `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":1,"kind":"0xzz"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			good := `{"trace":1,"outcome":"ok","end_ms":3,"events":[{"at_ms":1.5,"kind":"text"}]}`
			file := "\ufeff" + line + "\n\n" + good + "\r\n" + line
			var traces, bad int
			for trace, err := range tpot.ReadTraces(bytes.NewBufferString(file)) {
				if err != nil {
					bad++
					assert.Contains(t, err.Error(), []string{"line 1: ", "line 4: "}[bad-1])
					assert.Zero(t, trace)
					continue
				}
				traces++
				assert.Equal(t, 1500*time.Microsecond, trace.Events[0].At)
			}
			assert.Equal(t, 1, traces)
			assert.Equal(t, 2, bad)
		})
	}
}

func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	for trace, err := range tpot.ReadTraces(bytes.NewBufferString("\ufeff{\"trace\":1,\"outcome\":\"ok\",\"end_ms\":3}")) {
		require.NoError(t, err)
		assert.Equal(t, 3*time.Millisecond, trace.End)
	}
}

func TestATraceIsACopy(t *testing.T) {
	_, r := (&tpot.Tracker{TraceEvents: 9}).Start(t.Context(), tpot.Request{})
	r.Attempt(tpot.Attempt{Status: 200})
	r.ObserveAt(time.Second, tpot.Event{Kind: text})
	trace := r.Trace()
	assert.Zero(t, trace.Stall, "the threshold is the usual one")
	trace.Attempts[0].Status, trace.Events[0].At = 500, 0
	assert.Equal(t, 200, r.Trace().Attempts[0].Status)
	assert.Equal(t, time.Second, r.Trace().Events[0].At)
}

// A line without an end does not fill the memory.
func TestReadTracesPassesOverALineThatIsTooLong(t *testing.T) {
	good := `{"trace":1,"outcome":"ok","end_ms":3}` + "\n"
	long := `{"trace":1,"outcome":"ok","cause":"`
	file := io.MultiReader(strings.NewReader(good+long), io.LimitReader(endless{}, 65<<20), strings.NewReader("\"}\n"+good))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var errs []string
	for trace, err := range tpot.ReadTraces(file) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		assert.Equal(t, 3*time.Millisecond, trace.End)
	}
	runtime.ReadMemStats(&after)
	assert.Equal(t, []string{"line 2: tpot: more than 64 MiB"}, errs)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(512<<20), "what doubling to the limit takes")
}

// endless is the letter x, again and again.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReadTracesEndsWithTheReadersError(t *testing.T) {
	broken := errors.New("broken")
	half := io.MultiReader(bytes.NewBufferString(`{"trace":1,`), errorReader{broken})
	var errs []error
	for _, err := range tpot.ReadTraces(half) {
		errs = append(errs, err)
	}
	assert.Equal(t, []error{broken}, errs)
	lines := 0
	for _, err := range tpot.ReadTraces(bytes.NewBufferString("x\n \nx\nx")) {
		assert.Error(t, err)
		lines++
	}
	assert.Equal(t, 3, lines)
	for range tpot.ReadTraces(bytes.NewBufferString("x\nx\nx\n")) {
		break
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestTraceWriterWritesALineForEachRequest(t *testing.T) {
	var file bytes.Buffer
	writer := tpot.NewTraceWriter(&file)
	tracker := &tpot.Tracker{TraceEvents: 9, Observers: []tpot.Observer{writer}}
	var want []tpot.Stats
	for i := range 3 {
		_, r := tracker.Start(t.Context(), tpot.Request{Model: "acme"})
		r.ObserveAt(time.Duration(i)*time.Second, tpot.Event{Kind: text})
		want = append(want, r.EndAt(time.Minute, nil))
	}
	var got []tpot.Stats
	for trace, err := range tpot.ReadTraces(&file) {
		require.NoError(t, err)
		got = append(got, replayable(tpot.Replay(trace)))
	}
	require.NoError(t, writer.Err())
	require.Len(t, got, 3)
	for i := range got {
		assert.Equal(t, replayable(want[i]), got[i])
	}
}

// onceAtATime is a file that minds who writes beside another.
type onceAtATime struct {
	bytes.Buffer
	writes int
}

func (w *onceAtATime) Write(p []byte) (int, error) {
	w.writes++
	return w.Buffer.Write(p)
}

func TestTraceWriterIsForManyRequestsAtOnce(t *testing.T) {
	file := &onceAtATime{}
	writer := tpot.NewTraceWriter(file)
	tracker := &tpot.Tracker{TraceEvents: 100, Observers: []tpot.Observer{writer}}
	var requests sync.WaitGroup
	for range 8 {
		requests.Go(func() {
			for n := range 50 {
				_, r := tracker.Start(t.Context(), tpot.Request{MaxTokens: n})
				for i := range n {
					r.ObserveAt(time.Duration(i), tpot.Event{Kind: text})
				}
				r.EndAt(time.Second, nil)
				assert.NoError(t, writer.Err())
			}
		})
	}
	requests.Wait()
	assert.Equal(t, 8*50, file.writes, "a Write for each")
	seen := map[int]int{}
	for trace, err := range tpot.ReadTraces(file) {
		require.NoError(t, err)
		assert.Len(t, trace.Events, trace.Request.MaxTokens)
		seen[len(trace.Events)]++
	}
	for n := range 50 {
		assert.Equal(t, 8, seen[n])
	}
}

// The bounds are those that the comment of Replay names.
func TestReplayTakesTimesThatCannotBeForTheNearestThatCan(t *testing.T) {
	for name, long := range map[string]time.Duration{"endless": math.MaxInt64, "negative": math.MinInt64} {
		s := tpot.Replay(tpot.Trace{
			Events: []tpot.TraceEvent{
				{At: time.Second, Wait: long, Hold: long, Event: tpot.Event{Kind: text, Tokens: 1}},
				{At: long, Wait: long, Hold: long, Event: tpot.Event{Kind: text, Tokens: 4}},
				{At: long, Event: tpot.Event{Kind: text, Choice: 1, Tokens: 1}},
			},
			End: long, Closed: long, Setup: long, Wait: long, Hold: long, TailWait: long, Stall: long, Outcome: tpot.OutcomeCanceled,
		})
		year, gap := time.Duration(0), time.Duration(0)
		if long > 0 {
			year = 1 << 55
			gap = year - time.Second
		}
		assert.Greater(t, time.Duration(1<<55), 365*24*time.Hour)
		each, _ := s.TPOT()
		assert.Equal(t, gap/4, each, name)
		e2e, _ := s.E2E()
		assert.Equal(t, max(year, time.Second), e2e, name)
		if long > 0 {
			assert.Equal(t, [3]time.Duration{year, year, year}, [3]time.Duration{s.Setup, s.Wait, s.Hold})
		} else {
			assert.Equal(t, [3]time.Duration{0, time.Second, 0}, [3]time.Duration{s.Setup, s.Wait, s.Hold}, "as if none were told")
		}
		assert.Zero(t, s.Stalls, "none is as long as that, or what is not known of it")
	}
	s := tpot.Replay(tpot.Trace{ // waits and holds that do not fit in their time
		Events: []tpot.TraceEvent{
			{At: time.Second, Wait: time.Second, Event: tpot.Event{Kind: text}},
			{At: 2 * time.Second, Wait: time.Hour, Hold: time.Hour, Event: tpot.Event{Kind: text}},
			{At: 2*time.Second + 30*time.Microsecond, Wait: 20 * time.Microsecond, Hold: time.Hour, Event: tpot.Event{Kind: text}},
			{At: 2*time.Second + 60*time.Microsecond, Wait: 10 * time.Microsecond, Hold: time.Hour, Event: tpot.Event{Kind: text}},
		},
		Wait: 2 * time.Second, Outcome: tpot.OutcomeOK,
	})
	assert.Equal(t, tpot.Stalls{Count: 1, Total: time.Second, Longest: time.Second}, s.Stalls)
	assert.Equal(t, 1, s.HoldBound, "a wait of 10 µs and a hold of 20, not one of 20 and of 10")
}

func TestTraceWriterStopsAtAnError(t *testing.T) {
	full := &fullWriter{}
	writer := tpot.NewTraceWriter(full)
	tracker := &tpot.Tracker{TraceEvents: 9, Observers: []tpot.Observer{writer}}
	for range 3 {
		_, r := tracker.Start(t.Context(), tpot.Request{})
		assert.Equal(t, tpot.OutcomeOK, r.EndAt(time.Minute, nil).Outcome)
	}
	assert.ErrorIs(t, writer.Err(), io.ErrShortWrite)
	assert.Equal(t, 1, full.writes)
}

type fullWriter struct{ writes int }

func (w *fullWriter) Write(p []byte) (int, error) {
	w.writes++
	return len(p) / 2, io.ErrShortWrite
}

// What JSON has no number for cannot be written.
func TestTraceWriterKeepsAnErrorOfTheTrace(t *testing.T) {
	var file bytes.Buffer
	writer := tpot.NewTraceWriter(&file)
	tracker := &tpot.Tracker{Observers: []tpot.Observer{writer}}
	for range 2 {
		_, r := tracker.Start(t.Context(), tpot.Request{})
		r.ReportServer(tpot.ServerTimings{TokensPerSecond: math.NaN()})
		r.EndAt(time.Second, nil)
		require.Error(t, writer.Err())
	}
	assert.Zero(t, file.Len())
}
