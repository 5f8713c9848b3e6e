package stream_test

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

const twoChunks = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n" +
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}}]}\n\n"

const endOfChunks = "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// respond is a response with a body of a media type.
func respond(mediaType string, body io.Reader) *http.Response {
	closer, ok := body.(io.ReadCloser)
	if !ok {
		closer = io.NopCloser(body)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {mediaType}}, Body: closer}
}

// read is what one Read gave.
type read struct {
	data string
	err  error
}

// reads reads a body to its error, and once more.
func reads(body io.Reader, size int) (all []read) {
	buffer := make([]byte, size)
	for range 10000 {
		n, err := body.Read(buffer)
		all = append(all, read{string(buffer[:n]), err})
		if err != nil {
			n, err = body.Read(buffer)
			return append(all, read{string(buffer[:n]), err})
		}
	}
	return all
}

func TestBodyGivesEveryReadAsItWas(t *testing.T) {
	errLine := errors.New("the line broke")
	for name, source := range map[string]func() io.Reader{
		"whole":                 func() io.Reader { return strings.NewReader(twoChunks + endOfChunks) },
		"byte by byte":          func() io.Reader { return iotest.OneByteReader(strings.NewReader(twoChunks)) },
		"in halves":             func() io.Reader { return iotest.HalfReader(strings.NewReader(twoChunks)) },
		"the end with the data": func() io.Reader { return iotest.DataErrReader(strings.NewReader(twoChunks)) },
		"an error":              func() io.Reader { return io.MultiReader(strings.NewReader(twoChunks), iotest.ErrReader(errLine)) },
		"an error with the data": func() io.Reader {
			return iotest.DataErrReader(io.MultiReader(strings.NewReader("data"), iotest.ErrReader(errLine)))
		},
		"a timeout":         func() io.Reader { return iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(twoChunks))) },
		"reads of nothing":  func() io.Reader { return &stuttering{rest: twoChunks} },
		"nothing at all":    func() io.Reader { return strings.NewReader("") },
		"bytes of any kind": func() io.Reader { return strings.NewReader("\x00\xff\xfe{\"\n\r\r\n:") },
	} {
		for _, mediaType := range []string{"text/event-stream", "application/json", "application/vnd.amazon.eventstream", ""} {
			for _, size := range []int{1, 7, 4096} {
				want := reads(source(), size)
				body := stream.Body(tpot.Start(t.Context()), respond(mediaType, source()))
				got := reads(body, size)
				require.Equal(t, want, got, "%s as %q, %d bytes at once", name, mediaType, size)
			}
		}
	}
}

// stuttering gives nothing with every other Read.
type stuttering struct {
	rest  string
	empty bool
}

func (s *stuttering) Read(p []byte) (int, error) {
	if s.empty = !s.empty; s.empty {
		return 0, nil
	}
	n := copy(p, s.rest)
	if s.rest = s.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// closing is a body that tells of its Close.
type closing struct {
	io.Reader
	closed int
	err    error
}

func (c *closing) Close() error { c.closed++; return c.err }

func TestBodyClosesWhatItsReaderCloses(t *testing.T) {
	errClose := errors.New("not closed")
	src := &closing{Reader: strings.NewReader(twoChunks + endOfChunks), err: errClose}
	rec := tpot.Start(t.Context())
	body := stream.Body(rec, respond("text/event-stream", src))
	_, err := io.ReadAll(body)
	require.NoError(t, err)
	assert.Zero(t, src.closed, "the end closes nothing")
	assert.Same(t, errClose, body.Close())
	assert.Same(t, errClose, body.Close())
	assert.Equal(t, 2, src.closed)
	assert.Equal(t, tpot.OutcomeOK, rec.Stats().Outcome)
}

func TestBodyClosedEarlyIsNotRead(t *testing.T) {
	src := &closing{Reader: iotest.ErrReader(errors.New("read"))}
	rec := tpot.Start(t.Context())
	body := stream.Body(rec, respond("text/event-stream", src))
	assert.NoError(t, body.Close())
	assert.Equal(t, string(tpot.EarlyClose), rec.Stats().Cause)
	_, err := body.Read(nil)
	assert.EqualError(t, err, "read", "what comes after is the body's own matter")
}

func TestBodyWithoutARecorderIsTheResponsesOwn(t *testing.T) {
	resp := respond("text/event-stream", strings.NewReader(""))
	assert.Equal(t, resp.Body, stream.Body(nil, resp))
	assert.Nil(t, stream.Body(tpot.Start(t.Context()), &http.Response{}))
	assert.Panics(t, func() { stream.Body(nil, nil) })
}

func TestBodyIsAReadCloserOnly(t *testing.T) {
	body := stream.Body(tpot.Start(t.Context()), respond("text/event-stream", strings.NewReader("")))
	_, writes := body.(io.Writer)
	_, writesTo := body.(io.WriterTo)
	_, seeks := body.(io.Seeker)
	assert.False(t, writes || writesTo || seeks)
}

func TestBodyOfARefusal(t *testing.T) {
	rec := tpot.Start(t.Context())
	resp := respond("application/json", strings.NewReader(`{"error":{"type":"rate_limit"}}`))
	resp.StatusCode = http.StatusTooManyRequests
	_, err := io.ReadAll(stream.Body(rec, resp))
	require.NoError(t, err)
	s := rec.Stats()
	assert.Equal(t, tpot.OutcomeFailed, s.Outcome)
	assert.Equal(t, "429", s.ErrorType)
	assert.Zero(t, s.Events)
}

func TestBodyInAnEncodingThatItsReaderDecodes(t *testing.T) {
	rec := tpot.Start(t.Context())
	resp := respond("text/event-stream", strings.NewReader("\x1f\x8b anything"))
	resp.Header.Set("Content-Encoding", "br")
	got, err := io.ReadAll(stream.Body(rec, resp))
	require.NoError(t, err)
	assert.Equal(t, "\x1f\x8b anything", string(got))
	s := rec.Stats()
	assert.Equal(t, tpot.OutcomeOK, s.Outcome)
	assert.Equal(t, 1, s.Unread)
	assert.Contains(t, s.Report(), "1 not read: too large, compressed or of an unknown format")
}

func TestBodyOfAnUnknownWire(t *testing.T) {
	rec := tpot.Start(t.Context())
	_, err := io.ReadAll(stream.Body(rec, respond("text/event-stream", strings.NewReader("data: {\"x\":1}\n\ndata: {\"x\":2}\n\n"))))
	require.NoError(t, err)
	s := rec.Stats()
	assert.Equal(t, 2, s.Events)
	assert.Equal(t, 2, s.Unclassified)
	assert.Zero(t, s.Chunks)
	assert.Equal(t, "unknown", s.Wire)
	assert.Contains(t, s.Report(), "2 events not understood, of an unknown wire: pass a classifier")
}

// TestBodyOfWhatIsLikeALibrarysValue has bodies that are no output: what looks like a value of a Go library may be any message.
func TestBodyOfWhatIsLikeALibrarysValue(t *testing.T) {
	for name, body := range map[string]string{
		"a conversation": `[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]`,
		"documents":      `[{"index":0,"content":[{"text":"a"}]},{"index":1,"content":[{"text":"b"}]}]`,
		"runs of a job":  `[{"message":{"role":"model"},"latencyMs":1},{"Done":true,"Chunk":null,"Response":null}]`,
		"calls":          `[{"type":"tool_call","tool_call_input":"{}"},{"Choices":[{"StopReason":"stop","GenerationInfo":{}}]}]`,
	} {
		rec := tpot.Start(t.Context())
		_, err := io.ReadAll(stream.Body(rec, respond("application/json", strings.NewReader(body))))
		require.NoError(t, err)
		s := rec.Stats()
		assert.Equal(t, 2, s.Unclassified, name)
		assert.Zero(t, s.Chunks, name)
		assert.Equal(t, "unknown", s.Wire, name)
	}
}

// slow is a body whose reads take a while, each a piece.
type slow struct {
	pieces []string
	pause  time.Duration
}

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

// TestAnEventInPiecesIsWaitedForInPieces has a reader that takes its time over each piece, which is no wait.
func TestAnEventInPiecesIsWaitedForInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tpot.Start(t.Context())
		src := &slow{pause: 10 * time.Millisecond, pieces: strings.SplitAfter(twoChunks+endOfChunks, ":")}
		n := time.Duration(len(src.pieces))
		body := stream.Body(rec, respond("text/event-stream", src))
		buffer := make([]byte, 4096)
		for range n {
			_, err := body.Read(buffer)
			require.NoError(t, err)
			time.Sleep(300 * time.Millisecond)
		}
		require.NoError(t, body.Close())
		s := rec.Stats()
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Equal(t, n*10*time.Millisecond, s.Wait)
		assert.Equal(t, (n-1)*300*time.Millisecond, s.Hold)
		assert.Zero(t, s.Stalls.Count)
	})
}

func TestADroppedBodyIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		outcome tpot.Outcome
		e2e     bool
	}{
		"in the middle": {twoChunks, tpot.OutcomeCanceled, false},
		"complete":      {twoChunks + endOfChunks, tpot.OutcomeOK, true},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan tpot.Stats, 1)
			_, rec := (&records{ended: ended}).tracker(t).Start(t.Context(), tpot.Request{})
			func() {
				body := stream.Body(rec, respond("text/event-stream", strings.NewReader(c.body)))
				_, err := io.ReadFull(body, make([]byte, len(c.body)))
				require.NoError(t, err)
			}()
			var s tpot.Stats
			for found := false; !found; {
				runtime.GC()
				select {
				case s = <-ended:
					found = true
				default:
					runtime.Gosched()
				}
			}
			assert.Equal(t, c.outcome, s.Outcome)
			assert.Equal(t, 2, s.Chunks)
			_, ok := s.E2E()
			assert.Equal(t, c.e2e, ok)
		})
	}
}

func TestASingleValueThatIsDecodedIsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		body, outcome string
	}{
		"all of it":     {"{\"a\":1}\n", "ok"},
		"an error":      {"{\"error\":{\"code\":500}}\n", "failed"},
		"a part of it":  {"{\"a\":1", "canceled"},
		"nothing of it": {"", "canceled"},
	} {
		rec := tpot.Start(t.Context())
		body := stream.Body(rec, respond("application/json", io.MultiReader(strings.NewReader(c.body), iotest.ErrReader(errors.New("not reached")))))
		_, err := io.ReadFull(body, make([]byte, len(c.body)))
		require.NoError(t, err)
		require.NoError(t, body.Close())
		assert.Equal(t, c.outcome, rec.Stats().Outcome.String(), name)
	}
}
