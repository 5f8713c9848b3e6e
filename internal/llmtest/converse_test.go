package llmtest_test

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func TestConverseEvents(t *testing.T) {
	br := llmtest.Converse{Block: 2}
	delta := func(d string) string { return `{"contentBlockIndex":2,"delta":` + d + `}` }
	check(t, map[string]built{
		"start": {br.Start(), "", "event messageStart", `{"role":"assistant"}`},
		"tool block": {br.OpenTool("t1", "f"), "", "event contentBlockStart",
			`{"contentBlockIndex":2,"start":{"toolUse":{"name":"f","toolUseId":"t1"}}}`},
		"reasoning": {br.Reasoning("hm"), llmtest.KindReasoning, "event contentBlockDelta",
			delta(`{"reasoningContent":{"text":"hm"}}`)},
		"text": {br.Text("Hi \"é\"\n"), llmtest.KindText, "event contentBlockDelta",
			delta(`{"text":"Hi \"é\"\n"}`)},
		"empty text": {br.Text(""), "", "event contentBlockDelta", delta(`{"text":""}`)},
		"tool arguments": {br.ToolArguments(`{"a"`), llmtest.KindTool, "event contentBlockDelta",
			delta(`{"toolUse":{"input":"{\"a\""}}`)},
		"no arguments": {br.ToolArguments(""), "", "event contentBlockDelta", delta(`{"toolUse":{"input":""}}`)},
		"close":        {br.Close(), "", "event contentBlockStop", `{"contentBlockIndex":2}`},
		"finish":       {br.Finish("end_turn"), "", "event messageStop", `{"stopReason":"end_turn"}`},
		"usage": {br.Usage(usage, 431*ms+999*time.Microsecond), "", "event metadata",
			`{"metrics":{"latencyMs":431},"usage":{"inputTokens":9,"outputTokens":5,"totalTokens":14}}`},
		"error": {br.Error("throttlingException", "oh"), "", "exception throttlingException", `{"message":"oh"}`},
	}, fromFrame)
	_, first := fromFrame(t, string(llmtest.Converse{}.Close().Bytes))
	assert.Equal(t, `{"contentBlockIndex":0}`, first)
}

// fromFrame takes a frame apart. Its name is that of the message's type and, in that type, its own.
func fromFrame(t *testing.T, frame string) (name, json string) {
	t.Helper()
	number := func(at int) int { return int(binary.BigEndian.Uint32([]byte(frame[at:]))) }
	sum := func(of string) int { return int(crc32.ChecksumIEEE([]byte(of))) }
	end := len(frame) - 4
	require.Equal(t, len(frame), number(0))
	require.Equal(t, sum(frame[:8]), number(8))
	require.Equal(t, sum(frame[:end]), number(end))

	payload := 12 + number(4)
	headers := map[string]string{}
	for rest := frame[12:payload]; rest != ""; {
		header, after, ok := strings.Cut(rest[1:], "\x07\x00") // a string of less than 256 bytes
		require.True(t, ok)
		require.Len(t, header, int(rest[0]))
		size := int(after[0])
		headers[header], rest = after[1:1+size], after[1+size:]
	}
	message := headers[":message-type"]
	own := headers[":"+message+"-type"]
	require.Equal(t, map[string]string{
		":message-type": message, ":" + message + "-type": own, ":content-type": "application/json",
	}, headers)
	return message + " " + own, frame[payload:end]
}

func TestConverseRebuildsItsCapture(t *testing.T) {
	br := llmtest.Converse{}
	want := captured(t, "bedrock_converse_exception")
	got := events(br.Start(), br.Text("Half"), br.Text(" a"))
	assert.Equal(t, want[:len(got)], got)
	name, _ := fromFrame(t, want[len(got):])
	built, _ := fromFrame(t, string(br.Error("modelStreamErrorException", "example failure").Bytes))
	assert.Equal(t, name, built)
}
