package monitor

import (
	"encoding/json"
	"time"

	"github.com/tokentiming/tokentiming/tpot"
)

// ms is a duration that marshals as milliseconds.
type ms time.Duration

func (d ms) MarshalJSON() ([]byte, error) { return json.Marshal(float64(d) / 1e6) }

// orNil is a pointer to the value if there is one, so that an absent figure is a field left out.
func orNil[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

func msOrNil(d time.Duration, ok bool) *ms { return orNil(ms(d), ok) }

// MarshalJSON writes the figures, with their unit in the key where they have one. What is absent is left out. There is no way back.
func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Convention string `json:"convention"`
		Key
		InFlight     int             `json:"in_flight"`
		Span         ms              `json:"span_ms"`
		Requests     int             `json:"requests"`
		PerMinute    *float64        `json:"requests_per_minute,omitempty"`
		Outcomes     map[string]int  `json:"outcomes"`
		FailureRate  *float64        `json:"failure_rate,omitempty"`
		Tokens       int             `json:"tokens"`
		Chunks       int             `json:"chunks"`
		PerSecond    *float64        `json:"tokens_per_second,omitempty"`
		Sources      map[string]int  `json:"token_sources"`
		TTFT         *tpot.Histogram `json:"ttft,omitempty"`
		TTFO         *tpot.Histogram `json:"ttfo,omitempty"`
		E2E          *tpot.Histogram `json:"e2e,omitempty"`
		TPOT         *tpot.Histogram `json:"tpot,omitempty"`
		TPOTByToken  *tpot.Histogram `json:"tpot_by_token,omitempty"`
		ITL          *tpot.Histogram `json:"itl,omitempty"`
		ITLByRequest *tpot.Histogram `json:"itl_by_request,omitempty"`
		ITLBasis     string          `json:"itl_basis,omitempty"`
		Gaps         *tpot.Histogram `json:"gaps,omitempty"`
		Streamed     int             `json:"streamed"`
		Stalled      int             `json:"stalled"`
		StallRate    *float64        `json:"stall_rate,omitempty"`
		Stalls       int             `json:"stalls"`
		StallTotal   ms              `json:"stall_total_ms"`
		StallLongest ms              `json:"stall_longest_ms"`
		Setup        ms              `json:"setup_ms"`
		Wait         ms              `json:"wait_ms"`
		Hold         ms              `json:"hold_ms"`
		WaitShare    *float64        `json:"wait_share,omitempty"`
		HoldShare    *float64        `json:"hold_share,omitempty"`
		Concurrency  *float64        `json:"concurrency,omitempty"`
		Loads        []Load          `json:"loads,omitempty"`
		Good         int             `json:"good"`
		Missed       int             `json:"missed"`
		Misses       Misses          `json:"misses,omitzero"`
		Goodput      *float64        `json:"goodput,omitempty"`
		GoodRate     *float64        `json:"good_per_minute,omitempty"`
		Lost         int             `json:"lost,omitempty"`
	}{
		Convention: tpot.Convention, Key: r.Key, InFlight: r.InFlight, Span: ms(r.Span),
		Requests: r.Requests, PerMinute: orNil(r.RequestsPerMinute()),
		Outcomes: byName[tpot.Outcome](r.Outcomes[:]), FailureRate: orNil(r.FailureRate()),
		Tokens: r.Tokens, Chunks: r.Chunks, PerSecond: orNil(r.TokensPerSecond()), Sources: byName[tpot.TokenSource](r.Sources[:]),
		TTFT: notEmpty(&r.TTFT), TTFO: notEmpty(&r.TTFO), E2E: notEmpty(&r.E2E),
		TPOT: notEmpty(&r.TPOT), TPOTByToken: notEmpty(&r.TPOTByToken),
		ITL: notEmpty(&r.ITL), ITLByRequest: notEmpty(&r.ITLByRequest), ITLBasis: r.ITLBasis(), Gaps: notEmpty(&r.Gaps),
		Streamed: r.Streamed, Stalled: r.Stalled, StallRate: orNil(r.StallRate()),
		Stalls: r.Stalls.Count, StallTotal: ms(r.Stalls.Total), StallLongest: ms(r.Stalls.Longest),
		Setup: ms(r.Setup), Wait: ms(r.Wait), Hold: ms(r.Hold), WaitShare: orNil(r.WaitShare()), HoldShare: orNil(r.HoldShare()),
		Concurrency: orNil(r.Concurrency()), Loads: r.Loads(),
		Good: r.Good, Missed: r.Missed, Misses: r.Misses, Goodput: orNil(r.Goodput()), GoodRate: orNil(r.GoodPerMinute()),
		Lost: r.Lost,
	})
}

// MarshalJSON writes the load, times in milliseconds; what is absent is left out. There is no way back.
func (l Load) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		From     int `json:"from"`
		To       int `json:"to"`
		Requests int `json:"requests"`
		TTFT     *ms `json:"mean_ttft_ms,omitempty"`
		TPOT     *ms `json:"mean_tpot_ms,omitempty"`
	}{l.From, l.To, l.Requests, msOrNil(l.MeanTTFT()), msOrNil(l.MeanTPOT())})
}

// byName is counts by the names of what they count, without zeros.
func byName[T interface {
	~uint8
	String() string
}](counts []int) map[string]int {
	named := make(map[string]int)
	for i, n := range counts {
		if n != 0 {
			named[T(i).String()] = n
		}
	}
	return named
}

// notEmpty is h, or nil when it has no values.
func notEmpty(h *tpot.Histogram) *tpot.Histogram {
	if h.Count() == 0 {
		return nil
	}
	return h
}

// MarshalJSON writes what there is to see.
func (v *view) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Convention string     `json:"convention"`
		Taken      time.Time  `json:"taken"`
		Window     ms         `json:"window_ms"`
		Span       ms         `json:"span_ms"`
		InFlight   int        `json:"in_flight"`
		Stalled    int        `json:"stalled_now"`
		Streams    []inFlight `json:"streams"`
		NotShown   int        `json:"streams_not_shown"`
		Rows       []Row      `json:"rows"`
		Total      *Row       `json:"total"`
		Recent     []finished `json:"recent"`
		Faults     int        `json:"faults"`
	}{
		Convention: tpot.Convention, Taken: v.taken, Window: ms(v.window), Span: ms(v.span),
		InFlight: v.inFlight, Stalled: v.stalled, Streams: v.streams, NotShown: v.notShown(),
		Rows: v.rows, Total: &v.total, Recent: v.recent, Faults: v.faults,
	})
}

// MarshalJSON writes a request in flight; what is absent is left out.
func (f inFlight) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key
		Start  time.Time        `json:"start"`
		Age    ms               `json:"age_ms"`
		State  state            `json:"state"`
		Wait   *ms              `json:"open_wait_ms,omitempty"`
		TTFT   *ms              `json:"ttft_ms,omitempty"`
		Tokens int              `json:"tokens"`
		Source tpot.TokenSource `json:"token_source"`
		Chunks int              `json:"chunks"`
		Stalls stallsJSON       `json:"stalls"`
		Course course           `json:"course,omitzero"`
	}{
		f.key, f.start, ms(f.age), f.state, f.wait.orNil(), f.ttft.orNil(), f.tokens, f.source, f.chunks, stallsOf(f.stalls), f.course,
	})
}

// MarshalJSON writes a request that ended; what is absent is left out.
func (f finished) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key
		Start     time.Time        `json:"start"`
		Outcome   tpot.Outcome     `json:"outcome"`
		Cause     string           `json:"cause,omitempty"`
		ErrorType string           `json:"error_type,omitempty"`
		TTFT      *ms              `json:"ttft_ms,omitempty"`
		TPOT      *ms              `json:"tpot_ms,omitempty"`
		E2E       *ms              `json:"e2e_ms,omitempty"`
		Tokens    int              `json:"tokens"`
		Source    tpot.TokenSource `json:"token_source"`
		Chunks    int              `json:"chunks"`
		Stalls    stallsJSON       `json:"stalls"`
		Course    course           `json:"course,omitzero"`
	}{
		f.key, f.start, f.outcome, f.cause, f.errorType, f.ttft.orNil(), f.tpot.orNil(), f.e2e.orNil(),
		f.tokens, f.source, f.chunks, stallsOf(f.stalls), f.course,
	})
}

func (f figure) orNil() *ms { return msOrNil(f.value, f.ok) }

type stallsJSON struct {
	Count   int `json:"count"`
	Total   ms  `json:"total_ms"`
	Longest ms  `json:"longest_ms"`
}

func stallsOf(s tpot.Stalls) stallsJSON { return stallsJSON{s.Count, ms(s.Total), ms(s.Longest)} }

// IsZero is whether there was no gap.
func (c course) IsZero() bool { return len(c.longest) == 0 }

// MarshalJSON writes the longest gap of each step since the first chunk.
func (c course) MarshalJSON() ([]byte, error) {
	longest := make([]ms, len(c.longest))
	for i, gap := range c.longest {
		longest[i] = ms(gap)
	}
	return json.Marshal(struct {
		Step    ms   `json:"step_ms"`
		Longest []ms `json:"longest_gap_ms"`
	}{ms(c.step), longest})
}
