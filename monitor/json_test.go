package monitor_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// object is a JSON object in the making.
type object map[string]any

func (o object) number(name string, value float64, ok bool) {
	if ok {
		o[name] = value
	}
}

func (o object) ms(name string, d time.Duration, ok bool) { o.number(name, float64(d)/1e6, ok) }

// counts adds an object of counts by name, without those that are zero.
func (o object) counts(name string, counts map[string]int) {
	kept := object{}
	for n, count := range counts {
		if count > 0 {
			kept[n] = float64(count)
		}
	}
	o[name] = map[string]any(kept)
}

func (o object) distribution(name string, h *tpot.Histogram) {
	if h.Count() == 0 {
		return
	}
	d := object{"count": float64(h.Count())}
	ms := func(name string, value time.Duration, ok bool) { d.ms(name, value, ok) }
	mean, ok := h.Mean()
	ms("mean_ms", mean, ok)
	stddev, ok := h.StdDev()
	ms("stddev_ms", stddev, ok)
	variance, ok := h.Variance()
	d.number("variance_ms2", variance*1e6, ok)
	cv, ok := h.CV()
	d.number("cv", cv, ok)
	jitter, ok := h.Jitter()
	ms("jitter_ms", jitter, ok)
	for name, q := range map[string]float64{"min_ms": 0, "p50_ms": 0.5, "p90_ms": 0.9, "p95_ms": 0.95, "p99_ms": 0.99, "max_ms": 1} {
		value, ok := h.Quantile(q)
		ms(name, value, ok)
	}
	o[name] = map[string]any(d)
}

// rowJSON is what the JSON of a row should be.
func rowJSON(r *monitor.Row) map[string]any {
	o := object{
		"convention": "tokentiming", "provider": r.Provider, "model": r.Model, "scenario": r.Scenario,
		"in_flight": float64(r.InFlight), "requests": float64(r.Requests), "tokens": float64(r.Tokens), "chunks": float64(r.Chunks),
		"streamed": float64(r.Streamed), "stalled": float64(r.Stalled), "stalls": float64(r.Stalls.Count),
		"good": float64(r.Good), "missed": float64(r.Missed),
	}
	for name, d := range map[string]time.Duration{
		"span_ms": r.Span, "stall_total_ms": r.Stalls.Total, "stall_longest_ms": r.Stalls.Longest,
		"setup_ms": r.Setup, "wait_ms": r.Wait, "hold_ms": r.Hold,
	} {
		o.ms(name, d, true)
	}
	for name, rate := range map[string]func() (float64, bool){
		"requests_per_minute": r.RequestsPerMinute, "tokens_per_second": r.TokensPerSecond, "failure_rate": r.FailureRate,
		"stall_rate": r.StallRate, "wait_share": r.WaitShare, "hold_share": r.HoldShare, "concurrency": r.Concurrency,
		"goodput": r.Goodput, "good_per_minute": r.GoodPerMinute,
	} {
		value, ok := rate()
		o.number(name, value, ok)
	}
	for name, h := range map[string]*tpot.Histogram{
		"ttft": &r.TTFT, "ttfo": &r.TTFO, "e2e": &r.E2E, "tpot": &r.TPOT, "tpot_by_token": &r.TPOTByToken,
		"itl": &r.ITL, "itl_by_request": &r.ITLByRequest, "gaps": &r.Gaps,
	} {
		o.distribution(name, h)
	}
	o.counts("outcomes", map[string]int{
		"ok": r.Outcomes[tpot.OutcomeOK], "canceled": r.Outcomes[tpot.OutcomeCanceled], "timeout": r.Outcomes[tpot.OutcomeTimeout],
		"truncated": r.Outcomes[tpot.OutcomeTruncated], "failed": r.Outcomes[tpot.OutcomeFailed],
	})
	o.counts("token_sources", map[string]int{
		"reported": r.Sources[tpot.SourceReported], "counted": r.Sources[tpot.SourceCounted],
		"chunks": r.Sources[tpot.SourceChunks], "unknown": r.Sources[tpot.SourceUnknown],
	})
	if basis := r.ITLBasis(); basis != "" {
		o["itl_basis"] = basis
	}
	if r.Misses != (monitor.Misses{}) {
		o["misses"] = map[string]any{
			"ttft": float64(r.Misses.TTFT), "ttfo": float64(r.Misses.TTFO), "tpot": float64(r.Misses.TPOT), "itl99": float64(r.Misses.ITL99),
			"stall": float64(r.Misses.Stall), "e2e": float64(r.Misses.E2E), "end": float64(r.Misses.End),
		}
	}
	var loads []any
	for _, l := range r.Loads() {
		load := object{"from": float64(l.From), "to": float64(l.To), "requests": float64(l.Requests)}
		ttft, ok := l.MeanTTFT()
		load.ms("mean_ttft_ms", ttft, ok)
		tpot, ok := l.MeanTPOT()
		load.ms("mean_tpot_ms", tpot, ok)
		loads = append(loads, map[string]any(load))
	}
	if loads != nil {
		o["loads"] = loads
	}
	return o
}

func TestTheJSONHasTheFiguresOfSnapshot(t *testing.T) {
	for seed := range uint64(4) {
		busy(t, seed, func(t *testing.T, m *monitor.Monitor) {
			var decoded struct {
				Rows  []map[string]any
				Total map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(get(t, m, "/json")), &decoded))
			rows := m.Snapshot()
			require.Len(t, decoded.Rows, len(rows))
			requests := 0
			for i := range rows {
				assert.Equal(t, rowJSON(&rows[i]), decoded.Rows[i])
				requests += rows[i].Requests
			}
			assert.Equal(t, float64(requests), decoded.Total["requests"])
		})
	}
}

// Bubbles begin at midnight UTC 2000-01-01.
func TestTheWholeJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitor.New(monitor.Config{Window: time.Minute})
		tracker := &tpot.Tracker{Observers: []tpot.Observer{m}}
		_, ended := tracker.Start(t.Context(), tpot.Request{Provider: "p", Model: "m", Scenario: "chat"})
		ended.BeginWait()
		time.Sleep(100 * time.Millisecond)
		ended.Observe(tpot.Event{Kind: tpot.KindText})
		ended.BeginWait()
		for _, gap := range []time.Duration{600, 500} {
			time.Sleep(gap * time.Millisecond)
			ended.Observe(tpot.Event{Kind: tpot.KindText})
			ended.BeginWait()
		}
		ended.End(errors.New("boom"))
		_, first := tracker.Start(t.Context(), tpot.Request{Model: "waits"})
		_, open := tracker.Start(t.Context(), tpot.Request{Model: "streams"})
		first.BeginWait()
		time.Sleep(50 * time.Millisecond)
		open.Observe(tpot.Event{Kind: tpot.KindText, Tokens: 2})
		open.BeginWait()
		time.Sleep(1500 * time.Microsecond)
		open.Observe(tpot.Event{Kind: tpot.KindText, Tokens: 2})
		open.BeginWait()
		time.Sleep(10 * time.Millisecond)
		_, held := tracker.Start(t.Context(), tpot.Request{Model: "holds"})
		held.BeginWait()
		held.Observe(tpot.Event{Kind: tpot.KindPing})

		var decoded map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(get(t, m, "/json")), &decoded))
		rows := decoded["rows"]
		total := decoded["total"]
		delete(decoded, "rows")
		delete(decoded, "total")
		rest, err := json.Marshal(decoded)
		require.NoError(t, err)
		assert.JSONEq(t, `{
			"convention": "tokentiming", "taken": "`+time.Now().Format(time.RFC3339Nano)+`", "window_ms": 60000, "span_ms": 1261.5,
			"in_flight": 3, "stalled_now": 0, "streams_not_shown": 0, "faults": 0,
			"streams": [
				{"provider": "", "model": "waits", "scenario": "", "start": "`+time.Now().Add(-61500*time.Microsecond).Format(time.RFC3339Nano)+`",
					"age_ms": 61.5, "state": "first token", "open_wait_ms": 61.5, "tokens": 0, "token_source": "unknown", "chunks": 0,
					"stalls": {"count": 0, "total_ms": 0, "longest_ms": 0}},
				{"provider": "", "model": "streams", "scenario": "", "start": "`+time.Now().Add(-61500*time.Microsecond).Format(time.RFC3339Nano)+`",
					"age_ms": 61.5, "state": "streaming", "open_wait_ms": 10, "ttft_ms": 50, "tokens": 4, "token_source": "counted", "chunks": 2,
					"stalls": {"count": 0, "total_ms": 0, "longest_ms": 0}, "course": {"step_ms": 1.048576, "longest_gap_ms": [1.5, 1.5]}},
				{"provider": "", "model": "holds", "scenario": "", "start": "`+time.Now().Format(time.RFC3339Nano)+`",
					"age_ms": 0, "state": "holding", "tokens": 0, "token_source": "unknown", "chunks": 0,
					"stalls": {"count": 0, "total_ms": 0, "longest_ms": 0}}
			],
			"recent": [
				{"provider": "p", "model": "m", "scenario": "chat", "start": "`+time.Now().Add(-1261500*time.Microsecond).Format(time.RFC3339Nano)+`",
					"outcome": "failed", "cause": "error from stream", "error_type": "*errors.errorString", "ttft_ms": 100, "tpot_ms": 550, "e2e_ms": 1200,
					"tokens": 3, "token_source": "chunks", "chunks": 3, "stalls": {"count": 2, "total_ms": 1100, "longest_ms": 600},
					"course": {"step_ms": 33.554432, "longest_gap_ms": [600`+strings.Repeat(", 600", 17)+strings.Repeat(", 500", 15)+`]}}
			]
		}`, string(rest))
		want, err := json.Marshal(m.Snapshot())
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(rows))
		assert.NotEmpty(t, total)
		first.End(nil)
		open.End(nil)
		held.End(nil)
	})
}

func TestTheJSONOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.JSONEq(t, `{
			"convention": "tokentiming", "taken": "`+time.Now().Format(time.RFC3339Nano)+`", "window_ms": 300000, "span_ms": 0,
			"in_flight": 0, "stalled_now": 0, "streams": [], "streams_not_shown": 0, "rows": [], "recent": [], "faults": 0,
			"total": {
				"convention": "tokentiming", "provider": "", "model": "", "scenario": "", "in_flight": 0, "span_ms": 0, "requests": 0,
				"outcomes": {}, "tokens": 0, "chunks": 0, "token_sources": {}, "streamed": 0, "stalled": 0,
				"stalls": 0, "stall_total_ms": 0, "stall_longest_ms": 0, "setup_ms": 0, "wait_ms": 0, "hold_ms": 0, "good": 0, "missed": 0
			}
		}`, get(t, monitor.New(monitor.Config{}), "/json"))
	})
}
