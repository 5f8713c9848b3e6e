package tpot

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWaitThatBeginsUnderALockIsNotLost is of somebody else who has the lock for a moment while a wait begins, as a second adapter
// that claims the Recorder has it.
func TestAWaitThatBeginsUnderALockIsNotLost(t *testing.T) {
	var g gate
	var others sync.WaitGroup
	stop := make(chan struct{})
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				g.unlock(g.lock())
			}
		}
	})
	defer others.Wait()
	defer close(stop)
	for range 200_000 {
		g.beginWait(waitSince(1))
		_, waiting := g.lock().since()
		g.unlock(0)
		require.True(t, waiting)
	}
}
