package stream_test

import (
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// TestOverTCPEachChunkArrivesBetweenItsWriteAndItsRead has a real network, where times are not exact but for what cannot be: no chunk
// arrives before the server began to write it, or after its reader had it.
func TestOverTCPEachChunkArrivesBetweenItsWriteAndItsRead(t *testing.T) {
	for protocol, listen := range map[string]func(...llmtest.Script) (*llmtest.Server, error){
		"HTTP/1.1": llmtest.Listen, "HTTP/2": llmtest.ListenHTTP2,
	} {
		for _, gzip := range []bool{false, true} {
			t.Run(protocol+map[bool]string{true: "/gzip"}[gzip], func(t *testing.T) {
				ai := llmtest.OpenAI{}
				script := llmtest.SSE().After(5*time.Millisecond, ai.Role())
				for range 30 {
					script = script.After(2*time.Millisecond, ai.Text("a"))
				}
				script = script.After(0, ai.Finish("stop"), ai.Done())
				script.Gzip = gzip
				server, err := listen(script)
				require.NoError(t, err)
				defer server.Close()
				client, records := tapped(t, server)
				resp := post(t, client, server.URL)
				reads := timedReads(t, resp.Body)
				_ = resp.Body.Close()
				s, exchange := records.one(t), server.Log()[0]
				assert.Equal(t, tpot.OutcomeOK, s.Outcome)
				require.Len(t, records.chunks, 30)
				end, i := len(exchange.Writes[0].Bytes()), 0
				for sent, chunk := range exchange.Chunks() {
					end += len(chunk.Bytes)
					arrived := s.Start.Add(records.chunks[i])
					assert.False(t, arrived.Before(exchange.Arrived.Add(sent.Began)), "chunk %d before it was written", i)
					before, after := reads.around(end)
					assert.False(t, arrived.Before(before), "chunk %d before the Read that brought it", i)
					assert.False(t, arrived.After(after), "chunk %d after the Read that brought it", i)
					i++
				}
			})
		}
	}
}

// timedRead is when a Read of a body began and returned, and how much had been read then.
type timedRead struct {
	began, returned time.Time
	total           int
}

type readLog []timedRead

// around is the beginning and the return of the Read that brought a byte, counted from 1.
func (l readLog) around(byteNumber int) (began, returned time.Time) {
	i := slices.IndexFunc(l, func(r timedRead) bool { return r.total >= byteNumber })
	return l[i].began, l[i].returned
}

func timedReads(t *testing.T, body io.Reader) (log readLog) {
	buffer := make([]byte, 4096)
	total := 0
	for {
		began := time.Now()
		n, err := body.Read(buffer)
		total += n
		log = append(log, timedRead{began, time.Now(), total})
		if err == io.EOF {
			return log
		}
		require.NoError(t, err)
	}
}
