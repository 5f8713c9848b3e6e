package stream_test

import (
	"context"
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// sdkChunk is an event of an SDK that keeps the JSON it came from, as those of OpenAI and Anthropic do.
type sdkChunk struct{ json string }

func (c sdkChunk) RawJSON() string { return c.json }

// sdkStream is a stream of that SDK.
type sdkStream struct {
	chunks []string
	pos    int
}

func newSDKStream() *sdkStream {
	return &sdkStream{chunks: []string{
		`{"choices":[{"delta":{"role":"assistant","content":""}}]}`,
		`{"choices":[{"delta":{"content":"Blue"}}]}`,
		`{"choices":[{"delta":{"content":"."},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}`,
	}}
}

func (s *sdkStream) Next() bool        { s.pos++; return s.pos <= len(s.chunks) }
func (s *sdkStream) Current() sdkChunk { return sdkChunk{s.chunks[s.pos-1]} }
func (s *sdkStream) Err() error        { return nil }
func (s *sdkStream) Close() error      { return nil }

// The nil is the classifier: Auto finds out what each chunk carries.
func ExamplePull() {
	ctx := context.Background()
	s := stream.Pull(tpot.Start(ctx), newSDKStream(), nil)
	defer s.Close()
	for s.Next() {
		_ = s.Current() // use the chunk
	}
	stats := s.Stats()
	fmt.Println(stats.Outcome, stats.FinishReason, stats.Chunks, "chunks of", stats.Events, "events,", stats.Tokens, "tokens")
	// Output: ok stop 2 chunks of 4 events, 3 tokens
}

// Leaving early is no failure, and what came is kept.
func ExamplePullStream() {
	s := stream.Pull(tpot.Start(context.Background()), newSDKStream(), nil)
	s.Next()
	s.Next()
	_ = s.Close()
	fmt.Println(s.Stats().Outcome, s.Stats().Chunks, s.Stats().Source)
	// Output: canceled 1 chunks
}

// Whatever has these four methods can be wrapped.
func ExamplePuller() {
	var p stream.Puller[sdkChunk] = newSDKStream()
	p = stream.Pull(tpot.Start(context.Background()), p, nil) // and is still one
	fmt.Println(p.Next(), p.Err())
	// Output: true <nil>
}
