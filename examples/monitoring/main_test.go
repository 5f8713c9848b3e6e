package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tokentiming/tokentiming/examples/monitoring/pipeline"
	"github.com/tokentiming/tokentiming/examples/monitoring/traffic"
	"github.com/tokentiming/tokentiming/otelx"
	"github.com/tokentiming/tokentiming/tpot"
)

// ask is one request to a handler.
func ask(h http.Handler, method, path string) (status int, text string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code, w.Body.String()
}

func TestFaultsAreSwitchedOverHTTP(t *testing.T) {
	simulation := traffic.New(nil, 1, 1)
	h := newHandler(simulation, http.NotFoundHandler())
	for _, f := range traffic.Faults() {
		status, text := ask(h, http.MethodPost, "/faults/"+string(f)+"/on")
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, []string{string(f), "on"}, strings.Fields(text))
		assert.True(t, simulation.On(f))
		_, text = ask(h, http.MethodGet, "/faults")
		assert.Regexp(t, `(?m)^`+f+` +on$`, text)
		assert.Equal(t, len(traffic.Faults())-1, strings.Count(text, "off\n"))
		ask(h, http.MethodPost, "/faults/"+string(f)+"/off")
		assert.False(t, simulation.On(f))
	}
	for path, want := range map[string]int{
		"/faults/slow-start/maybe": http.StatusNotFound,
		"/faults/slow/on":          http.StatusNotFound,
		"/faults/slow-start":       http.StatusNotFound,
	} {
		status, _ := ask(h, http.MethodPost, path)
		assert.Equal(t, want, status, path)
	}
	status, _ := ask(h, http.MethodGet, "/faults/slow-start/on")
	assert.Equal(t, http.StatusMethodNotAllowed, status, "looking is not switching")
	assert.False(t, simulation.On(traffic.SlowStart))
}

func TestTheHelpExplainsEveryFault(t *testing.T) {
	status, text := ask(newHandler(traffic.New(nil, 1, 1), http.NotFoundHandler()), http.MethodGet, "/")
	assert.Equal(t, http.StatusOK, status)
	for _, f := range traffic.Faults() {
		assert.Regexp(t, `(?m)^  `+f+` +\w+`, text)
	}
}

func TestTheMetricsOfEveryVariant(t *testing.T) {
	for args, want := range map[string][]string{
		"":                                {"tokentiming_requests_total{", "tokentiming_time_to_first_token_seconds_bucket{", "gen_ai_client_operation_duration_seconds_bucket{"},
		"-suffixes=false":                 {"tokentiming_requests{", "tokentiming_time_to_first_token_bucket{", "gen_ai_client_operation_duration_bucket{"},
		"-native":                         {"tokentiming_requests_total{", "tokentiming_time_to_first_token_seconds_sum{", "gen_ai_client_operation_duration_seconds_sum{"},
		"-native -suffixes=false":         {"tokentiming_requests{", "tokentiming_time_to_first_token_sum{", "gen_ai_client_operation_duration_sum{"},
		"-names genai01":                  {"tokentiming_requests_total{", "gen_ai_client_inference_duration_seconds_bucket{"},
		"-names both -rate 1e1 -suffixes": {"gen_ai_client_operation_duration_seconds_bucket{", "gen_ai_client_inference_duration_seconds_bucket{"},
	} {
		t.Run(args, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := parse(strings.Fields(args), io.Discard)
				require.NoError(t, err)
				p, err := pipeline.New(s.pipeline)
				require.NoError(t, err)
				simulation := traffic.New(p.Tracker, s.rate, s.seed)
				ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
				defer stop()
				simulation.Run(ctx)
				_, page := ask(newHandler(simulation, p.Handler), http.MethodGet, "/metrics")
				for _, name := range want {
					assert.Contains(t, page, "\n"+name)
				}
			})
		})
	}
}

// export is a push: when it was, how many requests had ended by then, and how many streams were open.
type export struct {
	at          time.Time
	ended, open int64
}

// exporter keeps what it is given.
type exporter struct {
	mu      sync.Mutex
	exports []export
}

func (*exporter) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

func (*exporter) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

func (e *exporter) Export(_ context.Context, all *metricdata.ResourceMetrics) error {
	one := export{at: time.Now()}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch m.Name {
		case "tokentiming.requests":
			one.ended = sum(m)
		case "tokentiming.active_streams":
			one.open = sum(m)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exports = append(e.exports, one)
	return nil
}

func (*exporter) ForceFlush(context.Context) error { return nil }
func (*exporter) Shutdown(context.Context) error   { return nil }

func sum(m metricdata.Metrics) (total int64) {
	for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
		total += point.Value
	}
	return total
}

// pipes is a listener in memory.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.dialed <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// ended finds the numbers of requests that have ended on a page.
var ended = regexp.MustCompile(`(?m)^tokentiming_requests_total{.*} (\d+)$`)

func TestTheShutdownLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pushed := new(exporter)
		p, err := pipeline.New(pipeline.Options{Suffixes: true, Reader: sdkmetric.NewPeriodicReader(pushed, sdkmetric.WithInterval(time.Hour))})
		require.NoError(t, err)
		simulation := traffic.New(p.Tracker, 5, 1)
		listener := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
		client := &http.Client{Transport: &http.Transport{DialContext: listener.dial, DisableKeepAlives: true}}
		ctx, interrupt := context.WithCancel(t.Context())
		served := make(chan error)
		go func() { served <- serve(ctx, listener, p, simulation, 10*time.Second) }()
		time.Sleep(time.Minute)
		interrupted := time.Now()
		interrupt()

		time.Sleep(9 * time.Second)
		canceled := simulation.Ledger().Of(func(c traffic.Class) bool { return c.Outcome == tpot.OutcomeCanceled })
		assert.Greater(t, canceled.Requests, 5, "answers were on their way")
		response, err := client.Get("http://monitoring/metrics")
		require.NoError(t, err, "the page is there for a last scrape")
		page, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		all := 0
		for _, m := range ended.FindAllSubmatch(page, -1) {
			n, err := strconv.Atoi(string(m[1]))
			require.NoError(t, err)
			all += n
		}
		assert.Equal(t, simulation.Ledger().Started, all)

		require.NoError(t, <-served)
		assert.Equal(t, 10*time.Second, time.Since(interrupted))
		_, err = client.Get("http://monitoring/metrics")
		assert.ErrorIs(t, err, net.ErrClosed)
		started := int64(simulation.Ledger().Started)
		assert.Equal(t, []export{{interrupted, started, 0}, {interrupted.Add(10 * time.Second), started, 0}}, pushed.exports)
	})
}

func TestWithoutAPageThereIsNoTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := pipeline.New(pipeline.Options{})
		require.NoError(t, err)
		listener := &pipes{closed: make(chan struct{})}
		time.AfterFunc(time.Minute, func() { listener.Close() })
		began := time.Now()
		assert.ErrorIs(t, serve(t.Context(), listener, p, traffic.New(p.Tracker, 5, 1), 0), net.ErrClosed)
		assert.Equal(t, time.Minute, time.Since(began))
	})
}

// printed is what a command has printed so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan bool // has room for one
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.more <- true:
	default:
	}
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

func TestTheCommandServesUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	out, errs := &printed{more: make(chan bool, 1)}, new(bytes.Buffer)
	code := make(chan int)
	go func() { code <- run(ctx, []string{"-listen", "127.0.0.1:0", "-rate", "100"}, out, errs) }()
	<-out.more
	url := listening.FindStringSubmatch(out.String())[1]
	response, err := http.Get(url + "/metrics")
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Contains(t, string(page), `service_name="monitoring"`)

	interrupt()
	assert.Equal(t, exitOK, <-code)
	assert.Empty(t, errs.String())
	assert.Contains(t, out.String(), "msg=stopped")
	_, err = net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	assert.Error(t, err, "nobody listens any more")
}

func TestFiguresThatNobodyTakes(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, nobody.Close())
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var errs bytes.Buffer
	code := run(ctx, []string{"-listen", "127.0.0.1:0", "-otlp", "http://" + nobody.Addr().String() + "/v1/metrics"}, io.Discard, &errs)
	assert.Equal(t, exitLost, code)
	assert.Equal(t, 1, strings.Count(errs.String(), "connection refused"), errs.String())
}

func TestArguments(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	for _, c := range []struct {
		args []string
		code int
		errs string
	}{
		{[]string{"-h"}, exitOK, "-drain"},
		{[]string{"-no-such-flag"}, exitUsage, "-listen"},
		{[]string{"slow-start"}, exitUsage, `"slow-start" is no argument`},
		{[]string{"-rate", "0"}, exitUsage, "a rate is a number above zero"},
		{[]string{"-rate", "Inf"}, exitUsage, "a rate is a number above zero"},
		{[]string{"-rate", "many"}, exitUsage, "a rate is a number above zero"},
		{[]string{"-names", "140"}, exitUsage, "one of 141, genai01 and both"},
		{[]string{"-otlp", "localhost:4318"}, exitUsage, `"localhost:4318" is no URL to push to`},
		{[]string{"-listen", listener.Addr().String()}, exitListen, listener.Addr().String() + " is in use; choose another address"},
		{[]string{"-listen", "nonsense"}, exitListen, "cannot listen on nonsense: "},
	} {
		var errs bytes.Buffer
		assert.Equal(t, c.code, run(t.Context(), c.args, io.Discard, &errs), c.args)
		assert.Contains(t, errs.String(), c.errs)
	}
}

func TestSettings(t *testing.T) {
	s, err := parse(strings.Fields("-listen :1 -drain 6s -rate 2.5 -seed 3 -native -suffixes=false -otlp http://h/ -names both"), io.Discard)
	require.NoError(t, err)
	assert.Equal(t, settings{":1", 6 * time.Second, 2.5, 3, pipeline.Options{
		Native: true, OTLP: "http://h/", Names: []otelx.Semconv{otelx.SemconvV141, otelx.SemconvGenAIV01},
	}}, s)
	s, err = parse(nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, settings{"127.0.0.1:9464", 0, 5, 1, pipeline.Options{Suffixes: true}}, s)
}
