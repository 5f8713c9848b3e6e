package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// printed is what a command has printed so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan bool // has room for one
}

func newPrinted() *printed { return &printed{more: make(chan bool, 1)} }

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

// await waits for a text and returns what the group in the expression matched.
func (p *printed) await(expression string) string {
	for range p.more {
		if m := regexp.MustCompile(expression).FindStringSubmatch(p.String()); m != nil {
			return m[1]
		}
	}
	return ""
}

func TestTheCommandServesUntilItIsInterrupted(t *testing.T) {
	upstream, err := llmtest.Listen(brief())
	require.NoError(t, err)
	defer upstream.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	out, errs := newPrinted(), newPrinted()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-upstream", upstream.URL + "/base", "-listen", "127.0.0.1:0"}, out, errs)
	}()
	gateway := server{out.await(`msg=listening url=(\S+) upstream=`), &http.Transport{}}

	receive(t, gateway.ask(t).Body, brief())
	assert.Equal(t, "/base/v1/chat/completions", upstream.Log()[0].Path)
	interrupt()
	assert.Equal(t, exitOK, <-code)
	assert.Empty(t, errs.String())
	assert.Regexp(t, `level=INFO msg=chat status=200 outcome=ok model=ex-mini-1 ttft=\d+\.\d+ms ttfo=\S+ tpot=\S+ e2e=\S+ tokens=3 token_source=chunks `+
		`chunks=3 gap_p99=\S+ gap_max=\S+ setup=\S+ wait=\S+ hold=\S+ convention=tokentiming\n.* msg=stopped`, out.String())
	_, err = net.Dial("tcp", gateway.url[len("http://"):])
	assert.Error(t, err, "nobody listens any more")
}

func TestTheDemonstrationAgreesWithItsUpstream(t *testing.T) {
	out, errs := newPrinted(), newPrinted()
	assert.Equal(t, exitOK, run(t.Context(), nil, out, errs), errs)
	assert.Empty(t, errs.String())
	assert.Contains(t, out.String(), "msg=chat status=200 outcome=ok")
	assert.Contains(t, out.String(), "stalls   1,")
	assert.Contains(t, out.String(), "counted 8 chunks; the upstream wrote 8.")
}

func TestTheDemonstrationCanBeInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	errs := newPrinted()
	assert.Equal(t, exitInterrupted, run(ctx, nil, io.Discard, errs))
	assert.Equal(t, "gateway: interrupted\n", errs.String())
}

func TestTheDemonstrationFindsADifference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := inMemory
		log, upstream := on.play(t, answer())
		gateway := on.gateway(t, upstream)
		body, err := io.ReadAll(gateway.ask(t).Body)
		require.NoError(t, err)
		s, x := (<-gateway.records).stats, log.Log()[0]
		assert.Equal(t, exitOK, compare(body, s, x, io.Discard, io.Discard))
		assert.Equal(t, exitDiffers, compare(body[1:], s, x, io.Discard, io.Discard), "a byte is missing")
		late := x
		late.Arrived = x.Arrived.Add(time.Nanosecond)
		assert.Equal(t, exitDiffers, compare(body, s, late, io.Discard, io.Discard), "a chunk before it was written")
		s.Chunks--
		assert.Equal(t, exitDiffers, compare(body, s, x, io.Discard, io.Discard), "a chunk is missing")
	})
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
		{[]string{"-h"}, exitOK, "-upstream"},
		{[]string{"-no-such-flag"}, exitUsage, "-listen"},
		{[]string{"http://localhost:11434"}, exitUsage, "did you mean -upstream http://localhost:11434?"},
		{[]string{"-upstream", "localhost:11434"}, exitUsage, `the upstream "localhost:11434" is no URL such as http://localhost:11434`},
		{[]string{"-upstream", "http://"}, exitUsage, "is no URL"},
		{[]string{"-upstream", "http://local host"}, exitUsage, "is no URL"},
		{[]string{"-upstream", "ftp://localhost"}, exitUsage, "is no URL"},
		{[]string{"-upstream", "http://h", "-listen", listener.Addr().String()}, exitListen, listener.Addr().String() + " is in use; choose another address"},
		{[]string{"-upstream", "http://h", "-listen", "nonsense"}, exitListen, "cannot listen on nonsense: "},
	} {
		errs := newPrinted()
		assert.Equal(t, c.code, run(t.Context(), c.args, io.Discard, errs), c.args)
		assert.Contains(t, errs.String(), c.errs)
	}
}

func TestTheLogSaysWhatWentWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*tpot.Recorder)
		want string
	}{
		{"ok", func(r *tpot.Recorder) { r.End(nil) }, `level=INFO msg=chat outcome=ok .*hold=0s convention=tokentiming\n$`},
		{"canceled", func(r *tpot.Recorder) { r.End(context.Canceled) }, `level=INFO msg=chat outcome=canceled cause=context .*hold=0s convention=tokentiming\n$`},
		{"refused", func(r *tpot.Recorder) {
			r.Attempt(tpot.Attempt{Status: 429})
			r.End(nil)
		}, `level=WARN msg=chat status=429 outcome=failed cause=status .*hold=0s convention=tokentiming\n$`},
		{"cut", func(r *tpot.Recorder) { r.End(io.ErrUnexpectedEOF) }, `level=WARN msg=chat outcome=truncated cause="connection cut" .* error="unexpected EOF"\n$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := newPrinted()
			log := slog.New(slog.NewTextHandler(out, nil))
			tracker := &tpot.Tracker{Observers: []tpot.Observer{logTo(log)}}
			_, r := tracker.Start(t.Context(), tpot.Request{Operation: "chat"})
			c.end(r)
			assert.Regexp(t, c.want, out.String())
		})
	}
}

// shutdown is a gateway in a bubble that is told to end a second after a request came. It says how long the end took, what records
// there were by then, and what the client got.
func shutdown(t *testing.T, script llmtest.Script, client func(server) error) (took time.Duration, ended []tpot.Stats, err error) {
	var records []tpot.Stats
	upstream := llmtest.Start(script)
	defer upstream.Close()
	target, _ := url.Parse(upstream.URL)
	transport := newTransport(func(s tpot.Stats) { records = append(records, s) })
	transport.Base = upstream.Client().Transport
	defer transport.CloseIdleConnections()
	listener, reach := inMemory.listen(t)
	ctx, interrupt := context.WithTimeout(context.Background(), time.Second)
	defer interrupt()
	got := make(chan error, 1)
	go func() { got <- client(server{"http://" + listener.Addr().String(), reach}) }()
	require.NoError(t, serve(ctx, listener, newGateway(target, transport, slog.New(slog.DiscardHandler)), 5*time.Second))
	deadline, _ := ctx.Deadline()
	took, ended = time.Since(deadline), slices.Clone(records)
	return took, ended, <-got
}

// readAll is a client that reads its answer to the end.
func readAll(s server) error {
	resp, err := s.transport.RoundTrip(newRequest(s.url))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

func TestAnAnswerOnItsWayEndsBeforeTheShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ai := llmtest.OpenAI{}
		script := llmtest.SSE().Every(900*time.Millisecond, ai.Text("a"), ai.Text("b"), ai.Text("c")).After(0, ai.Finish("stop"), ai.Done())
		took, records, err := shutdown(t, script, readAll)
		assert.NoError(t, err)
		require.Len(t, records, 1)
		assert.Equal(t, tpot.OutcomeOK, records[0].Outcome)
		assert.GreaterOrEqual(t, took, 1700*time.Millisecond)
		assert.Less(t, took, 5*time.Second)
	})
}

func TestAnAnswerThatDoesNotEndIsCanceledByTheShutdown(t *testing.T) {
	for name, client := range map[string]func(server) error{
		"client that reads": readAll,
		"client that does not read": func(s server) error {
			resp, err := s.transport.RoundTrip(newRequest(s.url))
			if err != nil {
				return err
			}
			time.Sleep(time.Minute)
			_, err = io.ReadAll(resp.Body)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hang := llmtest.SSE().Every(ms20, llmtest.OpenAI{}.Text("a"), llmtest.OpenAI{}.Text("b"))
				hang.Ending = llmtest.EndHang
				took, records, err := shutdown(t, hang, client)
				assert.Error(t, err, "the client is not to take it for a whole answer")
				require.Len(t, records, 1)
				assert.Equal(t, tpot.OutcomeCanceled, records[0].Outcome)
				assert.Positive(t, records[0].Chunks)
				assert.Equal(t, 5*time.Second, took)
			})
		})
	}
}
