package stream_test

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/tpot"
)

// OTLP refuses a whole batch for one label that is no UTF-8.
func TestNamesAreUTF8(t *testing.T) {
	for _, body := range []string{
		"data: {\"choices\":[{\"index\":0,\"finish_reason\":\"\xff\"}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\"finish_reason\":\"x" + strings.Repeat("é", 200) + "\"}]}\n\n",
	} {
		client, records := serve(t, func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }, 0)
		resp := post(t, client, "http://llm.test")
		_, _ = io.Copy(io.Discard, resp.Body)
		assert.True(t, utf8.ValidString(records.one(t).FinishReason))
	}
}

// statsOf is what a body of server-sent events comes to.
func statsOf(t *testing.T, body string) tpot.Stats {
	client, records := serve(t, func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }, 0)
	resp := post(t, client, "http://llm.test")
	_, _ = io.Copy(io.Discard, resp.Body)
	return records.one(t)
}

func TestTheInputOfACustomTool(t *testing.T) {
	s := statsOf(t, "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"abc\"}}]}}]}\n\n"+endOfChunks)
	assert.Equal(t, 1, s.Chunks)
}

func TestAnAbortOfSGLangIsNoSuccess(t *testing.T) {
	s := statsOf(t, "data: {\"text\":\"abc\",\"meta_info\":{\"finish_reason\":{\"type\":\"abort\",\"message\":\"m\",\"status_code\":500},\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
	assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
	assert.Equal(t, "abort", s.ErrorType)
}
