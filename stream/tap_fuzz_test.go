package stream_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// FuzzBody reads bytes of any kind, in reads of any size, as any media type: they come through as they are, and one record says how
// they ended.
func FuzzBody(f *testing.F) {
	files, err := filepath.Glob(wires + "/*.bin")
	require.NoError(f, err)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(body) < 1<<14 {
			f.Add(body, "text/event-stream", uint16(7))
		}
	}
	for _, mediaType := range []string{"application/x-ndjson", "application/json", "application/vnd.amazon.eventstream", "text/html", ";;"} {
		f.Add([]byte(twoChunks+endOfChunks), mediaType, uint16(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, mediaType string, size uint16) {
		records := &endings{}
		_, rec := tracking(t, records).Start(t.Context(), tpot.Request{})
		body := stream.Body(rec, respond(mediaType, &chopped{data, int(size)}))
		got, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Equal(t, len(data), len(got))
		require.Equal(t, string(data), string(got))
		require.NoError(t, body.Close())
		s := records.one(t)
		require.NotEqual(t, tpot.OutcomeOpen, s.Outcome)
		require.Zero(t, s.Faults)
		require.LessOrEqual(t, s.Chunks+s.Unclassified, s.Events)
	})
}

// chopped gives its bytes a few at a time.
type chopped struct {
	rest []byte
	size int
}

func (c *chopped) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), max(c.size, 1))], c.rest)
	if c.rest = c.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
