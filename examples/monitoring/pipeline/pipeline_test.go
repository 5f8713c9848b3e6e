package pipeline

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// What Prometheus asks for, with native histograms and without.
const (
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	openMetrics = "application/openmetrics-text;version=1.0.0"
)

// run measures a simulation with much of everything, in a bubble, and hands over what it came to.
func run(t *testing.T, length time.Duration, o Options, then func(*Pipeline, traffic.Ledger)) {
	synctest.Test(t, func(t *testing.T) {
		p, err := New(o)
		require.NoError(t, err)
		simulation := traffic.New(p.Tracker, 2, 1)
		for _, f := range []traffic.Fault{traffic.Freezes, traffic.NoTokens, traffic.Cancels, traffic.Errors} {
			simulation.Set(f, true)
		}
		ctx, stop := context.WithTimeout(t.Context(), length)
		defer stop()
		simulation.Run(ctx)
		then(p, simulation.Ledger())
		require.NoError(t, p.Shutdown(t.Context()))
	})
}

// get is the page in the format that is accepted.
func (p *Pipeline) get(accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	p.Handler.ServeHTTP(w, r)
	return w
}

type families map[string]*dto.MetricFamily

func (p *Pipeline) families(t *testing.T) families {
	page := p.get(protobuf)
	decoder := expfmt.NewDecoder(page.Body, expfmt.ResponseFormat(page.Header()))
	all := make(families)
	for {
		var family dto.MetricFamily
		err := decoder.Decode(&family)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all[family.GetName()] = &family
	}
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// counts are the values of a counter that are not zero, by some of its labels.
func (f families) counts(name string, labels ...string) map[string]int {
	counts := make(map[string]int)
	for _, m := range f[name].GetMetric() {
		var key []string
		for _, l := range labels {
			key = append(key, label(m, l))
		}
		counts[strings.Join(key, " ")] += int(m.GetCounter().GetValue())
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}

// histogram is the number of the values of a histogram, and their sum.
func (f families) histogram(name string) (count int, sum float64) {
	for _, m := range f[name].GetMetric() {
		count += int(m.GetHistogram().GetSampleCount())
		sum += m.GetHistogram().GetSampleSum()
	}
	return count, sum
}

// kinds says of each histogram with values whether it is native.
func (f families) kinds() map[bool]int {
	kinds := make(map[bool]int)
	for _, family := range f {
		for _, m := range family.GetMetric() {
			if h := m.GetHistogram(); h.GetSampleCount() > 0 {
				kinds[len(h.GetPositiveSpan()) > 0 && len(h.GetBucket()) == 0]++
			}
		}
	}
	return kinds
}

func everything(traffic.Class) bool { return true }

func TestThePageSaysWhatTheSimulationDid(t *testing.T) {
	for _, c := range []struct {
		name           string
		o              Options
		seconds, total string // suffixes
	}{
		{"classic", Options{Suffixes: true}, "_seconds", "_total"},
		{"classic, no suffixes", Options{}, "", ""},
		{"native", Options{Native: true, Suffixes: true}, "_seconds", "_total"},
		{"native, no suffixes", Options{Native: true}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, 10*time.Minute, c.o, func(p *Pipeline, l traffic.Ledger) {
				page, all := p.families(t), l.Of(everything)
				ended, answered := make(map[string]int), all.Requests-all.WithoutToken
				for class, sum := range l.Ended {
					ended[class.Scenario+" "+class.Model+" "+class.Outcome.String()] = sum.Requests
				}
				assert.Equal(t, ended, page.counts("tokentiming_requests"+c.total, "tokentiming_scenario", "gen_ai_request_model", "tokentiming_outcome"))
				assert.Equal(t, map[string]int{"": all.WithoutToken}, page.counts("tokentiming_no_first_token"+c.total))
				assert.Equal(t, map[string]int{"": all.Freezes}, page.counts("tokentiming_stalls"+c.total))
				for name, want := range map[string]struct {
					count int
					sum   float64
				}{
					"gen_ai_client_operation_duration" + c.seconds:              {all.Requests, math.NaN()},
					"gen_ai_client_operation_time_to_first_chunk" + c.seconds:   {answered, all.FirstTokens.Seconds()},
					"tokentiming_time_to_first_token" + c.seconds:               {answered, all.FirstTokens.Seconds()},
					"gen_ai_client_operation_time_per_output_chunk" + c.seconds: {all.Chunks - answered, all.Gaps.Seconds()},
					"tokentiming_stall_duration" + c.seconds:                    {all.Freezes, math.NaN()},
				} {
					count, sum := page.histogram(name)
					assert.Equal(t, want.count, count, name)
					if !math.IsNaN(want.sum) {
						assert.InEpsilon(t, want.sum, sum, 1e-9, name)
					}
				}
				_, tokens := page.histogram("gen_ai_client_token_usage")
				assert.EqualValues(t, all.Usage.Input+all.Usage.Output, tokens)
				assert.NotZero(t, page.kinds()[c.o.Native])
				assert.Zero(t, page.kinds()[!c.o.Native])
			})
		})
	}
}

func TestNamesDoNotDependOnTheFormat(t *testing.T) {
	run(t, time.Minute, Options{Suffixes: true}, func(p *Pipeline, _ traffic.Ledger) {
		page := p.get(openMetrics)
		assert.Contains(t, page.Header().Get("Content-Type"), "application/openmetrics-text")
		assert.Contains(t, page.Body.String(), "\ntokentiming_requests_total{")
		assert.Contains(t, p.get("").Body.String(), "\ntokentiming_requests_total{")
	})
	run(t, time.Minute, Options{}, func(p *Pipeline, _ traffic.Ledger) {
		page := p.get(openMetrics).Body.String()
		assert.Contains(t, page, "\ntokentiming_requests{")
		assert.NotContains(t, page, "_total{")
	})
}

func TestSetsOfNames(t *testing.T) {
	const old, young = "gen_ai_client_operation_duration_seconds", "gen_ai_client_inference_duration_seconds"
	for _, c := range []struct {
		names []otelx.Semconv
		want  []string
	}{
		{nil, []string{old}},
		{[]otelx.Semconv{otelx.SemconvGenAIV01}, []string{young}},
		{[]otelx.Semconv{otelx.SemconvGenAIV01, otelx.SemconvV141}, []string{young, old}},
	} {
		run(t, time.Minute, Options{Suffixes: true, Names: c.names}, func(p *Pipeline, _ traffic.Ledger) {
			page := p.families(t)
			maps.DeleteFunc(page, func(name string, _ *dto.MetricFamily) bool { return name != old && name != young })
			assert.ElementsMatch(t, c.want, slices.Collect(maps.Keys(page)))
		})
	}
}

func TestAnotherReader(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	run(t, time.Minute, Options{Reader: reader}, func(p *Pipeline, _ traffic.Ledger) {
		var read metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &read))
		require.Len(t, read.ScopeMetrics, 1)
		assert.Equal(t, otelx.ScopeName, read.ScopeMetrics[0].Scope.Name)
	})
}

// receiver keeps what is pushed to it.
type receiver struct {
	pushed []*collector.ExportMetricsServiceRequest
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	push := new(collector.ExportMetricsServiceRequest)
	if r.URL.Path != "/api/v1/otlp/v1/metrics" || proto.Unmarshal(body, push) != nil {
		http.NotFound(w, r)
		return
	}
	rc.pushed = append(rc.pushed, push)
}

func TestTheLastFiguresArePushedByShutdown(t *testing.T) {
	for _, native := range []bool{false, true} {
		rc := new(receiver)
		server := httptest.NewServer(rc)
		defer server.Close()
		p, err := New(Options{Native: native, OTLP: server.URL + "/api/v1/otlp/v1/metrics"})
		require.NoError(t, err)
		_, rec := p.Tracker.Start(t.Context(), tpot.Request{Model: "m"})
		rec.ObserveAt(time.Second, tpot.Event{Kind: tpot.KindText})
		rec.EndAt(2*time.Second, nil)
		require.NoError(t, p.Shutdown(t.Context()))

		require.Len(t, rc.pushed, 1, "before the first interval is over")
		found := false
		for _, m := range rc.pushed[0].GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics() {
			if m.GetName() == "tokentiming.time_to_first_token" {
				found = true
				assert.Equal(t, native, m.GetExponentialHistogram() != nil)
				assert.Equal(t, !native, m.GetHistogram() != nil)
			}
		}
		assert.True(t, found)
	}
}

func TestWhatIsNoPipeline(t *testing.T) {
	for _, target := range []string{"localhost:4318", "ftp://localhost/", "http://", "http://local host"} {
		_, err := New(Options{OTLP: target})
		assert.ErrorContains(t, err, "is no URL to push to", target)
	}
	_, err := New(Options{Names: []otelx.Semconv{128}})
	assert.ErrorContains(t, err, "unknown Semconv")
}

func TestTheTrackerHasLimits(t *testing.T) {
	run(t, 10*time.Minute, Options{}, func(p *Pipeline, l traffic.Ledger) {
		page := p.families(t)
		canceled := l.Of(func(c traffic.Class) bool { return c.Outcome == tpot.OutcomeCanceled })
		empty := l.Of(func(c traffic.Class) bool { return c.Outcome == tpot.OutcomeOK }).WithoutToken
		counted := page.counts("tokentiming_slo_requests")[""]
		assert.Equal(t, l.Of(everything).Requests-canceled.Requests-empty, counted)
		good := page.counts("tokentiming_slo_good_requests")[""]
		assert.Positive(t, good)
		assert.Less(t, good, counted/4, "nine in ten froze for longer than the limit")
	})
}
