package stream_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const (
	chatText   = `{"object":"chat.completion.chunk","model":"m","choices":[{"index":1,"delta":{"content":"Hi"},"finish_reason":null}]}`
	anthropic  = `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`
	textOfChat = tpot.KindText | tpot.KindChoices | tpot.KindMarked
)

// rawPointer is a chunk whose RawJSON has a pointer receiver.
type rawPointer struct{ raw string }

func (c *rawPointer) RawJSON() string { return c.raw }

// word is a string by another name.
type word string

// union is what some SDKs yield: an interface.
type union interface{ isUnion() }

func (rawChunk) isUnion()    {}
func (*rawPointer) isUnion() {}

// message has the shape of ollama's ChatResponse, which has no RawJSON.
type message struct {
	Model   string `json:"model"`
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason,omitempty"`
	EvalCount  int    `json:"eval_count,omitempty"`
}

func TestAuto(t *testing.T) {
	text := tpot.Event{Kind: tpot.KindText}
	nothing := tpot.Event{Kind: tpot.KindStatus}
	chat := tpot.Event{Kind: textOfChat, Choice: 1, Model: "m"}
	var said message
	said.Model, said.Message.Content = "m", "Hi"
	last := message{Model: "m", Done: true, DoneReason: "stop", EvalCount: 9}

	for name, c := range map[string]struct{ got, want tpot.Event }{
		"a string":                         {stream.Auto("Hi"), text},
		"an empty string":                  {stream.Auto(""), nothing},
		"a string by another name":         {stream.Auto(word("Hi")), text},
		"bytes":                            {stream.Auto([]byte("Hi")), text},
		"no bytes":                         {stream.Auto([]byte(nil)), nothing},
		"a string in an interface":         {stream.Auto[any]("Hi"), text},
		"raw JSON":                         {stream.Auto(json.RawMessage(chatText)), chat},
		"a value with RawJSON":             {stream.Auto(rawChunk{raw: chatText}), chat},
		"a pointer with RawJSON":           {stream.Auto(&rawPointer{chatText}), chat},
		"a value whose pointer has it":     {stream.Auto(rawPointer{chatText}), chat},
		"a union":                          {stream.Auto[union](rawChunk{raw: anthropic}), tpot.Event{Kind: tpot.KindReasoning | tpot.KindMarked}},
		"a value made by hand, no RawJSON": {stream.Auto(rawChunk{}), tpot.Event{}},
		"a value to encode":                {stream.Auto(said), tpot.Event{Kind: tpot.KindText | tpot.KindMarked, Model: "m"}},
		"a pointer to it":                  {stream.Auto(&said), tpot.Event{Kind: tpot.KindText | tpot.KindMarked, Model: "m"}},
		"the last to encode": {stream.Auto(last), tpot.Event{
			Kind: tpot.KindFinish | tpot.KindUsage | tpot.KindDone | tpot.KindMarked, Model: "m", FinishReason: "stop", Usage: tpot.Usage{Output: 9},
		}},
		"nothing":                 {stream.Auto[any](nil), tpot.Event{}},
		"a nil pointer":           {stream.Auto((*message)(nil)), nothing},
		"a nil with RawJSON":      {stream.Auto((*rawPointer)(nil)), nothing},
		"what cannot be encoded":  {stream.Auto(func() {}), tpot.Event{}},
		"what has no known shape": {stream.Auto(struct{ A int }{5}), tpot.Event{}},
		"a number":                {stream.Auto(5), tpot.Event{}},
	} {
		assert.Equal(t, c.want, c.got, name)
	}
}

func TestWhatAutoDoesNotKnowIsSaid(t *testing.T) {
	rec := tpot.Start(t.Context())
	for range stream.Seq(rec, func(yield func(int) bool) { _ = yield(1) && yield(2) }, nil) {
	}
	s := rec.Stats()
	assert.Equal(t, 2, s.Unclassified)
	_, ok := s.TTFT()
	assert.False(t, ok, "a wrong TTFT is worse than none")
	assert.Contains(t, s.Report(), "2 events not understood, of an unknown wire: pass a classifier")
}

func TestEach(t *testing.T) {
	rec := tpot.Start(t.Context())
	for range stream.Seq(rec, func(yield func(int) bool) { _ = yield(1) && yield(2) }, stream.Each) {
	}
	assert.Equal(t, 2, rec.Stats().Tokens)
	assert.Equal(t, tpot.SourceCounted, rec.Stats().Source)
}

// TestAutoSeesAStreamAsAWhole has counts that grow, and what the server says of itself at the end.
func TestAutoSeesAStreamAsAWhole(t *testing.T) {
	body, err := os.ReadFile(wires + "/vllm_continuous_usage.bin")
	require.NoError(t, err)
	values := func(yield func(rawChunk) bool) {
		for text := range strings.Lines(string(body)) {
			if data := strings.TrimPrefix(strings.TrimSpace(text), "data: "); strings.HasPrefix(data, "{") && !yield(rawChunk{raw: data}) {
				return
			}
		}
	}
	rec := tpot.Start(t.Context())
	for range stream.Seq(rec, values, nil) {
	}
	s := rec.Stats()
	assert.Equal(t, "tokens", s.ITLBasis(), "each chunk has its count")
	assert.Equal(t, 11, s.Tokens)
	assert.Equal(t, "vllm", s.Server.Source)
	assert.Equal(t, 68400*time.Microsecond, s.Server.TTFT)
	assert.Equal(t, "openai", s.Wire)
}
