package monitor_test

import (
	"runtime"
	"strings"
	"testing"
)

// watchersLeft is the number of goroutines that run code of the package's own, other than this test's.
func watchersLeft(t *testing.T) int {
	t.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	left := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "monitor.(*ruleWatch)") || strings.Contains(stack, "monitor.(*stallWatch)") {
			left++
		}
	}
	return left
}
