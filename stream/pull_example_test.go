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

// The nil is the classifier: Auto finds out what each chunk carries. Of these four events two carry output, and the
// last one the provider's count of tokens.
func ExamplePull() {
	ctx := context.Background()
	s := stream.Pull(tpot.Start(ctx), newSDKStream(), nil) // was: s := newSDKStream()
	defer s.Close()
	for s.Next() {
		_ = s.Current() // use the chunk
	}
	if err := s.Err(); err != nil {
		fmt.Println(err)
	}
	stats := s.Stats()
	fmt.Println(stats.Outcome, stats.FinishReason)
	fmt.Println(stats.Chunks, "chunks of", stats.Events, "events,", stats.Tokens, "tokens", stats.Source)
	// Output:
	// ok stop
	// 2 chunks of 4 events, 3 tokens reported
}

// Leaving early is no failure, and what came is kept.
func ExamplePullStream() {
	s := stream.Pull(tpot.Start(context.Background()), newSDKStream(), nil)
	s.Next()
	s.Next()
	_ = s.Close()
	stats := s.Stats()
	fmt.Printf("%v (%s), %d chunk\n", stats.Outcome, stats.Cause, stats.Chunks)
	// Output: canceled (early close), 1 chunk
}

// Whatever has these four methods can be wrapped, and what comes back has them too: code that reads one reads the
// other.
func ExamplePuller() {
	count := func(p stream.Puller[sdkChunk]) (n int) {
		for p.Next() {
			n++
		}
		return n
	}
	fmt.Println(count(newSDKStream()))
	fmt.Println(count(stream.Pull(tpot.Start(context.Background()), newSDKStream(), nil)))
	// Output:
	// 4
	// 4
}
