package stream_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// wireEvent is a typical event of an OpenAI-shaped stream, 330 bytes with its framing.
const wireEvent = `data: {"id":"chatcmpl-CqX2vJzN8rTqk3mP0aLw9uYd","object":"chat.completion.chunk","created":1764500000,` +
	`"model":"ex-mini-2025-11-30","service_tier":"default","system_fingerprint":"fp_9d50cd990b","choices":[{"index":0,` +
	`"delta":{"content":" falls on"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"zQ7kXw"}` + "\n\n"

// oneByOne gives an event with each Read, for ever.
type oneByOne struct{}

func (oneByOne) Read(p []byte) (int, error) { return copy(p, wireEvent), nil }

func BenchmarkBodyBare(b *testing.B) {
	body := respond("text/event-stream", oneByOne{}).Body
	buffer := make([]byte, 4096)
	for b.Loop() {
		n, _ := body.Read(buffer)
		sum += n
	}
}

func BenchmarkBody(b *testing.B) {
	body := stream.Body(tpot.Start(context.Background()), respond("text/event-stream", oneByOne{}))
	buffer := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		n, _ := body.Read(buffer)
		sum += n
	}
}

// The pairs below read a response of 2000 events from a server on loopback: each event written by itself as fast as can be,
// and then 50 events with each write.

func BenchmarkLoopbackBare(b *testing.B)       { benchmarkLoopback(b, 1, bare) }
func BenchmarkLoopback(b *testing.B)           { benchmarkLoopback(b, 1, timed) }
func BenchmarkLoopbackPackedBare(b *testing.B) { benchmarkLoopback(b, 50, bare) }
func BenchmarkLoopbackPacked(b *testing.B)     { benchmarkLoopback(b, 50, timed) }

func bare(base http.RoundTripper) http.RoundTripper { return base }

func timed(base http.RoundTripper) http.RoundTripper {
	return &stream.Transport{Base: base, Tracker: &tpot.Tracker{}}
}

func benchmarkLoopback(b *testing.B, packed int, transport func(http.RoundTripper) http.RoundTripper) {
	script := llmtest.SSE()
	for range 2000 / packed {
		script = script.After(0, llmtest.Raw(strings.Repeat(wireEvent, packed)))
	}
	server, err := llmtest.Listen(script.After(0, llmtest.OpenAI{}.Done()))
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client := &http.Client{Transport: transport(server.Client().Transport)}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := client.Get(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(n)
		_ = resp.Body.Close()
	}
}
