package monitor

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// The comment of Config.Keys says what a key costs.
func TestTheSizeOfAKey(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(slot{}), uintptr(18.5*1024))
	assert.LessOrEqual(t, 100*(steps+1)*unsafe.Sizeof(slot{}), uintptr(23.5*1024*1024))
}
