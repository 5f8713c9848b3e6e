package tpot

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// The runtime allocates in sizes, of which 3456 bytes is one and 4096 the next: one word too many and every request costs 640 bytes more.
func TestARecorderFitsTheSizeItHad(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Recorder{}), uintptr(3456))
}
