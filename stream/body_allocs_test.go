package stream_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestAnEventInABodyAllocatesNothing(t *testing.T) {
	body := stream.Body(tpot.Start(t.Context()), respond("text/event-stream", oneByOne{}))
	buffer := make([]byte, 4096)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = body.Read(buffer) }))
}

// TestAWholeTappedResponse counts what the tap adds to a response of 100 chunks that needs nothing else.
func TestAWholeTappedResponse(t *testing.T) {
	answer := strings.Repeat(wireEvent, 100) + endOfChunks
	reader := strings.NewReader("")
	resp := respond("text/event-stream", reader)
	resp.Request = &http.Request{}
	source := resp.Body
	buffer := make([]byte, 4096)
	allocs := testing.AllocsPerRun(100, func() {
		reader.Reset(answer)
		resp.Body = source
		body := stream.Body(tpot.Start(t.Context()), resp)
		for {
			if _, err := body.Read(buffer); err == io.EOF {
				break
			}
		}
		_ = body.Close()
	})
	assert.LessOrEqual(t, allocs, 20.0)
}
