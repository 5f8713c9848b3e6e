package convention_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
	"github.com/tokentiming/tokentiming/tpot"
)

// fixture is one or more requests and what each tool says of them, worked out by running the tools' own functions, or a second reading of
// their sources. Times are milliseconds.
type fixture struct {
	Name     string
	Requests []request
	Duration float64 `json:"duration_ms"`
	SLOs     []struct {
		TTFT float64 `json:"ttft_ms"`
		TPOT float64 `json:"tpot_ms"`
		E2E  float64 `json:"e2e_ms"`
	}
	Expect map[string]json.RawMessage
}

type request struct {
	Start     float64 `json:"start_ms"`
	MaxTokens int     `json:"max_tokens"`
	Events    []struct {
		At     float64 `json:"at_ms"`
		Kinds  []string
		Tokens int
		Usage  tpot.Usage
		Choice int
	}
	End     float64 `json:"end_ms"`
	Outcome string
}

// expected is the figures of one request under one convention; nil is undefined.
type expected struct {
	TTFT    *float64   `json:"ttft_ms"`
	TPOT    *float64   `json:"tpot_ms"`
	ITLMean *float64   `json:"itl_mean_ms"`
	E2E     *float64   `json:"e2e_ms"`
	N       *int       `json:"n"`
	Source  string     `json:"n_source"`
	Gaps    *[]float64 `json:"itl_samples_ms"`
	GapsWhy string     `json:"itl_samples_ms_undefined"`
	Counted *bool
	Extra   map[string]any
	Ignored *expected `json:"if_event_ignored"`
}

func ms(millis float64) time.Duration { return time.Duration(math.Round(millis * 1e6)) }

// epoch is when the fixtures' clock is at zero.
var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (r request) trace(t *testing.T, without tpot.Kind) tpot.Trace {
	outcomes := map[string]tpot.Outcome{"ok": tpot.OutcomeOK, "failed": tpot.OutcomeFailed, "cancelled": tpot.OutcomeCanceled}
	require.Contains(t, outcomes, r.Outcome)
	trace := tpot.Trace{
		Request: tpot.Request{MaxTokens: r.MaxTokens}, Start: epoch.Add(ms(r.Start)), End: ms(r.End - r.Start), Outcome: outcomes[r.Outcome],
	}
	for _, e := range r.Events {
		kind := kinds(t, e.Kinds)
		if kind == without {
			continue
		}
		trace.Events = append(trace.Events, tpot.TraceEvent{
			At: ms(e.At - r.Start), Event: tpot.Event{Kind: kind, Tokens: e.Tokens, Choice: e.Choice, Usage: e.Usage},
		})
	}
	return trace
}

// kinds translates the fixtures' names.
func kinds(t *testing.T, names []string) (all tpot.Kind) {
	ours := map[string]tpot.Kind{"empty": tpot.KindStatus, "comment": tpot.KindPing}
	for _, name := range names {
		kind, ok := ours[name]
		if !ok {
			require.NoError(t, kind.UnmarshalText([]byte(name)))
		}
		all |= kind
	}
	return all
}

func byName(t *testing.T, name string) convention.Convention {
	for _, c := range convention.All() {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "there is no convention "+name)
	return convention.Convention{}
}

func eachFixture(t *testing.T, do func(t *testing.T, f fixture, c convention.Convention, expect json.RawMessage)) {
	files, err := filepath.Glob("testdata/t*.json")
	require.NoError(t, err)
	require.Len(t, files, 13)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var f fixture
		require.NoError(t, json.Unmarshal(data, &f))
		require.Len(t, f.Expect, 17, "conventions")
		for name, expect := range f.Expect {
			t.Run(f.Name+"/"+name, func(t *testing.T) { do(t, f, byName(t, name), expect) })
		}
	}
}

func TestFiguresAreTheFixtures(t *testing.T) {
	eachFixture(t, func(t *testing.T, f fixture, c convention.Convention, expect json.RawMessage) {
		of := struct{ Requests []expected }{}
		if len(f.Requests) == 1 {
			of.Requests = make([]expected, 1)
			require.NoError(t, json.Unmarshal(expect, &of.Requests[0]))
		} else {
			require.NoError(t, json.Unmarshal(expect, &of))
		}
		require.Len(t, of.Requests, len(f.Requests))
		for i, want := range of.Requests {
			want.check(t, c.Figures(f.Requests[i].trace(t, 0)), fmt.Sprint("request ", i))
			if want.Ignored != nil {
				left := f.Requests[i].trace(t, tpot.KindUsage)
				if len(left.Events) == len(f.Requests[i].Events) {
					left = f.Requests[i].trace(t, tpot.KindPing)
				}
				require.Less(t, len(left.Events), len(f.Requests[i].Events))
				want.Ignored.check(t, c.Figures(left), fmt.Sprint("without what breaks the tool, request ", i))
			}
		}
	})
}

func (want expected) check(t *testing.T, got convention.Figures, what string) {
	checkFigure(t, want.TTFT, got.TTFT, what+": TTFT")
	checkFigure(t, want.TPOT, got.TPOT, what+": TPOT")
	checkFigure(t, want.ITLMean, got.ITL, what+": ITL")
	checkFigure(t, want.E2E, got.E2E, what+": E2E")
	if want.N == nil {
		assert.Empty(t, got.Source, what+": N")
		assert.Zero(t, got.N, what)
	} else {
		assert.Equal(t, *want.N, got.N, what+": N")
		assert.NotEmpty(t, got.Source, what)
	}
	if want.Source != "" && want.N != nil {
		assert.Contains(t, sources[want.Source], got.Source, what)
	}
	switch {
	case want.Gaps != nil:
		checkGaps(t, *want.Gaps, got.Gaps, what)
	case want.GapsWhy != "":
		assert.Nil(t, got.Gaps, what)
	}
	if want.Counted != nil {
		assert.Equal(t, *want.Counted, got.Excluded == "", what+": counted")
	}
	want.checkExtra(t, got, what)
}

// sources is what a source of N can be called here.
var sources = map[string][]convention.Source{
	"usage":                {convention.SourceUsage},
	"tokenizer":            {convention.SourceTokens},
	"iterations":           {convention.SourceChunks},
	"requested max_tokens": {convention.SourceMaxTokens},
	"SSE data events before the terminal sentinel": {convention.SourceEvents},
}

func checkFigure(t *testing.T, want *float64, got convention.Figure, what string) {
	t.Helper()
	if want == nil {
		assert.NotEmpty(t, got.Undefined, what)
		assert.Zero(t, got.Value, what)
		return
	}
	assert.Empty(t, got.Undefined, what)
	checkTime(t, *want, got.Value, what)
}

func checkTime(t *testing.T, want float64, got time.Duration, what string) {
	t.Helper()
	assert.InDelta(t, want, float64(got)/1e6, 1e-6*want, what)
}

func checkGaps(t *testing.T, want []float64, got []time.Duration, what string) {
	t.Helper()
	require.NotNil(t, got, what)
	require.Len(t, got, len(want), what)
	for i := range want {
		checkTime(t, want[i], got[i], fmt.Sprint(what, ": gap ", i))
	}
}

// checkExtra checks the figures that only some tools have.
func (want expected) checkExtra(t *testing.T, got convention.Figures, what string) {
	for name, value := range want.Extra {
		var millis *float64
		if number, ok := value.(float64); ok {
			millis = &number
		}
		switch name {
		case "ttfo_ms", "ttfot_ms":
			checkFigure(t, millis, got.TTFO, what+": TTFO")
		case "ttst_ms":
			checkFigure(t, millis, got.TTST, what+": TTST")
		case "ntpot_ms":
			checkFigure(t, millis, got.NTPOT, what+": NTPOT")
		case "icl_samples_ms", "chunked_itl_samples_ms":
			if value == nil {
				assert.Nil(t, got.Gaps, what)
				continue
			}
			var samples []float64
			for _, sample := range value.([]any) {
				samples = append(samples, sample.(float64))
			}
			checkGaps(t, samples, got.Gaps, what)
		case "icl_mean_ms":
			if millis == nil {
				assert.Empty(t, got.Gaps, what)
				continue
			}
			var sum time.Duration
			for _, gap := range got.Gaps {
				sum += gap
			}
			checkTime(t, *millis, sum/time.Duration(len(got.Gaps)), what)
		case "n_tokens", "ntpot_ms_undefined": // llmperf's second count is no figure of its own; a reason
		default:
			assert.Fail(t, "an expectation that nobody looks at", name)
		}
	}
}
