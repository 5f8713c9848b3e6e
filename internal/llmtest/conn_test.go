package llmtest

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// connected runs test in a bubble, with both ends of a connection.
func connected(t *testing.T, test func(t *testing.T, a, b net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, b := newConns()
		test(t, a, b)
	})
}

// readErr reads one byte and says when that ended, and how.
func readErr(c net.Conn) (time.Duration, error) {
	start := time.Now()
	_, err := c.Read(make([]byte, 1))
	return time.Since(start), err
}

func TestConnWritesDoNotWait(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		for range 64 {
			n, err := a.Write(make([]byte, 1<<16))
			require.NoError(t, err)
			require.Equal(t, 1<<16, n)
		}
		require.NoError(t, a.Close())
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		assert.Len(t, got, 64<<16)
	})
}

func TestConnReadWaitsForAWrite(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		time.AfterFunc(30*ms, func() { a.Write([]byte("x")) })
		took, err := readErr(b)
		require.NoError(t, err)
		assert.Equal(t, 30*ms, took)
	})
}

func TestConnOfTheTwoDirectionsOneMayEnd(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		_, err := a.Write([]byte("xy"))
		require.NoError(t, err)
		_, err = b.Write([]byte("unread"))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		require.NoError(t, a.Close())

		_, err = readErr(a)
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = a.Write([]byte("z"))
		require.ErrorIs(t, err, net.ErrClosed)

		got, err := io.ReadAll(b)
		require.NoError(t, err)
		assert.Equal(t, "xy", string(got))
		_, err = b.Write([]byte("z"))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

func TestConnCloseWakesReaders(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		time.AfterFunc(30*ms, func() { a.Close() })
		var wg sync.WaitGroup
		wg.Go(func() {
			took, err := readErr(a)
			assert.ErrorIs(t, err, net.ErrClosed)
			assert.Equal(t, 30*ms, took)
		})
		wg.Go(func() {
			took, err := readErr(b)
			assert.ErrorIs(t, err, io.EOF)
			assert.Equal(t, 30*ms, took)
		})
		wg.Wait()
	})
}

func TestConnReadDeadline(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		require.NoError(t, b.SetReadDeadline(time.Now().Add(30*ms)))
		took, err := readErr(b)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, 30*ms, took)
		var timeout net.Error
		require.ErrorAs(t, err, &timeout)
		assert.True(t, timeout.Timeout())

		_, err = a.Write([]byte("x"))
		require.NoError(t, err)
		_, err = readErr(b)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "bytes do not undo a deadline")
		_, err = b.Write([]byte("y"))
		require.NoError(t, err, "the other direction has none")

		require.NoError(t, b.SetReadDeadline(time.Time{}))
		_, err = readErr(b)
		require.NoError(t, err)
	})
}

func TestConnDeadlineOfAReadThatWaits(t *testing.T) {
	for name, set := range map[string]struct {
		deadline, want time.Duration
	}{
		"sooner": {20 * ms, 20 * ms},
		"passed": {-time.Hour, 10 * ms},
		"later":  {70 * ms, 70 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			connected(t, func(t *testing.T, _, b net.Conn) {
				start := time.Now()
				require.NoError(t, b.SetReadDeadline(start.Add(50*ms)))
				time.AfterFunc(10*ms, func() { b.SetReadDeadline(start.Add(set.deadline)) })
				took, err := readErr(b)
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				assert.Equal(t, set.want, took)
			})
		})
	}
	t.Run("none", func(t *testing.T) {
		connected(t, func(t *testing.T, a, b net.Conn) {
			require.NoError(t, b.SetReadDeadline(time.Now().Add(50*ms)))
			time.AfterFunc(10*ms, func() { b.SetReadDeadline(time.Time{}) })
			time.AfterFunc(90*ms, func() { a.Close() })
			took, err := readErr(b)
			require.ErrorIs(t, err, io.EOF)
			assert.Equal(t, 90*ms, took)
		})
	})
}

// A timer that fires while its deadline is being replaced must not end what comes after.
func TestConnDeadlineReplacedAsItFires(t *testing.T) {
	for range 100 {
		connected(t, func(t *testing.T, a, b net.Conn) {
			require.NoError(t, b.SetReadDeadline(time.Now().Add(ms)))
			time.Sleep(ms)
			require.NoError(t, b.SetReadDeadline(time.Time{}))
			synctest.Wait()
			_, err := a.Write([]byte("x"))
			require.NoError(t, err)
			_, err = readErr(b)
			require.NoError(t, err)
		})
	}
}

func TestConnWriteDeadline(t *testing.T) {
	connected(t, func(t *testing.T, a, b net.Conn) {
		require.NoError(t, a.SetWriteDeadline(time.Now().Add(30*ms)))
		_, err := a.Write([]byte("x"))
		require.NoError(t, err)
		time.Sleep(30 * ms)
		synctest.Wait()
		_, err = a.Write([]byte("y"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, a.SetDeadline(time.Time{}))
		_, err = a.Write([]byte("z"))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		require.NoError(t, a.SetDeadline(time.Now().Add(ms)), "of no effect")
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		assert.Equal(t, "xz", string(got))
	})
}

func TestConnDeadlineOfBoth(t *testing.T) {
	connected(t, func(t *testing.T, a, _ net.Conn) {
		require.NoError(t, a.SetDeadline(time.Now()))
		_, err := readErr(a)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_, err = a.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
}

func TestDialWithNobodyToAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		ctx, cancel := context.WithTimeout(t.Context(), 30*ms)
		defer cancel()
		_, err := l.dial(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		time.AfterFunc(10*ms, func() { l.Close() })
		_, err = l.dial(t.Context())
		require.ErrorIs(t, err, net.ErrClosed)
		require.NoError(t, l.Close())
		assert.Equal(t, "memory llm.test:80", l.Addr().Network()+" "+l.Addr().String())
	})
}
