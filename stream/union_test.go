package stream_test

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The unions of ConverseStream as the AWS SDK has them, as far as they matter: names and nesting are its own.
type (
	ConverseStreamOutput                        interface{ isConverseStreamOutput() }
	ConverseStreamOutputMemberMessageStart      unionOf[MessageStartEvent]
	ConverseStreamOutputMemberContentBlockStart unionOf[ContentBlockStartEvent]
	ConverseStreamOutputMemberContentBlockDelta unionOf[ContentBlockDeltaEvent]
	ConverseStreamOutputMemberMessageStop       unionOf[MessageStopEvent]
	ConverseStreamOutputMemberMetadata          unionOf[ConverseStreamMetadataEvent]
	UnknownUnionMember                          struct {
		Tag   string
		Value []byte
		_     struct{} // not exported, as in the SDK
	}

	unionOf[T any] struct {
		Value T
		_     struct{} // not exported, as in the SDK
	}

	MessageStartEvent      struct{ Role string }
	ContentBlockStartEvent struct {
		ContentBlockIndex *int32
		Start             any
	}
	ContentBlockDeltaEvent struct {
		ContentBlockIndex *int32
		Delta             ContentBlockDelta
		_                 struct{} // not exported, as in the SDK
	}
	MessageStopEvent struct {
		StopReason                    string
		AdditionalModelResponseFields any
	}
	ConverseStreamMetadataEvent struct {
		Metrics *struct{ LatencyMs *int64 }
		Usage   *TokenUsage
		Trace   map[string]func()
		usage   *TokenUsage // not exported, as nothing in the SDK
	}
	TokenUsage struct {
		InputTokens, OutputTokens *int32
		CacheDetails              []func()
		CacheReadInputTokens      *int32
	}

	ContentBlockDelta                       any
	ContentBlockDeltaMemberText             unionOf[string]
	ContentBlockDeltaMemberReasoningContent unionOf[ReasoningContentBlockDelta]
	ContentBlockDeltaMemberToolUse          unionOf[struct{ Input *string }]
	ContentBlockDeltaMemberImage            unionOf[struct{ Source any }]

	ReasoningContentBlockDelta                any
	ReasoningContentBlockDeltaMemberText      unionOf[string]
	ReasoningContentBlockDeltaMemberSignature unionOf[string]
	ImageSourceMemberBytes                    unionOf[[]byte]

	ResponseStream            any
	ResponseStreamMemberChunk unionOf[PayloadPart]
	PayloadPart               struct {
		Bytes []byte
		_     struct{} // not exported, as in the SDK
	}
)

func (*ConverseStreamOutputMemberMessageStart) isConverseStreamOutput()      {}
func (*ConverseStreamOutputMemberContentBlockStart) isConverseStreamOutput() {}
func (*ConverseStreamOutputMemberContentBlockDelta) isConverseStreamOutput() {}
func (*ConverseStreamOutputMemberMessageStop) isConverseStreamOutput()       {}
func (*ConverseStreamOutputMemberMetadata) isConverseStreamOutput()          {}
func (*UnknownUnionMember) isConverseStreamOutput()                          {}

func blockDelta(d ContentBlockDelta) ConverseStreamOutput {
	return &ConverseStreamOutputMemberContentBlockDelta{Value: ContentBlockDeltaEvent{ContentBlockIndex: new(int32), Delta: d}}
}

func pointer[T any](v T) *T { return &v }

func textDelta(text string) ConverseStreamOutput {
	return blockDelta(&ContentBlockDeltaMemberText{Value: text})
}

// messageStop has fields that encoding/json refuses, where AWS has documents.
func messageStop() ConverseStreamOutput {
	return &ConverseStreamOutputMemberMessageStop{Value: MessageStopEvent{"end_turn", func() {}}}
}

func metadata() ConverseStreamOutput {
	return &ConverseStreamOutputMemberMetadata{Value: ConverseStreamMetadataEvent{
		Metrics: &struct{ LatencyMs *int64 }{pointer(int64(5))},
		Usage:   &TokenUsage{InputTokens: pointer(int32(1)), OutputTokens: pointer(int32(2)), CacheReadInputTokens: pointer(int32(3))},
		usage:   &TokenUsage{OutputTokens: pointer(int32(9))},
	}}
}

func TestAutoKnowsUnionsByTheirNames(t *testing.T) {
	reasoning := func(d ReasoningContentBlockDelta) ConverseStreamOutput {
		return blockDelta(&ContentBlockDeltaMemberReasoningContent{Value: d})
	}
	for name, c := range map[string]struct {
		value ConverseStreamOutput
		want  tpot.Event
	}{
		"start": {&ConverseStreamOutputMemberMessageStart{Value: MessageStartEvent{"assistant"}}, tpot.Event{Kind: tpot.KindStatus}},
		"the start of a block": {
			&ConverseStreamOutputMemberContentBlockStart{Value: ContentBlockStartEvent{Start: &ContentBlockDeltaMemberText{Value: "f"}}},
			tpot.Event{Kind: tpot.KindStatus},
		},
		"text":        {textDelta("a \"b\""), tpot.Event{Kind: tpot.KindText}},
		"a line end":  {textDelta("\n"), tpot.Event{Kind: tpot.KindText}},
		"no text":     {textDelta(""), tpot.Event{Kind: tpot.KindStatus}},
		"reasoning":   {reasoning(&ReasoningContentBlockDeltaMemberText{Value: "a"}), tpot.Event{Kind: tpot.KindReasoning}},
		"a signature": {reasoning(&ReasoningContentBlockDeltaMemberSignature{Value: "a"}), tpot.Event{Kind: tpot.KindStatus}},
		"the input of a tool": {
			blockDelta(&ContentBlockDeltaMemberToolUse{Value: struct{ Input *string }{pointer("{")}}), tpot.Event{Kind: tpot.KindToolCall},
		},
		"no input": {blockDelta(&ContentBlockDeltaMemberToolUse{}), tpot.Event{Kind: tpot.KindStatus}},
		"an image": {
			blockDelta(&ContentBlockDeltaMemberImage{Value: struct{ Source any }{&ImageSourceMemberBytes{Value: []byte("a")}}}),
			tpot.Event{Kind: tpot.KindMedia},
		},
		"no delta":     {blockDelta(nil), tpot.Event{Kind: tpot.KindStatus}},
		"a nil member": {blockDelta((*ContentBlockDeltaMemberText)(nil)), tpot.Event{Kind: tpot.KindStatus}},
		"stop":         {messageStop(), tpot.Event{Kind: tpot.KindFinish, FinishReason: "end_turn"}},
		"metadata":     {metadata(), tpot.Event{Kind: tpot.KindUsage, Usage: tpot.Usage{Input: 1, Output: 2, Cached: 3}}},
	} {
		c.want.Kind |= tpot.KindMarked
		assert.Equal(t, c.want, stream.Auto(c.value), name)
		assert.Equal(t, c.want, stream.Auto[any](c.value), name)
	}
	assert.Zero(t, stream.Auto[ConverseStreamOutput](&UnknownUnionMember{Tag: "new", Value: []byte("a")}))
	assert.Zero(t, stream.Auto[ConverseStreamOutput](nil))
}

func TestAutoReadsTheEventsOfAModelOnBedrock(t *testing.T) {
	chunk := func(event string) ResponseStream {
		return &ResponseStreamMemberChunk{Value: PayloadPart{Bytes: []byte(event)}}
	}
	assert.Equal(t, tpot.Event{Kind: tpot.KindReasoning | tpot.KindMarked}, stream.Auto(chunk(anthropic)))
	assert.Zero(t, stream.Auto(chunk("no JSON")))
	assert.Zero(t, stream.Auto(chunk("")))
}

func TestAStreamOfUnionsAsAWhole(t *testing.T) {
	values := []ConverseStreamOutput{textDelta("a"), textDelta("b"), messageStop(), metadata()}
	rec := tpot.Start(t.Context())
	for range stream.Seq(rec, func(yield func(ConverseStreamOutput) bool) {
		for _, v := range values {
			if !yield(v) {
				return
			}
		}
	}, nil) {
	}
	s := rec.Stats()
	assert.Equal(t, "bedrock", s.Wire)
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, 2, s.Chunks)
	assert.Equal(t, 2, s.Tokens)
	assert.Equal(t, 5*time.Millisecond, s.Server.Total)
	assert.Zero(t, s.Unclassified)
}

// Types that are named like members of unions, or not quite.
type (
	LoopMemberOnceMore struct{ Value *LoopMemberOnceMore }
	LoopMemberAny      struct{ Value any }
	LoopMemberMany     struct{ Value many }
	ClubMember         struct{ Value string }
	MemberMessageStop  struct{ Value MessageStopEvent }
	ClubMemberName     struct{ Name string }
	ClubMemberNothing  struct{}
	ClubMemberHidden   struct{ value string }

	many struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T *many }
)

// circle has twenty ways to go on from each value.
func circle() *LoopMemberMany {
	m := &many{}
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		v.Field(i).Set(v.Addr())
	}
	return &LoopMemberMany{*m}
}

func TestWhatIsNoUnionHarmsNothing(t *testing.T) {
	loop := &LoopMemberOnceMore{}
	loop.Value = loop
	ring := &LoopMemberAny{}
	ring.Value = &ring.Value
	for _, v := range []any{
		loop, ring, &LoopMemberAny{Value: make(chan int)}, &ClubMember{"a"}, &MemberMessageStop{MessageStopEvent{StopReason: "a"}}, &ClubMemberName{"a"}, &ClubMemberNothing{},
		&ClubMemberHidden{"a"}, (*LoopMemberOnceMore)(nil), ClubMember{"a"}, &[]int{1}, pointer(pointer(5)),
	} {
		e := stream.Auto[any](v)
		assert.Zero(t, e.Kind&^tpot.KindStatus, "%T", v)
	}
}

func TestACircleInAUnionIsNotFollowedForEver(t *testing.T) {
	var before, after runtime.MemStats
	value := circle()
	runtime.ReadMemStats(&before)
	assert.Zero(t, stream.Auto[any](value))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
