package tpot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"sync"
)

// ReadTraces reads JSON Lines, a [Trace] to a line, as a [TraceWriter] or a json.Encoder writes them. This is one, but for its line breaks:
//
//	{"trace":1,"request":{"model":"acme-large","max_tokens":64},"start":"2026-11-30T12:00:00Z","outcome":"ok","end_ms":160.5,"events":[
//	{"at_ms":100,"kind":"role|choices"},{"at_ms":120,"kind":"text|choices","tokens":1},{"at_ms":150.25,"kind":"text|finish|choices","tokens":2},
//	{"at_ms":155,"kind":"usage","usage":{"input":12,"output":3}},{"at_ms":160.5,"kind":"done"}]}
//
// The version and the outcome are required: ok, canceled, timeout, truncated, failed, or open. The names of kinds are those of [Kind.String];
// "choices" belongs to OpenAI-shaped events, and tools that speak that protocol see no others. Times are milliseconds from the start, start is
// for runs of several requests. Whatever else is known goes by the names of Trace's fields: closed_ms, end_unknown, dropped, cause, error_type,
// setup_ms, wait_ms and hold_ms (these two of events, too), tail_wait_ms, stall_ms, slo, wire, unread, faults, attempts, server; and of events
// choice, model, finish_reason, error_type. Any other name is an error.
//
// A line that is no trace gives an error with its number, and the reading goes on with the next line; an error of the reader ends it, and is given
// as it is. Empty lines and a byte order mark are passed over. The sequence reads on from where r is, so it can be gone through once. A line is held
// in memory as a whole, up to 64 MiB; a longer one is no trace.
func ReadTraces(r io.Reader) iter.Seq2[Trace, error] {
	return func(yield func(Trace, error) bool) {
		lines := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, whole, end := readLine(lines)
			if end != nil && end != io.EOF {
				yield(Trace{}, end)
				return
			}
			if len(line) > 0 {
				t, err := readTrace(line, whole)
				if err != nil {
					err = fmt.Errorf("line %d: %w", n, err)
				}
				if !yield(t, err) {
					return
				}
			}
			if end == io.EOF {
				return
			}
		}
	}
}

const (
	byteOrderMark = "\ufeff"
	longestLine   = 64 << 20 // bytes, which is half a million events
)

// readLine reads a line; of one that is too long only the beginning is there.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		var part []byte
		part, err = r.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= longestLine; whole {
			line = append(line, part...)
		}
	}
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark))), whole, err
}

func readTrace(line []byte, whole bool) (Trace, error) {
	if !whole {
		return Trace{}, fmt.Errorf("tpot: more than %d MiB", longestLine>>20)
	}
	var t Trace
	if err := json.Unmarshal(line, &t); err != nil {
		return Trace{}, err
	}
	return t, nil
}

// TraceWriter is an [Observer] that writes the Trace of each request when it ends, as one line of JSON in one Write, with as many of its events as
// the Tracker's TraceEvents says. Make it with [NewTraceWriter]; its methods are safe for concurrent use. The end of a request waits for the
// Write: where that can be slow, write to a buffer.
type TraceWriter struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewTraceWriter makes a TraceWriter that writes to w.
func NewTraceWriter(w io.Writer) *TraceWriter { return &TraceWriter{w: w} }

// Err is the first error of writing, or nil. After it no more is written, since a line may be there in part.
func (tw *TraceWriter) Err() error {
	tw.mu.Lock()
	defer tw.mu.Unlock()
	return tw.err
}

// Start is for the Tracker.
func (tw *TraceWriter) Start(ctx context.Context, _ Request, r *Recorder) (context.Context, Observation) {
	return ctx, &traceWriting{to: tw, recorder: r}
}

// traceWriting is the writing of one request's trace.
type traceWriting struct {
	EndOnly
	to       *TraceWriter
	recorder *Recorder
}

func (tw *traceWriting) End(Stats) { tw.to.write(tw.recorder.Trace()) }

func (tw *TraceWriter) write(t Trace) {
	line, err := json.Marshal(t)
	tw.mu.Lock()
	defer tw.mu.Unlock()
	switch {
	case tw.err != nil:
	case err != nil:
		tw.err = err
	default:
		_, tw.err = tw.w.Write(append(line, '\n'))
	}
}
