package wire_test

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

const eventStream = "application/vnd.amazon.eventstream"

// prelude is the lengths of a frame and of its headers, and their checksum.
func prelude(size, headers uint32) string {
	b := binary.BigEndian.AppendUint32(nil, size)
	b = binary.BigEndian.AppendUint32(b, headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// frame is a message of the AWS event stream.
func frame(headers, payload string) string {
	b := []byte(prelude(uint32(16+len(headers)+len(payload)), uint32(len(headers))) + headers + payload)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// header is a header with a value of any type, its bytes as they are.
func header(name string, valueType byte, value string) string {
	return string([]byte{byte(len(name))}) + name + string([]byte{valueType}) + value
}

// headers is headers that are strings, by name and value.
func headers(pairs ...string) (all string) {
	for i := 0; i < len(pairs); i += 2 {
		all += header(pairs[i], 7, sized(pairs[i+1]))
	}
	return all
}

// sized is a value after its length.
func sized(value string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(value)))) + value
}

func converse(name, payload string) string {
	return frame(headers(":message-type", "event", ":event-type", name, ":content-type", "application/json"), payload)
}

// chunk is an event of a model's own.
func chunk(data string) string {
	return converse("chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(data))+`","p":"abcdefg"}`)
}

var (
	textFrame = converse("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"a"},"p":"abc"}`)
	textEvent = tpot.Event{Kind: tpot.KindText | marked}
	spoiled   = tpot.Event{Kind: tpot.KindError | marked, ErrorType: "checksum"}
	unknown   = tpot.Event{}
)

func TestFramesOfConverse(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		want  tpot.Event
	}{
		"start":                 {converse("messageStart", `{"role":"assistant"}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"start of a block":      {converse("contentBlockStart", `{"start":{"toolUse":{"name":"f","toolUseId":"t"}}}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"text":                  {textFrame, textEvent},
		"empty text":            {converse("contentBlockDelta", `{"delta":{"text":""}}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"reasoning":             {converse("contentBlockDelta", `{"delta":{"reasoningContent":{"text":"a"}}}`), tpot.Event{Kind: tpot.KindReasoning | marked}},
		"signature":             {converse("contentBlockDelta", `{"delta":{"reasoningContent":{"signature":"c2ln"}}}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"input of a tool":       {converse("contentBlockDelta", `{"delta":{"toolUse":{"input":"{"}}}`), tpot.Event{Kind: tpot.KindToolCall | marked}},
		"stop of a block":       {converse("contentBlockStop", `{"contentBlockIndex":0}`), tpot.Event{Kind: tpot.KindStatus | marked}},
		"stop":                  {converse("messageStop", `{"stopReason":"max_tokens"}`), tpot.Event{Kind: tpot.KindFinish | marked, FinishReason: "max_tokens"}},
		"usage":                 {converse("metadata", `{"usage":{"inputTokens":5,"outputTokens":9,"cacheReadInputTokens":2}}`), tpot.Event{Kind: tpot.KindUsage | marked, Usage: tpot.Usage{Input: 5, Output: 9, Cached: 2}}},
		"an event of no name":   {converse("", `{"delta":{"text":"a"}}`), unknown},
		"an event not known":    {converse("guess", `{"delta":{"text":"a"}}`), unknown},
		"malformed":             {converse("contentBlockDelta", `{"delta":{"text":"a"}`), unknown},
		"not an object":         {converse("contentBlockDelta", `["a"]`), unknown},
		"zero payload":          {converse("messageStart", ""), unknown},
		"no headers":            {frame("", `{"delta":{"text":"a"}}`), unknown},
		"nothing at all":        {frame("", ""), unknown},
		"exception":             {frame(headers(":message-type", "exception", ":exception-type", "throttlingException"), `{"message":"m"}`), tpot.Event{Kind: tpot.KindError | marked, ErrorType: "throttlingException"}},
		"exception of no type":  {frame(headers(":message-type", "exception"), ""), tpot.Event{Kind: tpot.KindError | marked, ErrorType: "error"}},
		"error":                 {frame(headers(":error-code", "InternalFailure", ":error-message", "m", ":message-type", "error"), ""), tpot.Event{Kind: tpot.KindError | marked, ErrorType: "InternalFailure"}},
		"a chunk":               {chunk(`{"type":"message_stop"}`), tpot.Event{Kind: tpot.KindDone | marked}},
		"a chunk of an error":   {chunk(`{"error":{"code":5}}`), tpot.Event{Kind: tpot.KindError | marked, ErrorType: "5"}},
		"a chunk not known":     {chunk(`{}`), unknown},
		"an empty chunk":        {chunk(""), unknown},
		"base64 that is none":   {converse("chunk", `{"bytes":"not base64!"}`), unknown},
		"base64 that is cut":    {converse("chunk", `{"bytes":"eyJ0eXBlIjoicGluZyJ"}`), unknown},
		"base64 with escapes":   {converse("chunk", `{"bytes":"\u0065yJ0eXBlIjoicGluZyJ9"}`), tpot.Event{Kind: tpot.KindPing}},
		"bytes that are none":   {converse("chunk", `{"bytes":5}`), unknown},
		"a chunk without bytes": {converse("chunk", `{"p":"abc"}`), unknown},
		"a malformed chunk":     {converse("chunk", `{"bytes":"eyJ0eXBlIjoicGluZyJ9"`), unknown},
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(eventStream, c.frame, textFrame)
			assert.Equal(t, []tpot.Event{c.want, textEvent}, got.events)
			assert.True(t, got.whole)
			assert.Equal(t, got, parse(eventStream, cut(c.frame+textFrame, 1)...))
		})
	}
}

func TestHeadersOfEveryType(t *testing.T) {
	long := strings.Repeat("x", 255)
	others := header("true", 0, "") + header("false", 1, "") + header("byte", 2, "1") + header("short", 3, "12") +
		header("integer", 4, "1234") + header("long", 5, "12345678") + header("bytes", 6, sized(":event-type")) + header(long, 7, sized("")) +
		header("time", 8, "12345678") + header("uuid", 9, "1234567812345678")
	ours := headers(":message-type", "event", ":event-type", "messageStop")
	for _, all := range []string{others + ours, ours + others, others + ours + others} {
		assert.Equal(t, []tpot.Event{{Kind: tpot.KindFinish | marked}}, parse(eventStream, frame(all, `{}`)).events)
	}
}

func TestHeadersThatLie(t *testing.T) {
	for name, all := range map[string]string{
		"a type that is none":        header("a", 10, ""),
		"a name beyond the end":      "\xffname",
		"a name without a type":      "\x04name",
		"only the length of a name":  "\x01",
		"a value beyond the end":     header("a", 7, "\x00\x05abcd"),
		"half the length of a value": header("a", 6, "\x00"),
		"a number that is cut":       header("a", 5, "1234567"),
		"a uuid that is cut":         header("a", 9, "123456781234567"),
		"a byte that is not there":   header("a", 2, ""),
		"behind ones that are fine":  headers(":message-type", "event", ":event-type", "messageStop") + "\x01",
	} {
		got := parse(eventStream, textFrame+frame(all, "{}")+textFrame)
		assert.Equal(t, []tpot.Event{textEvent, spoiled}, got.events, name)
	}
}

func TestFramesThatLie(t *testing.T) {
	flipped := func(i int) string {
		b := []byte(textFrame)
		b[(i+len(b))%len(b)] ^= 1
		return string(b)
	}
	for name, lie := range map[string]string{
		"the checksum of the prelude":          flipped(8),
		"the length":                           flipped(3),
		"the length of the headers":            flipped(7),
		"a header":                             flipped(20),
		"the payload":                          flipped(-10),
		"the checksum of all":                  flipped(-1),
		"headers longer than the frame":        prelude(40, 25) + strings.Repeat("x", 28),
		"headers of 4 GiB":                     prelude(40, 1<<32-1) + strings.Repeat("x", 28),
		"headers that leave no checksum":       prelude(16, 1) + "\x00\x00\x00\x00",
		"a frame shorter than any can be":      prelude(15, 0) + "\x00\x00\x00",
		"a frame of nothing":                   prelude(0, 0),
		"a frame of nothing with long headers": prelude(0, 1<<32-16),
		"text":                                 `{"message":"The security token is invalid"}`,
	} {
		got := parse(eventStream, textFrame+lie+textFrame)
		assert.Equal(t, []tpot.Event{textEvent, spoiled}, got.events, name)
		assert.Equal(t, got, parse(eventStream, cut(textFrame+lie+textFrame, 1)...), name)
	}
}

func TestAFrameThatIsTooLarge(t *testing.T) {
	skipped := tpot.Event{Kind: tpot.KindStatus}
	payload := `{"delta":{"text":"` + strings.Repeat("a", wire.MaxEvent) + `"}}`
	body := textFrame + converse("contentBlockDelta", payload) + textFrame
	for _, size := range []int{len(body), 1 << 16, 4099} {
		got := parse(eventStream, cut(body, size)...)
		assert.Equal(t, []tpot.Event{textEvent, skipped, textEvent}, got.events)
		assert.Equal(t, 1, got.unread)
		assert.True(t, got.whole)
	}
	t.Run("of the largest size that is read", func(t *testing.T) {
		rest := wire.MaxEvent - len(converse("contentBlockDelta", `{"delta":{"text":""}}`))
		largest := converse("contentBlockDelta", `{"delta":{"text":"`+strings.Repeat("a", rest)+`"}}`)
		assert.Len(t, largest, wire.MaxEvent)
		assert.Equal(t, []tpot.Event{textEvent, textEvent}, parse(eventStream, cut(largest+textFrame, 1<<20)...).events)
	})
	t.Run("of 4 GiB that do not come", func(t *testing.T) {
		got := parse(eventStream, prelude(1<<32-1, 7)+textFrame, textFrame)
		assert.Equal(t, []tpot.Event{skipped}, got.events)
		assert.Equal(t, 1, got.unread)
		assert.False(t, got.whole)
	})
}

func TestFramesThatEndAnywhere(t *testing.T) {
	body := textFrame + textFrame
	for i := range len(body) + 1 {
		got := parse(eventStream, body[:i])
		assert.Len(t, got.events, i/len(textFrame))
		assert.Equal(t, i%len(textFrame) == 0, got.whole)
	}
}

func TestMetricsOfBedrock(t *testing.T) {
	got := parse(eventStream, converse("metadata", `{"usage":{},"metrics":{"latencyMs":1250}}`))
	assert.Equal(t, tpot.ServerTimings{Source: "bedrock", Total: 1250 * time.Millisecond}, got.facts.Server)
	got = parse(eventStream, chunk(`{"type":"message_stop","amazon-bedrock-invocationMetrics":`+
		`{"inputTokenCount":8,"outputTokenCount":21,"invocationLatency":1250,"firstByteLatency":310}}`))
	assert.Equal(t, tpot.ServerTimings{
		Source: "bedrock", Total: 1250 * time.Millisecond, TTFT: 310 * time.Millisecond, PromptTokens: 8, OutputTokens: 21,
	}, got.facts.Server)
}

func TestTheWireOfFrames(t *testing.T) {
	for body, want := range map[string]string{
		textFrame:                                    "bedrock",
		chunk(`{"type":"message_stop"}`):             "anthropic",
		chunk(`{"generation":"a"}`):                  "bedrock",
		converse("guess", "{}"):                      "unknown",
		converse("chunk", `{"bytes":"!"}`):           "unknown",
		textFrame + converse("guess", "{}"):          "bedrock",
		converse("guess", "{}") + textFrame:          "bedrock",
		frame(headers(":message-type", "error"), ""): "",
	} {
		assert.Equal(t, want, parse(eventStream, body).facts.Wire)
	}
}
