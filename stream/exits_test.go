package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// The tests here run every adapter through every way out of a stream, once bare and once wrapped: the consumer must see the same, and there
// must be one record with the right outcome. Bubbles make all times exact and fail when a goroutine is left.

var (
	errBoom   = errors.New("boom")
	errClosed = errors.New("read on closed stream")
)

// Values of the test streams: letters are text, and these.
const (
	done   = "." // a finish reason
	broken = "!" // an in-band error
)

func classify(v string) tpot.Event {
	switch v {
	case done:
		return tpot.Event{Kind: tpot.KindFinish | tpot.KindMarked}
	case broken:
		return tpot.Event{Kind: tpot.KindError | tpot.KindMarked, ErrorType: "overloaded"}
	}
	return tpot.Event{Kind: tpot.KindText | tpot.KindMarked}
}

// source is a stream that gives, every 100 ms unless its pace is another, the next of its values and errors; then io.EOF. A nil item blocks until the
// context ends or the source is closed.
type source struct {
	ctx    context.Context
	items  []any
	pace   time.Duration
	pos    int
	closed chan struct{}
	closes int
}

func newSource(ctx context.Context, items ...any) *source {
	return &source{ctx: ctx, items: items, pace: pace, closed: make(chan struct{})}
}

const pace = 100 * time.Millisecond

func (s *source) next() (string, error) {
	var tick <-chan time.Time
	if s.pos == len(s.items) {
		tick = time.After(0)
	} else if s.items[s.pos] != nil {
		tick = time.After(s.pace)
	}
	select {
	case <-tick:
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	case <-s.closed:
		return "", errClosed
	}
	if s.pos == len(s.items) {
		return "", io.EOF
	}
	s.pos++
	if err, ok := s.items[s.pos-1].(error); ok {
		return "", err
	}
	return s.items[s.pos-1].(string), nil
}

func (s *source) Close() error {
	s.closes++
	if s.closes > 1 {
		return errClosed
	}
	close(s.closed)
	return nil
}

// fatal says that a source has nothing more to give after an error.
func fatal(err error) bool {
	return err == errClosed || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// The shapes of a source. Those that cannot go on after an error end with it.

type puller struct {
	*source
	current string
	err     error
}

func (p *puller) Next() bool {
	v, err := p.next()
	p.current = v
	if err != io.EOF {
		p.err = err
	}
	return err == nil
}
func (p *puller) Current() string { return p.current }
func (p *puller) Err() error      { return p.err }

type receiver struct{ *source }

func (r receiver) Recv() (string, error) { return r.next() }

func (s *source) seq2(yield func(string, error) bool) {
	for {
		v, err := s.next()
		if err == io.EOF || !yield(v, err) || fatal(err) {
			return
		}
	}
}

// seq carries errors as values.
func (s *source) seq(yield func(string) bool) {
	for {
		v, err := s.next()
		if err == io.EOF || fatal(err) {
			return
		}
		if err != nil {
			v = broken
		}
		if !yield(v) {
			return
		}
	}
}

func (s *source) channels() (<-chan string, <-chan error) {
	values, errs := make(chan string), make(chan error)
	go func() {
		defer close(errs)
		defer close(values)
		for v, err := range s.seq2 {
			if !s.send(values, errs, v, err) {
				return
			}
		}
	}()
	return values, errs
}

func (s *source) send(values chan<- string, errs chan<- error, v string, err error) bool {
	if err == nil {
		errs = nil
	} else {
		values = nil
	}
	select {
	case values <- v:
	case errs <- err:
	case <-s.closed:
		return false
	}
	return true
}

type eventSource struct {
	*source
	values chan string
	err    error
}

func newEventSource(s *source) *eventSource {
	e := &eventSource{source: s, values: make(chan string)}
	go func() {
		defer close(e.values)
		for v, err := range s.seq2 {
			if err != nil {
				e.err = err
				return
			}
			if !s.send(e.values, nil, v, nil) {
				return
			}
		}
	}()
	return e
}

func (e *eventSource) Events() <-chan string { return e.values }
func (e *eventSource) Err() error            { return e.err }

func (s *source) call(emit func(string) error) error {
	for v, err := range s.seq2 {
		if err != nil {
			return err
		}
		if err := emit(v); err != nil {
			return err
		}
	}
	return nil
}

// seen is all that a consumer saw of a stream.
type seen struct {
	values   []string
	errs     []error
	times    []time.Duration // of values and errors
	closed   []error
	result   error
	panicked any
}

// consumer visits the values and errors of a stream and says whether it wants more.
type consumer func(v string, err error) bool

// shape runs a consumer over a source through one adapter, or bare when the Recorder is nil, and returns the results of Close and
// of the call.
type shape struct {
	name        string
	closes      bool // has a Close, with which the consumer leaves
	afterErrors bool // goes on after an error
	run         func(rec *tpot.Recorder, s *source, visit consumer) (closed []error, result error)
}

var errLeft = errors.New("the callback wants no more")

func shapes() []shape {
	return []shape{
		{name: "Pull", closes: true, run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			var s stream.Puller[string] = &puller{source: src}
			if rec != nil {
				s = stream.Pull(rec, s, classify)
			}
			for s.Next() {
				if !visit(s.Current(), nil) {
					return []error{s.Close()}, nil
				}
			}
			if err := s.Err(); err != nil {
				visit("", err)
			}
			return []error{s.Close()}, nil
		}},
		{name: "Recv", closes: true, afterErrors: true, run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			var s interface {
				stream.Receiver[string]
				io.Closer
			} = receiver{src}
			if rec != nil {
				s = stream.Recv(rec, s, classify)
			}
			for {
				v, err := s.Recv()
				if err == io.EOF || !visit(v, err) || fatal(err) {
					return []error{s.Close()}, nil
				}
			}
		}},
		{name: "Seq2", afterErrors: true, run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			var seq iter.Seq2[string, error] = src.seq2
			if rec != nil {
				seq = stream.Seq2(rec, seq, classify)
			}
			return nil, loopOver(seq, visit)
		}},
		{name: "Seq", afterErrors: true, run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			var seq iter.Seq[string] = src.seq
			if rec != nil {
				seq = stream.Seq(rec, seq, classify)
			}
			for v := range seq {
				if !visit(v, nil) {
					break
				}
			}
			return nil, nil
		}},
		{name: "Chan", afterErrors: true, run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			values, errs := src.channels()
			defer src.Close()
			if rec == nil {
				return nil, bareChannels(values, errs, visit)
			}
			return nil, loopOver(stream.Chan(rec, values, errs, classify), visit)
		}},
		{name: "Events", run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			e := newEventSource(src)
			defer src.Close()
			if rec == nil {
				for v := range e.Events() {
					if !visit(v, nil) {
						return nil, nil
					}
				}
				if err := e.Err(); err != nil {
					visit("", err)
				}
				return nil, nil
			}
			return nil, loopOver(stream.Events(rec, e, classify), visit)
		}},
		{name: "Call", run: func(rec *tpot.Recorder, src *source, visit consumer) (closed []error, result error) {
			fn := func(v string) error {
				if !visit(v, nil) {
					return errLeft
				}
				return nil
			}
			if rec == nil {
				return nil, src.call(fn)
			}
			return nil, stream.Call(rec, src.call, fn, classify)
		}},
	}
}

func loopOver(seq iter.Seq2[string, error], visit consumer) error {
	for v, err := range seq {
		if !visit(v, err) {
			break
		}
	}
	return nil
}

// bareChannels reads two unbuffered channels until both are closed.
func bareChannels(values <-chan string, errs <-chan error, visit consumer) error {
	for values != nil || errs != nil {
		var v string
		var err error
		var ok bool
		select {
		case v, ok = <-values:
			if !ok {
				values = nil
				continue
			}
		case err, ok = <-errs:
			if !ok {
				errs = nil
				continue
			}
		}
		if !visit(v, err) {
			break
		}
	}
	return nil
}

// consume runs a shape with a consumer that leaves, or panics, after so many values and errors; 0: never.
func (sh shape) consume(rec *tpot.Recorder, src *source, leaveAfter, panicAfter int) (got seen) {
	start := time.Now()
	defer func() { got.panicked = recover() }()
	got.closed, got.result = sh.run(rec, src, func(v string, err error) bool {
		got.values, got.errs = append(got.values, v), append(got.errs, err)
		got.times = append(got.times, time.Since(start))
		if len(got.values) == panicAfter {
			panic("in the loop's body")
		}
		return len(got.values) != leaveAfter
	})
	return got
}

// wayOut is one way for a stream to end.
type wayOut struct {
	name       string
	items      []any
	leaveAfter int
	panicAfter int
	cancelAt   time.Duration
	deadline   time.Duration
	onlyIf     func(shape) bool
	want       tpot.Outcome
	cause      string
	end        time.Duration // E2E
}

func waysOut() []wayOut {
	afterErrors := func(sh shape) bool { return sh.afterErrors && sh.name != "Seq" }
	return []wayOut{
		{name: "end", items: []any{"a", "b", done}, want: tpot.OutcomeOK, end: 3 * pace},
		{name: "end without the marker", items: []any{"a", "b"}, want: tpot.OutcomeTruncated, cause: "no end marker", end: 2 * pace},
		{name: "end without any event", items: nil, want: tpot.OutcomeOK},
		{name: "error", items: []any{"a", errBoom}, want: tpot.OutcomeFailed, end: 2 * pace},
		{name: "error first", items: []any{errBoom}, want: tpot.OutcomeFailed, end: pace},
		{name: "cut connection", items: []any{"a", io.ErrUnexpectedEOF}, want: tpot.OutcomeTruncated, cause: "connection cut", end: 2 * pace,
			onlyIf: func(sh shape) bool { return sh.name != "Seq" }},
		{name: "error in the stream", items: []any{"a", broken, done}, want: tpot.OutcomeFailed, cause: "error in stream", end: 3 * pace},
		{name: "error, then data", items: []any{"a", errBoom, "b", done}, onlyIf: afterErrors, want: tpot.OutcomeOK, end: 4 * pace},
		{name: "error, then data, then no marker", items: []any{"a", errBoom, "b"}, onlyIf: afterErrors, want: tpot.OutcomeTruncated, cause: "no end marker", end: 3 * pace},
		{name: "leaving after an error", items: []any{"a", errBoom, nil}, leaveAfter: 2, onlyIf: afterErrors, want: tpot.OutcomeFailed, cause: "error from stream", end: 2 * pace},
		{name: "leaving early", items: []any{"a", "b", "c", done}, leaveAfter: 2, want: tpot.OutcomeCanceled, end: 2 * pace},
		{name: "leaving after the marker", items: []any{"a", done, nil}, leaveAfter: 2, want: tpot.OutcomeOK, end: 2 * pace},
		{name: "cancel while blocked", items: []any{"a", nil}, cancelAt: 5 * pace, want: tpot.OutcomeCanceled, cause: "context", end: 5 * pace},
		{name: "cancel before the first event", items: []any{nil}, cancelAt: 5 * pace, want: tpot.OutcomeCanceled, cause: "context", end: 5 * pace},
		{name: "deadline while blocked", items: []any{"a", nil}, deadline: 5 * pace, want: tpot.OutcomeTimeout, cause: "context", end: 5 * pace},
		{name: "cancel after the marker", items: []any{"a", done, nil}, cancelAt: 5 * pace, want: tpot.OutcomeOK, end: 5 * pace},
		{name: "panic in the consumer", items: []any{"a", "b", done}, panicAfter: 2, want: tpot.OutcomeCanceled, cause: "panic", end: 2 * pace,
			onlyIf: func(sh shape) bool { return !sh.closes }},
	}
}

func TestEveryWayOut(t *testing.T) {
	for _, sh := range shapes() {
		for _, way := range waysOut() {
			if way.onlyIf != nil && !way.onlyIf(sh) {
				continue
			}
			t.Run(sh.name+"/"+way.name, func(t *testing.T) { way.check(t, sh) })
		}
	}
}

func (way wayOut) check(t *testing.T, sh shape) {
	var bare seen
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := way.context(t)
		defer cancel()
		bare = sh.consume(nil, newSource(ctx, way.items...), way.leaveAfter, way.panicAfter)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := way.context(t)
		defer cancel()
		log := &records{}
		_, rec := log.tracker(t).Start(ctx, tpot.Request{})
		wrapped := sh.consume(rec, newSource(ctx, way.items...), way.leaveAfter, way.panicAfter)
		assert.Equal(t, bare, wrapped, "the consumer sees the same")

		require.Len(t, log.ends, 1, "one record")
		s := log.ends[0]
		assert.Equal(t, s, rec.Stats())
		assert.Equal(t, way.want, s.Outcome)
		if way.cause != "" {
			assert.Equal(t, way.cause, s.Cause)
		}
		e2e, ok := s.E2E()
		assert.True(t, ok)
		assert.Equal(t, way.end, e2e)
		assert.Zero(t, s.Faults)
		way.checkEvents(t, s)
	})
}

// checkEvents compares the record with what the items up to the end make.
func (way wayOut) checkEvents(t *testing.T, s tpot.Stats) {
	events, chunks, last := 0, 0, time.Duration(0)
	for i, item := range way.items {
		if n := max(way.leaveAfter, way.panicAfter); item == nil || n > 0 && i >= n {
			break
		}
		v, ok := item.(string)
		if !ok {
			continue
		}
		events++
		if classify(v).Kind&tpot.KindText != 0 {
			chunks++
			last = time.Duration(i+1) * pace
		}
	}
	if s.Cause != "error in stream" || way.cause == "error in stream" { // Seq turns errors into events
		assert.Equal(t, events, s.Events)
	}
	assert.Equal(t, chunks, s.Chunks)
	if ttft, ok := s.TTFT(); chunks > 0 && assert.True(t, ok) {
		assert.Equal(t, pace, ttft)
	}
	if tpotFigure, ok := s.TPOT(); chunks > 1 && assert.True(t, ok) {
		assert.Equal(t, (last-pace)/time.Duration(chunks-1), tpotFigure)
	}
	assert.Zero(t, s.Hold, "the consumer took no time")
}

func (way wayOut) context(t *testing.T) (context.Context, context.CancelFunc) {
	if way.deadline > 0 {
		return context.WithTimeout(t.Context(), way.deadline)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if way.cancelAt > 0 {
		stop := time.AfterFunc(way.cancelAt, cancel)
		return ctx, func() { stop.Stop(); cancel() }
	}
	return ctx, cancel
}

// records is an observer that keeps the Stats of every end.
type records struct {
	ends  []tpot.Stats
	ended chan tpot.Stats // told too, unless nil
}

func (l *records) tracker(t testing.TB) *tpot.Tracker { return tracking(t, l) }

func (l *records) Start(ctx context.Context, _ tpot.Request, _ *tpot.Recorder) (context.Context, tpot.Observation) {
	return ctx, l
}
func (l *records) Observe(tpot.Arrival) {}
func (l *records) End(s tpot.Stats) {
	l.ends = append(l.ends, s)
	if l.ended != nil {
		l.ended <- s
	}
}

// closable runs a test over the two shapes that have a Close.
func closable(t *testing.T, items []any, test func(t *testing.T, log *records, src *source, read func() (string, error), s io.Closer)) {
	t.Run("Pull", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			log, src := &records{}, newSource(t.Context(), items...)
			_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
			s := stream.Pull(rec, &puller{source: src}, classify)
			test(t, log, src, func() (string, error) {
				if s.Next() {
					return s.Current(), nil
				}
				return "", s.Err()
			}, s)
		})
	})
	t.Run("Recv", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			log, src := &records{}, newSource(t.Context(), items...)
			_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
			s := stream.Recv(rec, receiver{src}, classify)
			test(t, log, src, s.Recv, s)
		})
	})
}

func TestDoubleClose(t *testing.T) {
	closable(t, []any{"a", "b"}, func(t *testing.T, log *records, src *source, read func() (string, error), s io.Closer) {
		read()
		assert.NoError(t, s.Close())
		assert.Same(t, errClosed, s.Close(), "the second Close is the source's affair")
		assert.Equal(t, 2, src.closes)
		require.Len(t, log.ends, 1)
		assert.Equal(t, "early close", log.ends[0].Cause)
	})
}

func TestNeverRead(t *testing.T) {
	closable(t, []any{"a", "b"}, func(t *testing.T, log *records, src *source, _ func() (string, error), s io.Closer) {
		time.Sleep(time.Second)
		assert.NoError(t, s.Close())
		require.Len(t, log.ends, 1)
		assert.Equal(t, tpot.OutcomeCanceled, log.ends[0].Outcome)
		assert.Equal(t, time.Second, log.ends[0].Setup)
		assert.Zero(t, src.pos, "nothing was read ahead")
	})
}

func TestCloseWhileReadBlocks(t *testing.T) {
	closable(t, []any{"a", nil}, func(t *testing.T, log *records, _ *source, read func() (string, error), s io.Closer) {
		read()
		result := make(chan error)
		go func() {
			_, err := read()
			result <- err
		}()
		time.Sleep(700 * time.Millisecond)
		assert.NoError(t, s.Close())
		assert.Same(t, errClosed, <-result, "the reader sees what its source does")
		require.Len(t, log.ends, 1)
		got := log.ends[0]
		assert.Equal(t, tpot.OutcomeCanceled, got.Outcome)
		assert.Equal(t, "early close", got.Cause)
		assert.Equal(t, 1, got.Stalls.Count, "the open wait was a stall")
		assert.Equal(t, 700*time.Millisecond, got.Stalls.Longest)
	})
}

func TestReadAfterTheEnd(t *testing.T) {
	closable(t, []any{"a", done}, func(t *testing.T, log *records, src *source, read func() (string, error), s io.Closer) {
		for range 3 {
			read()
		}
		require.Len(t, log.ends, 1)
		want := log.ends[0]
		src.items = append(src.items, "late")
		v, err := read()
		assert.NoError(t, err)
		assert.Equal(t, "late", v, "it passes through")
		read()
		s.Close()
		require.Len(t, log.ends, 1)
		assert.Equal(t, 2, want.Events, "untimed")
	})
}

func TestPanicInTheConsumerOfAClosableStream(t *testing.T) {
	closable(t, []any{"a", "b"}, func(t *testing.T, log *records, _ *source, read func() (string, error), s io.Closer) {
		assert.PanicsWithValue(t, "in the loop's body", func() {
			defer s.Close()
			read()
			panic("in the loop's body")
		})
		require.Len(t, log.ends, 1)
		assert.Equal(t, tpot.OutcomeCanceled, log.ends[0].Outcome)
	})
}

func TestPanicInTheSource(t *testing.T) {
	boom := func(func(string) bool) { panic("in the source") }
	for name, run := range map[string]func(rec *tpot.Recorder){
		"Seq": func(rec *tpot.Recorder) {
			for range stream.Seq(rec, boom, classify) {
			}
		},
		"Seq2": func(rec *tpot.Recorder) {
			for range stream.Seq2(rec, func(func(string, error) bool) { panic("in the source") }, classify) {
			}
		},
		"Call": func(rec *tpot.Recorder) {
			_ = stream.Call(rec, func(func(string) error) error { panic("in the source") }, func(string) error { return nil }, classify)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tpot.Start(t.Context())
			assert.PanicsWithValue(t, "in the source", func() { run(rec) })
			assert.Equal(t, tpot.OutcomeFailed, rec.Stats().Outcome)
		})
	}
}

func TestBreakSaysHow(t *testing.T) {
	for _, sh := range shapes() {
		synctest.Test(t, func(t *testing.T) {
			rec := tpot.Start(t.Context())
			sh.consume(rec, newSource(t.Context(), "a", "b"), 1, 0)
			want := "break"
			if sh.closes {
				want = "early close"
			}
			assert.Equal(t, want, rec.Stats().Cause, sh.name)
		})
	}
}

func TestASecondRangePassesThroughUntimed(t *testing.T) {
	log := &records{}
	_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
	values := func(yield func(string) bool) { _ = yield("a") && yield(done) }
	seq := stream.Seq(rec, values, classify)
	for range 3 {
		var got []string
		for v := range seq {
			got = append(got, v)
		}
		assert.Equal(t, []string{"a", done}, got)
	}
	require.Len(t, log.ends, 1)
	assert.Equal(t, 2, rec.Stats().Events)

	t.Run("even inside the first", func(t *testing.T) {
		rec := tpot.Start(t.Context())
		seq := stream.Seq2(rec, func(yield func(string, error) bool) { _ = yield("a", nil) && yield(done, nil) }, classify)
		count := 0
		for range seq {
			for range seq {
				count++
			}
		}
		assert.Equal(t, 4, count)
		assert.Equal(t, 2, rec.Stats().Events)
	})
}

func TestASlowConsumerIsHoldAndNotWait(t *testing.T) {
	for _, sh := range shapes() {
		t.Run(sh.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := tpot.Start(t.Context())
				sh.run(rec, newSource(t.Context(), "a", "b", "c", done), func(string, error) bool {
					time.Sleep(30 * time.Millisecond)
					return true
				})
				s := rec.Stats()
				assert.Equal(t, 4*30*time.Millisecond, s.Hold)
				e2e, _ := s.E2E()
				assert.Equal(t, e2e, s.Setup+s.Wait+s.Hold)
				assert.Zero(t, s.Stalls.Count)
			})
		})
	}
}

func TestASlowClassifierIsNeitherWaitNorHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tpot.Start(t.Context())
		s := stream.Recv(rec, receiver{newSource(t.Context(), "a", "b", "c", done)}, func(v string) tpot.Event {
			time.Sleep(10 * time.Millisecond)
			return classify(v)
		})
		for {
			if _, err := s.Recv(); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		got := s.Stats()
		assert.Equal(t, 4*pace, got.Wait)
		assert.Equal(t, 4*time.Millisecond, got.Hold)
	})
}
