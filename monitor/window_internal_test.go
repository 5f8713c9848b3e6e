package monitor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rows are made of past steps without the lock.
func TestAStepThatIsPastDoesNotChange(t *testing.T) {
	var w window
	w.at(3).Requests = 1
	w.at(3).Requests++
	past := *w.slots[3]
	held := w.slots[3]
	for number := range int64(100) {
		w.at(4+number).Requests++
		assert.Equal(t, past, *held)
	}
}
