package tpot

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// ms is a duration that marshals as milliseconds. There and back is exact up to three weeks.
type ms time.Duration

func (d ms) MarshalJSON() ([]byte, error) { return json.Marshal(float64(d) / 1e6) }

func (d *ms) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	millis, err := strconv.ParseFloat(string(data), 64)
	if err != nil || millis < 0 || millis > float64(math.MaxInt64/2)/1e6 {
		return fmt.Errorf("tpot: %s ms is no time that a request can take", data)
	}
	*d = ms(math.Round(millis * 1e6))
	return nil
}

// orNil is a pointer to the value if there is one, so that an absent figure is a field left out.
func orNil[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

// notEmpty is h, or nil when it has no values.
func notEmpty(h *Histogram) *Histogram {
	if h.Count() == 0 {
		return nil
	}
	return h
}

func msOrNil(d time.Duration, ok bool) *ms { return orNil(ms(d), ok) }

// MarshalJSON writes the figures, with their unit in the key where they have one ("ttft_ms"). What is absent is left out. It
// writes no content: of an error only its type. There is no way back: a [Trace] is what can be read again.
func (s Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Convention   string        `json:"convention"`
		Request      Request       `json:"request,omitzero"`
		Model        string        `json:"model,omitempty"`
		Start        time.Time     `json:"start,omitzero"`
		Outcome      Outcome       `json:"outcome"`
		Cause        string        `json:"cause,omitempty"`
		ErrorType    string        `json:"error_type,omitempty"`
		FinishReason string        `json:"finish_reason,omitempty"`
		Usage        Usage         `json:"usage,omitzero"`
		Tokens       int           `json:"tokens"`
		Source       TokenSource   `json:"token_source"`
		Wire         string        `json:"wire,omitempty"`
		Events       int           `json:"events"`
		Chunks       int           `json:"chunks"`
		Choices      int           `json:"choices"`
		Unclassified int           `json:"unclassified,omitempty"`
		Unread       int           `json:"unread,omitempty"`
		Faults       int           `json:"faults,omitempty"`
		TTFT         *ms           `json:"ttft_ms,omitempty"`
		TTFO         *ms           `json:"ttfo_ms,omitempty"`
		TTST         *ms           `json:"ttst_ms,omitempty"`
		TPOT         *ms           `json:"tpot_ms,omitempty"`
		AnswerTPOT   *ms           `json:"answer_tpot_ms,omitempty"`
		E2E          *ms           `json:"e2e_ms,omitempty"`
		Headers      *ms           `json:"headers_ms,omitempty"`
		TTFB         *ms           `json:"ttfb_ms,omitempty"`
		FirstEvent   *ms           `json:"first_event_ms,omitempty"`
		PerSecond    *float64      `json:"tokens_per_second,omitempty"`
		Throughput   *float64      `json:"throughput_tokens_per_second,omitempty"`
		Setup        ms            `json:"setup_ms"`
		Wait         ms            `json:"wait_ms"`
		Hold         ms            `json:"hold_ms"`
		HoldBound    int           `json:"hold_bound"`
		Stalls       stallsJSON    `json:"stalls"`
		Gaps         *Histogram    `json:"gaps,omitempty"`
		ITL          *Histogram    `json:"itl,omitempty"`
		ITLBasis     string        `json:"itl_basis,omitempty"`
		SLOMet       *bool         `json:"slo_met,omitempty"`
		Attempts     []Attempt     `json:"attempts,omitempty"`
		Server       ServerTimings `json:"server,omitzero"`
	}{
		Convention: Convention, Request: s.Request, Model: s.Model, Start: s.Start,
		Outcome: s.Outcome, Cause: s.Cause, ErrorType: s.ErrorType, FinishReason: s.FinishReason,
		Usage: s.Usage, Tokens: s.Tokens, Source: s.Source, Wire: s.Wire,
		Events: s.Events, Chunks: s.Chunks, Choices: s.Choices, Unclassified: s.Unclassified, Unread: s.Unread,
		Faults: s.Faults,
		TTFT:   msOrNil(s.TTFT()), TTFO: msOrNil(s.TTFO()), TTST: msOrNil(s.TTST()),
		TPOT: msOrNil(s.TPOT()), AnswerTPOT: msOrNil(s.AnswerTPOT()), E2E: msOrNil(s.E2E()),
		Headers: msOrNil(s.Headers()), TTFB: msOrNil(s.TTFB()), FirstEvent: msOrNil(s.FirstEvent()),
		PerSecond: orNil(s.TokensPerSecond()), Throughput: orNil(s.Throughput()),
		Setup: ms(s.Setup), Wait: ms(s.Wait), Hold: ms(s.Hold), HoldBound: s.HoldBound,
		Stalls: stallsJSON{s.Stalls.Count, ms(s.Stalls.Total), ms(s.Stalls.Longest)},
		Gaps:   notEmpty(s.Gaps()), ITL: notEmpty(s.ITL()), ITLBasis: s.ITLBasis(), SLOMet: orNil(s.SLOMet()),
		Attempts: s.Attempts, Server: s.Server,
	})
}

type stallsJSON struct {
	Count   int `json:"count"`
	Total   ms  `json:"total_ms"`
	Longest ms  `json:"longest_ms"`
}

// MarshalJSON writes the figures of the distribution, in milliseconds; what is absent is left out. There is no way back.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	variance, ok := h.Variance()
	return json.Marshal(struct {
		Count    int      `json:"count"`
		Mean     *ms      `json:"mean_ms,omitempty"`
		StdDev   *ms      `json:"stddev_ms,omitempty"`
		Variance *float64 `json:"variance_ms2,omitempty"`
		CV       *float64 `json:"cv,omitempty"`
		Jitter   *ms      `json:"jitter_ms,omitempty"`
		Min      *ms      `json:"min_ms,omitempty"`
		P50      *ms      `json:"p50_ms,omitempty"`
		P90      *ms      `json:"p90_ms,omitempty"`
		P95      *ms      `json:"p95_ms,omitempty"`
		P99      *ms      `json:"p99_ms,omitempty"`
		Max      *ms      `json:"max_ms,omitempty"`
	}{
		Count: h.Count(), Mean: msOrNil(h.Mean()), StdDev: msOrNil(h.StdDev()), Variance: orNil(variance*1e6, ok),
		CV: orNil(h.CV()), Jitter: msOrNil(h.Jitter()), Min: msOrNil(h.Min()),
		P50: msOrNil(h.Quantile(0.5)), P90: msOrNil(h.Quantile(0.9)), P95: msOrNil(h.Quantile(0.95)),
		P99: msOrNil(h.Quantile(0.99)), Max: msOrNil(h.Max()),
	})
}

type attemptJSON struct {
	Status    int  `json:"status,omitempty"`
	Reused    bool `json:"reused,omitempty"`
	Start     ms   `json:"start_ms"`
	ConnWait  ms   `json:"conn_wait_ms,omitempty"`
	DNS       ms   `json:"dns_ms,omitempty"`
	Connect   ms   `json:"connect_ms,omitempty"`
	TLS       ms   `json:"tls_ms,omitempty"`
	Sent      ms   `json:"sent_ms,omitempty"`
	Headers   ms   `json:"headers_ms,omitempty"`
	FirstByte ms   `json:"first_byte_ms,omitempty"`
}

// MarshalJSON writes the phases that are known, in milliseconds.
func (a Attempt) MarshalJSON() ([]byte, error) {
	return json.Marshal(attemptJSON{
		a.Status, a.Reused, ms(a.Start), ms(a.ConnWait), ms(a.DNS), ms(a.Connect), ms(a.TLS), ms(a.Sent), ms(a.Headers), ms(a.FirstByte),
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Attempt) UnmarshalJSON(data []byte) error {
	var j attemptJSON
	if err := unmarshalStrict(data, &j); err != nil {
		return err
	}
	*a = Attempt{
		Start: time.Duration(j.Start), ConnWait: time.Duration(j.ConnWait), DNS: time.Duration(j.DNS), Connect: time.Duration(j.Connect),
		TLS: time.Duration(j.TLS), Sent: time.Duration(j.Sent), Headers: time.Duration(j.Headers), FirstByte: time.Duration(j.FirstByte),
		Reused: j.Reused, Status: j.Status,
	}
	return nil
}

type serverTimingsJSON struct {
	Source  string `json:"source,omitempty"`
	TTFT    ms     `json:"ttft_ms,omitempty"`
	Queue   ms     `json:"queue_ms,omitempty"`
	Load    ms     `json:"load_ms,omitempty"`
	Prompt  ms     `json:"prompt_ms,omitempty"`
	Output  ms     `json:"output_ms,omitempty"`
	Total   ms     `json:"total_ms,omitempty"`
	MeanITL ms     `json:"mean_itl_ms,omitempty"`

	TokensPerSecond float64 `json:"tokens_per_second,omitempty"`
	PromptTokens    int     `json:"prompt_tokens,omitempty"`
	CachedTokens    int     `json:"cached_tokens,omitempty"`
	OutputTokens    int     `json:"output_tokens,omitempty"`
	DraftTokens     int     `json:"draft_tokens,omitempty"`
	DraftAccepted   int     `json:"draft_accepted,omitempty"`
}

// MarshalJSON writes what the server reported, times in milliseconds.
func (t ServerTimings) MarshalJSON() ([]byte, error) {
	return json.Marshal(serverTimingsJSON{
		t.Source, ms(t.TTFT), ms(t.Queue), ms(t.Load), ms(t.Prompt), ms(t.Output), ms(t.Total), ms(t.MeanITL),
		t.TokensPerSecond, t.PromptTokens, t.CachedTokens, t.OutputTokens, t.DraftTokens, t.DraftAccepted,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *ServerTimings) UnmarshalJSON(data []byte) error {
	var j serverTimingsJSON
	if err := unmarshalStrict(data, &j); err != nil {
		return err
	}
	*t = ServerTimings{
		j.Source, time.Duration(j.TTFT), time.Duration(j.Queue), time.Duration(j.Load), time.Duration(j.Prompt), time.Duration(j.Output),
		time.Duration(j.Total), time.Duration(j.MeanITL),
		j.TokensPerSecond, j.PromptTokens, j.CachedTokens, j.OutputTokens, j.DraftTokens, j.DraftAccepted,
	}
	return nil
}
