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

// ReadTraces reads JSON Lines, a [Trace] to a line, as a [TraceWriter] or a json.Encoder writes them: its figures, then its events.
//
//	{"trace":1,"request":{"model":"acme-large"},"outcome":"ok","end_ms":151,"events":[
//	{"at_ms":100,"wait_ms":100,"kind":"text|choices","tokens":1},{"at_ms":150.25,"wait_ms":50.25,"kind":"finish|choices"}]}
//
// is one, but for the line break. A line that is no trace gives an error that names it, and the reading goes on with the next; an error
// of the reader ends it. Empty lines are passed over. A line is held in memory as a whole.
func ReadTraces(r io.Reader) iter.Seq2[Trace, error] {
	return func(yield func(Trace, error) bool) {
		lines := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, end := lines.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 && (end == nil || end == io.EOF) {
				var t Trace
				err := json.Unmarshal(line, &t)
				if err != nil {
					t, err = Trace{}, fmt.Errorf("line %d: %w", n, err)
				}
				if !yield(t, err) {
					return
				}
			}
			if end == io.EOF {
				return
			}
			if end != nil {
				yield(Trace{}, end)
				return
			}
		}
	}
}

// TraceWriter is an [Observer] that writes the Trace of each request when it ends, as one line of JSON in one Write. How many events it has is
// for the Tracker's TraceEvents to say. Make it with [NewTraceWriter]; its methods are safe for concurrent use. The end of a request waits
// for the Write: give it a buffer of its own where that can be slow.
type TraceWriter struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewTraceWriter makes a TraceWriter that writes to w.
func NewTraceWriter(w io.Writer) *TraceWriter { return &TraceWriter{w: w} }

// Err is the first error. After it no more is written, since a line may be there in part.
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
