package tokentiming_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageOfSDKsIsTrue holds docs/sdks.md against what it speaks of: its code against the examples, its tests, scenarios, versions and
// links against the repository. Whether the tests pass is for integration/run to say.
func TestThePageOfSDKsIsTrue(t *testing.T) {
	page := read(t, "docs/sdks.md")
	var tests, modules strings.Builder
	for _, name := range glob(t, "integration/*/*_test.go") {
		tests.WriteString(read(t, name))
	}
	for _, name := range glob(t, "integration/*/go.mod") {
		modules.WriteString(read(t, name))
	}
	scenarios := read(t, "integration/matrix/scenario.go")

	for _, name := range find(page, "`(Test\\w+)`") {
		assert.True(t, strings.Contains(tests.String(), "func "+name[1]+"(t *testing.T)"), name[1])
	}
	for _, list := range find(page, "\\(((?:(?:, )?`[a-z][\\w,-]+`)+)\\)") { // (`cut`, `no_end_marker`)
		for _, name := range find(list[1], "`([^`]+)`") {
			quoted := `"` + strings.ReplaceAll(name[1], "_", " ") + `"`
			assert.True(t, strings.Contains(scenarios+tests.String(), quoted), quoted)
		}
	}
	for _, version := range find(page, "`([a-z]+[.a-z]*/[\\w./-]+)` (v[0-9.]+[0-9])") {
		assert.True(t, strings.Contains(modules.String(), version[1]+" "+version[2]+"\n"), version[0])
	}
	for _, link := range find(page, `\]\(([^)#]+)`) {
		_, err := os.Stat(filepath.Join("docs", link[1]))
		assert.NoError(t, err)
	}
	for section := range strings.SplitSeq(page, "\n## ") {
		if example := find(section, `examples/sdks/\w+/main\.go`); example != nil {
			assertExcerpts(t, section, read(t, example[0][0]))
		}
	}
}

// assertExcerpts asserts that the code of a section is in the program, indented by one tab or not.
func assertExcerpts(t *testing.T, section, program string) {
	t.Helper()
	blocks := find(section, "(?s)```go\n(.*?)```")
	assert.NotEmpty(t, blocks)
	for _, block := range blocks {
		code := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(block[1], "\t$1")
		assert.Contains(t, program, code)
	}
}

func find(text, pattern string) [][]string {
	return regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	require.NoError(t, err)
	return string(data)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.FromSlash(pattern))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}
