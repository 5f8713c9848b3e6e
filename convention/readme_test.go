package convention_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/convention"
)

// The table of the README is that of the first fixture.
func TestTheReadmesTable(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "<!-- conventions: begin -->\n```\n")
	require.True(t, found)
	table, _, found := strings.Cut(rest, "```\n<!-- conventions: end -->")
	require.True(t, found)
	want, _, _ := strings.Cut(convention.Compare(tracesOf(t, "t1-reasoning-then-text")).String(), "\n\n")
	assert.Equal(t, want+"\n", table)
}
