package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestNilSourcesPanicWhereTheyArePassed(t *testing.T) {
	fn := func(string) error { return nil }
	var noCall func(func(string) error) error
	for name, pass := range map[string]func(){
		"Pull of a nil stream":                  func() { stream.Pull[string](nil, nil, nil) },
		"Recv of a nil stream":                  func() { stream.Recv[string](nil, nil, nil) },
		"Seq of a nil iterator":                 func() { stream.Seq[string](nil, nil, nil) },
		"Seq2 of a nil iterator":                func() { stream.Seq2[string](nil, nil, nil) },
		"Chan of a nil channel":                 func() { stream.Chan[string](nil, nil, nil, nil) },
		"Events of a nil source":                func() { stream.Events[string](nil, nil, nil) },
		"Call of a nil call":                    func() { _ = stream.Call(nil, noCall, fn, nil) },
		"Call with a nil callback":              func() { _ = stream.Call[string](nil, func(func(string) error) error { return nil }, nil, nil) },
		"Pull of a nil pointer in an interface": func() { stream.Pull[string](nil, (*puller)(nil), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { assert.Regexp(t, `^stream: \w+ (of|with) a nil `, recover()) }()
			pass()
		})
	}
}

func TestANilRecorderPassesThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := func(string) tpot.Event { panic("nothing is timed") }
		var got []string
		for v, err := range stream.Seq2(nil, newSource(t.Context(), "a", "b").seq2, never) {
			require.NoError(t, err)
			got = append(got, v)
		}
		for v := range stream.Seq(nil, newSource(t.Context(), "c").seq, never) {
			got = append(got, v)
		}
		p := stream.Pull(nil, &puller{source: newSource(t.Context(), "d")}, never)
		for p.Next() {
			got = append(got, p.Current())
		}
		assert.NoError(t, p.Close())
		assert.Equal(t, tpot.Stats{}, p.Stats())
		r := stream.Recv(nil, receiver{newSource(t.Context(), "e", errBoom)}, never)
		v, _ := r.Recv()
		_, err := r.Recv()
		assert.Same(t, errBoom, err)
		assert.NoError(t, r.Close())
		err = stream.Call(nil, newSource(t.Context(), "f", errBoom).call, func(v string) error { got = append(got, v); return nil }, never)
		assert.Same(t, errBoom, err)
		assert.Equal(t, []string{"a", "b", "c", "d", "f"}, got)
		assert.Equal(t, "e", v)
	})
}

func TestAClassifierThatPanicsCostsOnlyFigures(t *testing.T) {
	hostile := func(v string) tpot.Event {
		if v == "b" {
			panic("classifier")
		}
		return classify(v)
	}
	synctest.Test(t, func(t *testing.T) {
		rec := tpot.Start(t.Context())
		s := stream.Recv(rec, receiver{newSource(t.Context(), "a", "b", "c", done)}, hostile)
		var got []string
		for {
			v, err := s.Recv()
			if err != nil {
				break
			}
			got = append(got, v)
		}
		assert.Equal(t, []string{"a", "b", "c", done}, got)
		stats := s.Stats()
		assert.Equal(t, 1, stats.Faults)
		assert.Equal(t, 1, stats.Unclassified)
		assert.Equal(t, 4, stats.Events)
		assert.Equal(t, 2, stats.Chunks)
		assert.Equal(t, tpot.OutcomeOK, stats.Outcome)
	})
}

// moody is a Puller whose Current and Err panic, as those of some streams do when they are called at the wrong time.
type moody struct{ left int }

func (m *moody) Next() bool    { m.left--; return m.left >= 0 }
func (*moody) Current() string { panic("Current") }
func (*moody) Err() error      { panic("Err") }
func (*moody) Close() error    { panic("Close") }

func TestASourceThatPanicsDoesSoForItsCallerAlone(t *testing.T) {
	s := stream.Pull(tpot.Start(t.Context()), &moody{left: 2}, classify)
	assert.NotPanics(t, func() {
		for s.Next() {
		}
	})
	assert.PanicsWithValue(t, "Current", func() { s.Current() })
	assert.PanicsWithValue(t, "Err", func() { _ = s.Err() })
	assert.PanicsWithValue(t, "Close", func() { s.Close() })
	assert.Equal(t, 2, s.Stats().Events)
	assert.Equal(t, 3, s.Stats().Faults)
	assert.Equal(t, tpot.OutcomeOK, s.Stats().Outcome)
}

func TestWrappedTwiceIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &records{}
		_, rec := log.tracker(t).Start(t.Context(), tpot.Request{})
		inner := stream.Recv(rec, receiver{newSource(t.Context(), "a", "b", done)}, classify)
		outer := stream.Recv(rec, inner, classify)
		for {
			if _, err := outer.Recv(); err != nil {
				break
			}
		}
		assert.NoError(t, outer.Close())
		require.Len(t, log.ends, 1)
		assert.Equal(t, 3, log.ends[0].Events)
	})
}

// quiet is a Receiver without Close; loud one whose Close has no result.
type quiet struct{ *source }

func (q quiet) Recv() (string, error) { return q.next() }
func (q quiet) Close(bool)            {} // not a Close that we know

type loud struct {
	receiverOf
	closed int
}

func (l *loud) Close() { l.closed++ }

func TestRecvClosesWhatHasAClose(t *testing.T) {
	assert.NoError(t, stream.Recv(tpot.Start(t.Context()), quiet{newSource(t.Context())}, classify).Close())
	l := &loud{}
	assert.NoError(t, stream.Recv(tpot.Start(t.Context()), l, classify).Close())
	assert.Equal(t, 1, l.closed)
}

func TestAdaptersCloseNothingByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource(t.Context(), "a", done)
		e := newEventSource(src)
		for range stream.Events(tpot.Start(t.Context()), e, classify) {
		}
		r := stream.Recv(tpot.Start(t.Context()), receiver{src}, classify)
		_, _ = r.Recv()
		assert.Zero(t, src.closes)
	})
}

func TestNothingHappensBeforeTheFirstRead(t *testing.T) {
	touched := false
	touch := func() { touched = true }
	rec := tpot.Start(t.Context())
	stream.Seq(rec, func(func(string) bool) { touch() }, classify)
	stream.Seq2(rec, func(func(string, error) bool) { touch() }, classify)
	stream.Events(rec, lazyEvents{touch}, classify)
	assert.False(t, touched)
}

type lazyEvents struct{ touch func() }

func (l lazyEvents) Events() <-chan string { l.touch(); return nil }
func (l lazyEvents) Err() error            { l.touch(); return nil }

func TestNoAdapterStartsAGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	none := func() { assert.LessOrEqual(t, runtime.NumGoroutine(), before) } // those of earlier tests may go
	ch := make(chan string, 2)
	ch <- "a"
	ch <- "b"
	rec := func() *tpot.Recorder { return tpot.Start(t.Context()) }
	for range stream.Chan(rec(), ch, nil, classify) {
		none()
		break
	}
	for range stream.Seq(rec(), func(yield func(string) bool) { yield("a") }, classify) {
		none()
	}
	s := stream.Recv(rec(), &receiverOf{values: []string{"a", "b"}}, classify)
	_, _ = s.Recv()
	p := stream.Pull(rec(), &endless{}, text)
	p.Next()
	_ = stream.Call(rec(), func(emit func(string) error) error { return emit("a") }, func(string) error {
		none()
		return nil
	}, classify)
	none()
}

func TestChanErrors(t *testing.T) {
	type result struct {
		values []string
		errs   []error
	}
	read := func(seq iter.Seq2[string, error]) (got result) {
		for v, err := range seq {
			if err != nil {
				got.errs = append(got.errs, err)
			} else {
				got.values = append(got.values, v)
			}
		}
		return got
	}
	values := func(vs ...string) chan string {
		ch := make(chan string, len(vs))
		for _, v := range vs {
			ch <- v
		}
		return ch
	}
	t.Run("no channel of errors", func(t *testing.T) {
		ch := values("a", "b")
		close(ch)
		assert.Equal(t, result{values: []string{"a", "b"}}, read(stream.Chan(tpot.Start(t.Context()), ch, nil, classify)))
	})
	t.Run("a buffered one that nobody closes", func(t *testing.T) {
		ch := values("a")
		close(ch)
		assert.Equal(t, result{values: []string{"a"}}, read(stream.Chan(tpot.Start(t.Context()), ch, make(chan error, 1), classify)))
	})
	t.Run("an error waiting in it comes after the values", func(t *testing.T) {
		for range 100 { // a choice at random would show
			ch, errs := values("a", "b", "c"), make(chan error, 3)
			errs <- nil
			errs <- errBoom
			errs <- io.ErrUnexpectedEOF
			close(ch)
			rec := tpot.Start(t.Context())
			got := read(stream.Chan(rec, ch, errs, classify))
			require.Equal(t, result{[]string{"a", "b", "c"}, []error{errBoom, io.ErrUnexpectedEOF}}, got)
			require.Equal(t, tpot.OutcomeTruncated, rec.Stats().Outcome, "the last word counts")
		}
	})
	t.Run("an unbuffered one is waited for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ch, errs := values("a"), make(chan error)
			close(ch)
			go func() {
				synctest.Wait() // the reader is at the errors
				errs <- errBoom
			}()
			rec := tpot.Start(t.Context())
			assert.Equal(t, result{[]string{"a"}, []error{errBoom}}, read(stream.Chan(rec, ch, errs, classify)))
			assert.Equal(t, tpot.OutcomeFailed, rec.Stats().Outcome)
		})
	})
	t.Run("leaving at a late error", func(t *testing.T) {
		ch, errs := values(), make(chan error, 2)
		close(ch)
		errs <- errBoom
		errs <- errBoom
		for range stream.Chan(tpot.Start(t.Context()), ch, errs, classify) {
			break
		}
		assert.Len(t, errs, 1)
	})
}

func TestCallFromSeveralGoroutines(t *testing.T) {
	rec := tpot.Start(t.Context())
	err := stream.Call(rec, func(emit func(string) error) error {
		finished := make(chan error)
		for range 4 {
			go func() {
				for range 100 {
					_ = emit("a")
				}
				finished <- nil
			}()
		}
		for range 4 {
			<-finished
		}
		return emit(done)
	}, func(string) error { return nil }, classify)
	assert.NoError(t, err)
	assert.Equal(t, 401, rec.Stats().Events)
	assert.Equal(t, tpot.OutcomeOK, rec.Stats().Outcome)
}

func TestAnEmitThatOutlivesItsCallChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		classified := 0
		rec := tpot.Start(t.Context())
		var kept func(string) error
		release := make(chan struct{})
		err := stream.Call(rec, func(emit func(string) error) error {
			kept = emit
			go func() { _ = emit("slow") }()
			synctest.Wait() // fn has it
			return nil
		}, func(v string) error {
			if v == "slow" {
				<-release
			}
			return nil
		}, func(string) tpot.Event { classified++; return tpot.Event{Kind: tpot.KindText} })
		assert.NoError(t, err)
		assert.Equal(t, tpot.OutcomeOK, rec.Stats().Outcome)
		want := rec.Stats()
		close(release)
		synctest.Wait()
		assert.NoError(t, kept("late"))
		assert.Equal(t, 1, classified)
		assert.Equal(t, want, rec.Stats())
	})
}

func TestCallResults(t *testing.T) {
	errOwn := errors.New("call's own")
	for name, c := range map[string]struct {
		call    func(emit func(string) error) error
		want    error
		outcome tpot.Outcome
	}{
		"it hides the callback's error": {func(emit func(string) error) error { _ = emit("stop"); return nil }, nil, tpot.OutcomeCanceled},
		"it wraps the callback's error": {func(emit func(string) error) error { return errors.Join(errOwn, emit("stop")) }, errOwn, tpot.OutcomeCanceled},
		"it goes on and fails later":    {func(emit func(string) error) error { _ = emit("stop"); _ = emit("a"); return errOwn }, errOwn, tpot.OutcomeFailed},
		"it emits nothing":              {func(func(string) error) error { return errOwn }, errOwn, tpot.OutcomeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tpot.Start(t.Context())
			err := stream.Call(rec, c.call, func(v string) error {
				if v == "stop" {
					return errLeft
				}
				return nil
			}, classify)
			assert.ErrorIs(t, err, c.want)
			assert.Equal(t, c.outcome, rec.Stats().Outcome)
		})
	}
}

func TestWrappersAllocateNothingPerEvent(t *testing.T) {
	pull := stream.Pull(tpot.Start(context.Background()), &endless{}, text)
	recv := stream.Recv(tpot.Start(context.Background()), &endless{}, text)
	raw := stream.Recv(tpot.Start(context.Background()), rawEndless{}, nil)
	words := stream.Recv(tpot.Start(context.Background()), wordEndless{}, nil)
	next, stop := iter.Pull2(stream.Seq2(tpot.Start(context.Background()), endlessSeq2, text))
	defer stop()
	for name, read := range map[string]func(){
		"Pull":                  func() { pull.Next(); pull.Current() },
		"Recv":                  func() { _, _ = recv.Recv() },
		"Recv, Auto of RawJSON": func() { _, _ = raw.Recv() },
		"Recv, Auto of strings": func() { _, _ = words.Recv() },
		"Seq2":                  func() { next() },
	} {
		assert.Zero(t, testing.AllocsPerRun(1000, read), name)
	}
}

func endlessSeq2(yield func(int, error) bool) {
	for n := 0; yield(n, nil); n++ {
	}
}

type rawChunk struct {
	raw   string
	other [64]int // as wide as the chunks of SDKs
}

func (c rawChunk) RawJSON() string { return c.raw }

type rawEndless struct{}

func (rawEndless) Recv() (rawChunk, error) {
	return rawChunk{other: [64]int{1}, raw: `{"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}`}, nil
}

type wordEndless struct{}

func (wordEndless) Recv() (string, error) { return "word", nil }

// A whole request: the Recorder, the wrapper, and two for the cleanup that reports a dropped stream. An iterator has a function of its own
// on top.
func TestAllocationsOfAWholeRequest(t *testing.T) {
	ctx := context.Background()
	src := &endless{}
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		s := stream.Pull(tpot.Start(ctx), src, text)
		for range 100 {
			s.Next()
		}
		s.Close()
	}), 4.0, "Pull")
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		s := stream.Recv(tpot.Start(ctx), src, text)
		for range 100 {
			_, _ = s.Recv()
		}
		s.Close()
	}), 4.0, "Recv")
	var seq iter.Seq2[int, error] = endlessSeq2
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		n := 0
		for range stream.Seq2(tpot.Start(ctx), seq, text) {
			if n++; n == 100 {
				break
			}
		}
	}), 8.0, "Seq2")
}

// shared is a Receiver that several goroutines may read from.
type shared struct{ words chan string }

func (s shared) Recv() (string, error) {
	w, ok := <-s.words
	if !ok {
		return "", io.EOF
	}
	return w, nil
}

func TestAStreamReadFromSeveralGoroutines(t *testing.T) {
	for name, classifier := range map[string]func(string) tpot.Event{"Auto": nil, "own": classify} {
		t.Run(name, func(t *testing.T) {
			src := shared{make(chan string, 1000)}
			for range cap(src.words) {
				src.words <- "word"
			}
			close(src.words)
			s := stream.Recv(tpot.Start(t.Context()), src, classifier)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for {
						if _, err := s.Recv(); err != nil {
							return
						}
					}
				})
			}
			all.Wait()
			assert.Zero(t, s.Stats().Faults)
			assert.LessOrEqual(t, s.Stats().Chunks, 1000, "the first to see the end ends the recording")
		})
	}
}
